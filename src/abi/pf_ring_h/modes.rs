//! Modes of a ring, and clusters.

use std::ffi::c_char;

use super::proc_dir_entry;

/// Which packets a ring delivers.
#[repr(C)]
pub enum PacketDirectionDecl {
    /// Received and sent ones.
    rx_and_tx_direction = 0,
    /// Received ones.
    rx_only_direction = 1,
    /// Sent ones.
    tx_only_direction = 2,
}

c_enum! {
    packet_direction, PacketDirectionDecl {
        RX_AND_TX_DIRECTION = rx_and_tx_direction,
        RX_ONLY_DIRECTION = rx_only_direction,
        TX_ONLY_DIRECTION = tx_only_direction,
    }
}

/// What a ring is used for.
#[repr(C)]
pub enum SocketModeDecl {
    /// Sending and receiving.
    send_and_recv_mode = 0,
    /// Sending; receiving is refused.
    send_only_mode = 1,
    /// Receiving; sending is refused.
    recv_only_mode = 2,
    /// Neither: asking for counters and settings.
    management_only_mode = 3,
}

c_enum! {
    socket_mode, SocketModeDecl {
        SEND_AND_RECV_MODE = send_and_recv_mode,
        SEND_ONLY_MODE = send_only_mode,
        RECV_ONLY_MODE = recv_only_mode,
        MANAGEMENT_ONLY_MODE = management_only_mode,
    }
}

/// How much detail a flow export holds.
#[repr(C)]
pub enum PktDetailModeDecl {
    /// A record for each flow.
    pkt_detail_flow = 0,
    /// Flows added up.
    pkt_detail_aggregation = 1,
}

c_enum! {
    pkt_detail_mode, PktDetailModeDecl {
        PKT_DETAIL_FLOW = pkt_detail_flow,
        PKT_DETAIL_AGGREGATION = pkt_detail_aggregation,
    }
}

/// How a cluster spreads packets over its rings. The hash is a sum, equal for both directions;
/// without a hashable header the packet goes to queue 0.
#[repr(C)]
pub enum ClusterTypeDecl {
    /// By addresses, ports and protocol.
    cluster_per_flow = 0,
    /// In turn.
    cluster_round_robin = 1,
    /// By addresses.
    cluster_per_flow_2_tuple = 2,
    /// By addresses and ports.
    cluster_per_flow_4_tuple = 3,
    /// By addresses, ports and protocol.
    cluster_per_flow_5_tuple = 4,
    /// TCP by addresses, ports and protocol; anything else by addresses.
    cluster_per_flow_tcp_5_tuple = 5,
    /// As cluster_per_flow, on the inner headers of a tunnel.
    cluster_per_inner_flow = 6,
    /// As cluster_per_flow_2_tuple, on the inner headers of a tunnel.
    cluster_per_inner_flow_2_tuple = 7,
    /// As cluster_per_flow_4_tuple, on the inner headers of a tunnel.
    cluster_per_inner_flow_4_tuple = 8,
    /// As cluster_per_flow_5_tuple, on the inner headers of a tunnel.
    cluster_per_inner_flow_5_tuple = 9,
    /// As cluster_per_flow_tcp_5_tuple, on the inner headers of a tunnel.
    cluster_per_inner_flow_tcp_5_tuple = 10,
    /// IP by addresses, ports and protocol; anything else by MAC addresses.
    cluster_per_flow_ip_5_tuple = 11,
    /// As cluster_per_flow_ip_5_tuple, on the inner headers of a tunnel.
    cluster_per_inner_flow_ip_5_tuple = 12,
    /// By source address and by destination address: a copy to each of the two rings if they
    /// differ.
    cluster_per_flow_ip_with_dup_tuple = 13,
}

c_enum! {
    cluster_type, ClusterTypeDecl {
        CLUSTER_PER_FLOW = cluster_per_flow,
        CLUSTER_ROUND_ROBIN = cluster_round_robin,
        CLUSTER_PER_FLOW_2_TUPLE = cluster_per_flow_2_tuple,
        CLUSTER_PER_FLOW_4_TUPLE = cluster_per_flow_4_tuple,
        CLUSTER_PER_FLOW_5_TUPLE = cluster_per_flow_5_tuple,
        CLUSTER_PER_FLOW_TCP_5_TUPLE = cluster_per_flow_tcp_5_tuple,
        CLUSTER_PER_INNER_FLOW = cluster_per_inner_flow,
        CLUSTER_PER_INNER_FLOW_2_TUPLE = cluster_per_inner_flow_2_tuple,
        CLUSTER_PER_INNER_FLOW_4_TUPLE = cluster_per_inner_flow_4_tuple,
        CLUSTER_PER_INNER_FLOW_5_TUPLE = cluster_per_inner_flow_5_tuple,
        CLUSTER_PER_INNER_FLOW_TCP_5_TUPLE = cluster_per_inner_flow_tcp_5_tuple,
        CLUSTER_PER_FLOW_IP_5_TUPLE = cluster_per_flow_ip_5_tuple,
        CLUSTER_PER_INNER_FLOW_IP_5_TUPLE = cluster_per_inner_flow_ip_5_tuple,
        CLUSTER_PER_FLOW_IP_WITH_DUP_TUPLE = cluster_per_flow_ip_with_dup_tuple,
    }
}

/// Role of a program in a cluster.
#[repr(C)]
pub enum ClusterClientTypeDecl {
    /// Reads packets.
    cluster_slave = 0,
    /// Spreads packets.
    cluster_master = 1,
}

c_enum! {
    cluster_client_type, ClusterClientTypeDecl {
        CLUSTER_SLAVE = cluster_slave,
        CLUSTER_MASTER = cluster_master,
    }
}

/// Argument of SO_ADD_TO_CLUSTER.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct add_to_cluster {
    /// Id of the cluster.
    pub cluster_id: u16,
    /// Queue to take; MAX_CLUSTER_QUEUES for the lowest free one.
    pub queue_id: u16,
    /// CLUSTER_OPTION_* bits.
    pub options: u32,
    /// How packets are spread.
    pub the_type: cluster_type,
}

/// Argument of SO_CREATE_CLUSTER_REFEREE. Unused here.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct create_cluster_referee_info {
    /// Id of the cluster.
    pub cluster_id: u32,
    /// 1 if the referee existed before.
    pub recovered: u32,
}

/// Argument of SO_PUBLISH_CLUSTER_OBJECT. Unused here.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct public_cluster_object_info {
    /// Id of the cluster.
    pub cluster_id: u32,
    /// Kind of object.
    pub object_type: u32,
    /// Id of the object.
    pub object_id: u32,
}

/// Argument of SO_LOCK_CLUSTER_OBJECT. Unused here.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct lock_cluster_object_info {
    /// Id of the cluster.
    pub cluster_id: u32,
    /// Kind of object.
    pub object_type: u32,
    /// Id of the object.
    pub object_id: u32,
    /// Which locks to take.
    pub lock_mask: u32,
    /// Unused.
    pub reserved: u32,
}

/// Kind of network device.
#[repr(C)]
pub enum PfringDeviceTypeDecl {
    /// Any.
    standard_nic_family = 0,
    /// Intel 82599.
    intel_82599_family = 1,
}

c_enum! {
    pfring_device_type, PfringDeviceTypeDecl {
        STANDARD_NIC_FAMILY = standard_nic_family,
        INTEL_82599_FAMILY = intel_82599_family,
    }
}

/// Names a device that filters in hardware. Unused here.
#[repr(C, packed)]
#[derive(Clone, Copy, Debug)]
pub struct virtual_filtering_device_info {
    /// Name of the device.
    pub device_name: [c_char; 16],
    /// Kind of device.
    pub device_type: pfring_device_type,
    /// Kernel side.
    pub proc_entry: *mut proc_dir_entry,
}
