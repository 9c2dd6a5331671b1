//! Hardware filter rules and the reports of hardware about flows. Stock drivers take the first through
//! pfring_add_hw_rule(), where they have n-tuple filters; nothing gives the reports.

use super::ip_addr;

/// Kernel-side entry point for five-tuple rules; its parameters are the driver's affair.
pub type five_tuple_rule_handler = Option<unsafe extern "C" fn()>;

/// Kernel-side entry point for perfect filter rules; its parameters are the driver's affair.
pub type perfect_filter_hw_rule_handler = Option<unsafe extern "C" fn()>;

/// Five-tuple filter of an Intel 82599. Addresses and ports in host byte order, 0 for any.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct intel_82599_five_tuple_filter_hw_rule {
    /// Transport protocol number.
    pub proto: u8,
    /// Source IPv4 address.
    pub s_addr: u32,
    /// Destination IPv4 address.
    pub d_addr: u32,
    /// Source port.
    pub s_port: u16,
    /// Destination port.
    pub d_port: u16,
    /// Receive queue to steer to.
    pub queue_id: u16,
}

/// Perfect filter of an Intel 82599. Addresses and ports in host byte order, 0 for any.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct intel_82599_perfect_filter_hw_rule {
    /// VLAN id.
    pub vlan_id: u16,
    /// EtherType of the payload, network byte order.
    pub proto: u8,
    /// Source IPv4 address.
    pub s_addr: u32,
    /// Destination IPv4 address.
    pub d_addr: u32,
    /// Source port.
    pub s_port: u16,
    /// Destination port.
    pub d_port: u16,
    /// Receive queue to steer to.
    pub queue_id: u16,
}

/// What a Silicom redirector does with a packet.
#[repr(C)]
pub enum SilicomRedirectorRuleTypeDecl {
    /// Drop it.
    drop_rule = 0,
    /// Send it to the target port.
    redirect_rule = 1,
    /// Copy it to the target port.
    mirror_rule = 2,
}

c_enum! {
    silicom_redirector_rule_type, SilicomRedirectorRuleTypeDecl {
        DROP_RULE = drop_rule,
        REDIRECT_RULE = redirect_rule,
        MIRROR_RULE = mirror_rule,
    }
}

/// Rule of a Silicom redirector.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct silicom_redirector_hw_rule {
    /// What to do.
    pub rule_type: silicom_redirector_rule_type,
    /// Port that the packet came in on.
    pub rule_port: u8,
    /// Port that it goes to.
    pub rule_target_port: u8,
    /// Lowest VLAN id.
    pub vlan_id_low: u16,
    /// Highest VLAN id.
    pub vlan_id_high: u16,
    /// Protocol number of the transport header.
    pub l3_proto: u8,
    /// Source address.
    pub src_addr: ip_addr,
    /// Destination address.
    pub dst_addr: ip_addr,
    /// Bits of the source address that count.
    pub src_mask: u32,
    /// Bits of the destination address that count.
    pub dst_mask: u32,
    /// Lowest source port.
    pub src_port_low: u16,
    /// Highest source port.
    pub src_port_high: u16,
    /// Lowest destination port.
    pub dst_port_low: u16,
    /// Highest destination port.
    pub dst_port_high: u16,
}

/// What hardware does with a packet that no rule matches.
#[repr(C)]
pub enum GenericDefaultActionTypeDecl {
    /// Pass it.
    default_pass = 0,
    /// Drop it.
    default_drop = 1,
}

c_enum! {
    generic_default_action_type, GenericDefaultActionTypeDecl {
        DEFAULT_PASS = default_pass,
        DEFAULT_DROP = default_drop,
    }
}

/// What hardware does with the packets of a flow.
#[repr(C)]
pub enum GenericFlowRuleActionTypeDecl {
    /// Drop them.
    flow_drop_rule = 0,
    /// Mark them.
    flow_mark_rule = 1,
    /// Pass them.
    flow_pass_rule = 2,
    /// Steer them to a port or queue.
    flow_steer_rule = 3,
    /// Forget the flow.
    flow_unlearn_rule = 4,
}

c_enum! {
    generic_flow_rule_action_type, GenericFlowRuleActionTypeDecl {
        FLOW_DROP_RULE = flow_drop_rule,
        FLOW_MARK_RULE = flow_mark_rule,
        FLOW_PASS_RULE = flow_pass_rule,
        FLOW_STEER_RULE = flow_steer_rule,
        FLOW_UNLEARN_RULE = flow_unlearn_rule,
    }
}

/// Hardware rule for a flow known by its id.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct generic_flow_id_hw_rule {
    /// What to do.
    pub action: generic_flow_rule_action_type,
    /// Id of the flow.
    pub flow_id: u64,
    /// Thread of the flow.
    pub thread: u32,
}

/// Hardware rule for a flow known by its addresses and ports.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct generic_flow_tuple_hw_rule {
    /// What to do.
    pub action: generic_flow_rule_action_type,
    /// Source address.
    pub src_ip: ip_addr,
    /// Destination address.
    pub dst_ip: ip_addr,
    /// Bits of the source address that count.
    pub src_ip_mask: ip_addr,
    /// Bits of the destination address that count.
    pub dst_ip_mask: ip_addr,
    /// Source port.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
    /// VLAN id.
    pub vlan_id: u16,
    /// 4 or 6; 0 for anything else.
    pub ip_version: u8,
    /// Transport protocol number.
    pub protocol: u8,
    /// Interface to steer to.
    pub interface: u8,
    /// Queue to steer to.
    pub queue_id: u8,
    /// Id of the flow.
    pub flow_id: u64,
}

/// Which member of hw_filtering_rule.rule_family counts.
#[repr(C)]
pub enum HwFilteringRuleTypeDecl {
    /// five_tuple_rule.
    intel_82599_five_tuple_rule = 0,
    /// perfect_rule.
    intel_82599_perfect_filter_rule = 1,
    /// redirector_rule.
    silicom_redirector_rule = 2,
    /// flow_id_rule.
    generic_flow_id_rule = 3,
    /// flow_tuple_rule.
    generic_flow_tuple_rule = 4,
}

c_enum! {
    hw_filtering_rule_type, HwFilteringRuleTypeDecl {
        INTEL_82599_FIVE_TUPLE_RULE = intel_82599_five_tuple_rule,
        INTEL_82599_PERFECT_FILTER_RULE = intel_82599_perfect_filter_rule,
        SILICOM_REDIRECTOR_RULE = silicom_redirector_rule,
        GENERIC_FLOW_ID_RULE = generic_flow_id_rule,
        GENERIC_FLOW_TUPLE_RULE = generic_flow_tuple_rule,
    }
}

/// The rule_family member of hw_filtering_rule.
#[repr(C)]
#[derive(Clone, Copy)]
pub union __pfring_hw_filtering_rule_family {
    /// Intel 82599, five-tuple filter.
    pub five_tuple_rule: intel_82599_five_tuple_filter_hw_rule,
    /// Intel 82599, perfect filter.
    pub perfect_rule: intel_82599_perfect_filter_hw_rule,
    /// Silicom redirector.
    pub redirector_rule: silicom_redirector_hw_rule,
    /// A flow known by its id.
    pub flow_id_rule: generic_flow_id_hw_rule,
    /// A flow known by its addresses and ports.
    pub flow_tuple_rule: generic_flow_tuple_hw_rule,
}

/// A rule for the filter of a network card.
#[repr(C, packed)]
#[derive(Clone, Copy)]
pub struct hw_filtering_rule {
    /// Which member of rule_family counts.
    pub rule_family_type: hw_filtering_rule_type,
    /// Id of the rule.
    pub rule_id: u16,
    /// Order among hardware rules.
    pub priority: u16,
    /// The rule itself.
    pub rule_family: __pfring_hw_filtering_rule_family,
}

/// What to do with a hardware rule.
#[repr(C)]
pub enum HwFilteringRuleCommandDecl {
    /// Add it.
    add_hw_rule = 0,
    /// Remove it.
    remove_hw_rule = 1,
}

c_enum! {
    hw_filtering_rule_command, HwFilteringRuleCommandDecl {
        ADD_HW_RULE = add_hw_rule,
        REMOVE_HW_RULE = remove_hw_rule,
    }
}

/// Seconds and nanoseconds in 32 bits each.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct pfring_timespec {
    /// Seconds.
    pub tv_sec: u32,
    /// Nanoseconds.
    pub tv_nsec: u32,
}

/// Counters of a flow that hardware follows. The suffixes a and b are the two directions.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct pfring_flow_update {
    /// Id of the flow.
    pub flow_id: u64,
    /// PF_RING_FLOW_UPDATE_CAUSE_* value: why the update was sent.
    pub cause: u8,
    /// Unused.
    pub reserved0: u8,
    /// Unused.
    pub reserved1: u16,
    /// Flags, direction a.
    pub flags_a: u16,
    /// Flags, direction b.
    pub flags_b: u16,
    /// Packets, direction a.
    pub packets_a: u32,
    /// Packets, direction b.
    pub packets_b: u32,
    /// Bytes, direction a.
    pub bytes_a: u64,
    /// Bytes, direction b.
    pub bytes_b: u64,
    /// Time of the last packet.
    pub last_seen: pfring_timespec,
}

/// Counters, addresses and times of a flow that hardware follows.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct generic_flow_update {
    /// Id of the flow.
    pub flow_id: u32,
    /// 4 or 6; 0 for anything else.
    pub ip_version: u8,
    /// Transport protocol number.
    pub l4_protocol: u8,
    /// IPv4 type of service.
    pub tos: u8,
    /// TCP flags seen.
    pub tcp_flags: u8,
    /// Source address.
    pub src_ip: ip_addr,
    /// Destination address.
    pub dst_ip: ip_addr,
    /// VLAN id.
    pub vlan_id: u16,
    /// 1 at the start of a flow.
    pub start_of_flow: u8,
    /// Unused.
    pub reserved: u8,
    /// Source port.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
    /// Packets, forward.
    pub fwd_packets: u32,
    /// Packets, backward.
    pub rev_packets: u32,
    /// Bytes, forward.
    pub fwd_bytes: u64,
    /// Bytes, backward.
    pub rev_bytes: u64,
    /// First packet, forward.
    pub fwd_ts_first: pfring_timespec,
    /// Last packet, forward.
    pub fwd_ts_last: pfring_timespec,
    /// First packet, backward.
    pub rev_ts_first: pfring_timespec,
    /// Last packet, backward.
    pub rev_ts_last: pfring_timespec,
}

/// Tells hardware what to do with a flow.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct generic_flow_feedback {
    /// What to do.
    pub action: generic_flow_rule_action_type,
    /// Id of the flow.
    pub flow_id: u32,
}

/// Driver-side entry points for hardware rules. Unused in user space.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct hw_filtering_device_handler {
    /// For five-tuple filters.
    pub five_tuple_handler: five_tuple_rule_handler,
    /// For perfect filters.
    pub perfect_filter_handler: perfect_filter_hw_rule_handler,
}
