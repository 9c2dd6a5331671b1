//! The grammar of device names: `module:name,name.vlan@channels`, parentheses quote any text.
//!
//! Follows what the original parser does with each form; where that is a fault (32-bit channel
//! masks) or silent (an empty name), the name is refused with a reason. Pure text: whether an
//! interface of that name exists is found out by whoever opens it.
#![forbid(unsafe_code)]

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::number;
use crate::error::{Error, Result};

/// The longest interface name in bytes (the kernel's IFNAMSIZ less its terminator).
pub const MAX_NAME: usize = 15;

/// Channels that a mask can name: 0 to 63.
pub const MAX_CHANNELS: u32 = 64;

/// The highest VLAN id that a frame can carry (IEEE 802.1Q: 4095 is reserved).
pub const MAX_VLAN: u16 = 4094;

/// Prefixes of the vendors' modules, none of which is part of this library.
const FOREIGN: [&str; 7] = [
    "sysdig:",
    "timeline:",
    "nt:",
    "fbcard:",
    "mlx:",
    "dag:",
    "multi:",
];

/// Which kind of source a name asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Module {
    /// A tap on interfaces: no prefix, or `default:`.
    Tap,
    /// `zc:` or `xdp:`, the prefix with its colon: packets are taken away from the host.
    Exclusive(&'static str),
    /// `pcap:FILE`: a capture file.
    File(PathBuf),
    /// `stack:`: the host's own traffic, and injection into the host.
    Stack,
}

/// One interface of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceName {
    /// The interface, 1 to 15 bytes.
    pub name: String,
    /// Only packets of this VLAN, 0 to 4094; None for all packets.
    pub vlan: Option<u16>,
}

/// What the ring is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// These interfaces, never an empty list; the first is the main one.
    Devices(Vec<DeviceName>),
    /// `any`: every interface, limited to a VLAN by `any.100`.
    Any {
        /// As [`DeviceName::vlan`].
        vlan: Option<u16>,
    },
    /// `none`, or a file: no interface.
    Unbound,
}

/// A device name, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceSpec {
    /// The kind of source.
    pub module: Module,
    /// The interfaces.
    pub target: Target,
    /// Bit n set = packets of receive queue n are wanted; None for all queues. `Some(0)` (`eth0@`)
    /// wants nothing.
    pub channels: Option<u64>,
    /// The text after the module's prefix, as given: the member `device_name`.
    pub text: OsString,
}

impl DeviceSpec {
    /// The interfaces in the order of the list; empty for `any`, `none` and files.
    pub fn devices(&self) -> &[DeviceName] {
        match &self.target {
            Target::Devices(devices) => devices,
            Target::Any { .. } | Target::Unbound => &[],
        }
    }
}

/// Takes a device name apart.
///
/// # Errors
///
/// [`Error::BadDeviceName`] with what is wrong; [`Error::NoSuchDevice`] for the prefix of a
/// vendor's module.
pub fn parse(text: &str) -> Result<DeviceSpec> {
    parse_bytes(text.as_bytes())
}

/// [`parse`] of a name that may not be UTF-8, which only a file name may be.
///
/// # Errors
///
/// As [`parse`].
pub fn parse_bytes(text: &[u8]) -> Result<DeviceSpec> {
    if let Some(file) = text.strip_prefix(b"pcap:") {
        return parse_file(file);
    }
    let text = std::str::from_utf8(text)
        .map_err(|_| Error::BadDeviceName("the device name is not UTF-8 text".into()))?;
    if FOREIGN.iter().any(|prefix| text.starts_with(prefix)) {
        return Err(Error::NoSuchDevice(format!(
            "{} (this module is not part of the library)",
            text.escape_debug()
        )));
    }
    let (module, text) = split_module(text);
    let (target, channels) = parse_interfaces(text)?;
    Ok(DeviceSpec {
        module,
        target,
        channels,
        text: text.into(),
    })
}

/// The name without its channels: what stands before the first `@` that is not quoted.
pub fn without_channels(text: &[u8]) -> &[u8] {
    let mut quoted = false;
    let end = text.iter().position(|byte| {
        quoted = (quoted || *byte == b'(') && *byte != b')';
        *byte == b'@' && !quoted
    });
    &text[..end.unwrap_or(text.len())]
}

fn parse_file(file: &[u8]) -> Result<DeviceSpec> {
    if file.is_empty() {
        return Err(bad("pcap:", "no file is named"));
    }
    let file = OsStr::from_bytes(file);
    Ok(DeviceSpec {
        module: Module::File(file.into()),
        target: Target::Unbound,
        channels: None,
        text: file.into(),
    })
}

fn split_module(text: &str) -> (Module, &str) {
    let modules = [
        ("default:", Module::Tap),
        ("stack:", Module::Stack),
        ("zc:", Module::Exclusive("zc:")),
        ("xdp:", Module::Exclusive("xdp:")),
    ];
    for (prefix, module) in modules {
        if let Some(rest) = text.strip_prefix(prefix) {
            return (module, rest);
        }
    }
    (Module::Tap, text)
}

fn parse_interfaces(text: &str) -> Result<(Target, Option<u64>)> {
    let glyphs = unquote(text)?;
    let (names, channels) = match glyphs.iter().position(|glyph| glyph.is('@')) {
        Some(at) => {
            let mask = parse_channels(&glyphs[at + 1..]).map_err(|why| bad(text, &why))?;
            (&glyphs[..at], Some(mask))
        }
        None => (&glyphs[..], None),
    };
    let mut devices = Vec::new();
    for item in names.split(|glyph| glyph.is(',')) {
        devices.push(parse_device(item).map_err(|why| bad(text, &why))?);
    }
    let target = match &devices[..] {
        [Item::Any(vlan)] => Target::Any { vlan: *vlan },
        [Item::None] if channels.is_none() => Target::Unbound,
        _ => Target::Devices(
            devices
                .into_iter()
                .map(|item| match item {
                    Item::Named(device) => Ok(device),
                    Item::Any(_) | Item::None => Err(bad(text, "any and none stand alone")),
                })
                .collect::<Result<_>>()?,
        ),
    };
    Ok((target, channels))
}

/// A character of the name, and whether parentheses took its special meaning away.
#[derive(Clone, Copy)]
struct Glyph {
    character: char,
    quoted: bool,
}

impl Glyph {
    fn is(self, separator: char) -> bool {
        !self.quoted && self.character == separator
    }
}

fn plain(glyphs: &[Glyph]) -> String {
    glyphs.iter().map(|glyph| glyph.character).collect()
}

fn is_word(glyphs: &[Glyph], word: &str) -> bool {
    glyphs.iter().all(|glyph| !glyph.quoted) && plain(glyphs) == word
}

fn unquote(text: &str) -> Result<Vec<Glyph>> {
    let mut glyphs = Vec::with_capacity(text.len());
    let mut quoted = false;
    for character in text.chars() {
        match (character, quoted) {
            ('(', false) => quoted = true,
            (')', true) => quoted = false,
            ('(' | ')', _) => return Err(bad(text, "parentheses do not pair up")),
            _ => glyphs.push(Glyph { character, quoted }),
        }
    }
    if quoted {
        return Err(bad(text, "parentheses do not pair up"));
    }
    Ok(glyphs)
}

/// One item of the list of interfaces.
enum Item {
    Named(DeviceName),
    Any(Option<u16>),
    None,
}

fn parse_device(glyphs: &[Glyph]) -> std::result::Result<Item, String> {
    let (base, vlan) = match glyphs.iter().position(|glyph| glyph.is('.')) {
        Some(dot) => (
            &glyphs[..dot],
            Some(parse_vlan(&plain(&glyphs[dot + 1..]))?),
        ),
        None => (glyphs, None),
    };
    if is_word(base, "any") {
        return Ok(Item::Any(vlan));
    }
    if is_word(glyphs, "none") {
        return Ok(Item::None);
    }
    let name = plain(base);
    if name.is_empty() {
        return Err("an interface name is empty".into());
    }
    if name.len() > MAX_NAME {
        return Err(format!(
            "an interface name has more than {MAX_NAME} characters"
        ));
    }
    // The kernel refuses these in an interface name (dev_valid_name in net/core/dev.c).
    if name.contains(|c: char| c.is_control() || c.is_ascii_whitespace() || c == '/') {
        return Err("an interface name has a blank, a slash or a control character".into());
    }
    Ok(Item::Named(DeviceName { name, vlan }))
}

fn parse_vlan(text: &str) -> std::result::Result<u16, String> {
    number(text)
        .and_then(|id| u16::try_from(id).ok())
        .filter(|id| *id <= MAX_VLAN)
        .ok_or_else(|| {
            format!("after the dot comes a VLAN id from 0 to {MAX_VLAN}; (name.x) is an interface")
        })
}

/// The mask of a list such as `1-3,5`; no text is no channel.
///
/// An item that does not begin like a number reads as channel 0, as in the original, where
/// `eth0@1,eth1` is the channels 1 and 0 of eth0.
fn parse_channels(glyphs: &[Glyph]) -> std::result::Result<u64, String> {
    if glyphs.is_empty() {
        return Ok(0);
    }
    let mut mask = 0;
    for item in glyphs.split(|glyph| glyph.is(',')) {
        let item = plain(item);
        let (first, last) = match item.split_once('-') {
            _ if item.starts_with(|c: char| !c.is_ascii_digit() && c != '-') => (Some(0), Some(0)),
            Some((first, last)) => (channel(first), channel(last)),
            None => (channel(&item), channel(&item)),
        };
        match (first, last) {
            (Some(first), Some(last)) if first <= last => {
                mask |= (u64::MAX >> (63 - (last - first))) << first;
            }
            _ => {
                return Err(format!(
                    "after @ come channels from 0 to {}, such as 1-3,5",
                    MAX_CHANNELS - 1
                ));
            }
        }
    }
    Ok(mask)
}

fn channel(text: &str) -> Option<u32> {
    number(text).filter(|channel| *channel < MAX_CHANNELS)
}

fn bad(text: &str, why: &str) -> Error {
    Error::BadDeviceName(format!("\"{}\": {why}", text.escape_debug()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Interfaces with their VLANs.
    type List<'a> = &'a [(&'a str, Option<u16>)];

    fn named(list: List) -> Target {
        Target::Devices(
            list.iter()
                .map(|&(name, vlan)| DeviceName {
                    name: name.into(),
                    vlan,
                })
                .collect(),
        )
    }

    #[test]
    fn names_and_vlans() {
        let rows: [(&str, List); 14] = [
            ("eth0", &[("eth0", None)]),
            ("eth0,eth1", &[("eth0", None), ("eth1", None)]),
            ("eth0.100", &[("eth0", Some(100))]),
            ("eth0.0", &[("eth0", Some(0))]),
            ("eth0.4094", &[("eth0", Some(4094))]),
            ("(eth0.100)", &[("eth0.100", None)]),
            ("a(b.c)d", &[("ab.cd", None)]),
            ("(a,b@c).7", &[("a,b@c", Some(7))]),
            ("(any)", &[("any", None)]),
            ("(none)", &[("none", None)]),
            ("anyway", &[("anyway", None)]),
            ("eth0;eth1", &[("eth0;eth1", None)]),
            ("eth0:1", &[("eth0:1", None)]),
            ("abcdefghijklmno", &[("abcdefghijklmno", None)]),
        ];
        for (text, devices) in rows {
            let spec = parse(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
            assert_eq!(spec.module, Module::Tap, "{text}");
            assert_eq!(spec.target, named(devices), "{text}");
            assert_eq!(spec.channels, None, "{text}");
        }
    }

    #[test]
    fn channel_lists() {
        let rows: [(&str, List, u64); 13] = [
            ("eth0@1", &[("eth0", None)], 0x2),
            ("eth0@1-3,5", &[("eth0", None)], 0x2e),
            ("eth0,eth1@1", &[("eth0", None), ("eth1", None)], 0x2),
            ("eth0@1,eth1", &[("eth0", None)], 0x3),
            ("eth0@all", &[("eth0", None)], 0x1),
            ("eth0@", &[("eth0", None)], 0),
            ("eth0@0", &[("eth0", None)], 1),
            ("eth0@31", &[("eth0", None)], 1 << 31),
            ("eth0@32", &[("eth0", None)], 1 << 32),
            ("eth0@63", &[("eth0", None)], 1 << 63),
            ("eth0@0-63", &[("eth0", None)], u64::MAX),
            ("eth0@2-2,2", &[("eth0", None)], 4),
            (
                "(eth0.100),eth1.5@2",
                &[("eth0.100", None), ("eth1", Some(5))],
                4,
            ),
        ];
        for (text, devices, mask) in rows {
            let spec = parse(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
            assert_eq!(spec.target, named(devices), "{text}");
            assert_eq!(spec.channels, Some(mask), "{text}");
        }
    }

    #[test]
    fn names_without_channels() {
        let rows: [(&str, &str); 6] = [
            ("eth0", "eth0"),
            ("zc:eth0@1", "zc:eth0"),
            ("eth0@1,eth1@2", "eth0"),
            ("(a@b)", "(a@b)"),
            ("(a@b)c@3", "(a@b)c"),
            ("@", ""),
        ];
        for (text, base) in rows {
            assert_eq!(without_channels(text.as_bytes()), base.as_bytes(), "{text}");
        }
    }

    #[test]
    fn modules_any_and_none() {
        let zc = Module::Exclusive("zc:");
        let eth0 = || named(&[("eth0", None)]);
        let any = |vlan| Target::Any { vlan };
        let rows = [
            ("default:eth0", Module::Tap, eth0(), None),
            ("default:none", Module::Tap, Target::Unbound, None),
            ("stack:eth0", Module::Stack, eth0(), None),
            ("zc:eth0", zc.clone(), eth0(), None),
            ("zc:eth0@4", zc, eth0(), Some(16)),
            ("xdp:eth0@0", Module::Exclusive("xdp:"), eth0(), Some(1)),
            ("any", Module::Tap, any(None), None),
            ("any.100@1", Module::Tap, any(Some(100)), Some(2)),
            ("none", Module::Tap, Target::Unbound, None),
        ];
        for (text, module, target, channels) in rows {
            let spec = parse(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
            assert_eq!(
                (spec.module, spec.target, spec.channels),
                (module, target, channels),
                "{text}"
            );
        }
    }

    #[test]
    fn malformed_names_say_what_is_wrong() {
        let rows = [
            ("", "empty"),
            ("zc:", "empty"),
            ("default:", "empty"),
            ("pcap:", "no file"),
            ("@1", "empty"),
            (".5", "empty"),
            ("()", "empty"),
            ("eth0,", "empty"),
            (",eth0", "empty"),
            ("eth0,,eth1", "empty"),
            ("abcdefghijklmnop", "more than 15"),
            ("(abcdefghijklmn.5)", "more than 15"),
            ("eth0\n", "control"),
            ("eth\x7f", "control"),
            ("eth0, eth1", "blank"),
            ("../eth0", "VLAN"),
            ("(../eth0)", "slash"),
            ("eth0.x", "VLAN"),
            ("eth0.", "VLAN"),
            ("eth0.-1", "VLAN"),
            ("eth0.4095", "VLAN"),
            ("eth0.99999999999", "VLAN"),
            ("eth0.1.2", "VLAN"),
            ("eth0@64", "channels"),
            ("eth0@1-64", "channels"),
            ("eth0@3-1", "channels"),
            ("eth0@1-", "channels"),
            ("eth0@-1", "channels"),
            ("eth0@1-2-3", "channels"),
            ("eth0@1x", "channels"),
            ("eth0@1@2", "channels"),
            ("eth0@1,", "channels"),
            ("eth0@,1", "channels"),
            ("eth0@4294967296", "channels"),
            ("(eth0", "parentheses"),
            ("eth0)", "parentheses"),
            ("((eth0))", "parentheses"),
            ("any,eth0", "alone"),
            ("eth0,none", "alone"),
            ("none@1", "alone"),
            ("none,none", "alone"),
        ];
        for (text, why) in rows {
            match parse(text) {
                Err(Error::BadDeviceName(message)) => {
                    assert!(message.contains(why), "{text:?}: {message}");
                    assert!(!message.contains(char::is_control), "{text:?}: {message}");
                }
                other => panic!("{text:?}: {other:?}"),
            }
        }
    }

    #[test]
    fn modules_of_vendors_are_unknown_devices() {
        for text in [
            "sysdig:",
            "timeline:/storage/n2disk/eth1",
            "nt:0",
            "fbcard:0:a:0",
            "mlx:mlx5_0",
            "dag:/dev/dag0",
            "multi:eth0;eth1",
        ] {
            assert!(
                matches!(parse(text), Err(Error::NoSuchDevice(name)) if name.starts_with(text)),
                "{text}"
            );
        }
    }

    #[test]
    fn a_file_name_is_taken_as_it_is() {
        let odd: &[u8] = b"pcap:/data/a (1),b@2.5 \xff.pcap";
        let spec = parse_bytes(odd).unwrap();
        let file = OsStr::from_bytes(&odd[5..]);
        assert_eq!(spec.module, Module::File(file.into()));
        assert_eq!(spec.target, Target::Unbound);
        assert_eq!(spec.text, file);
        assert!(spec.devices().is_empty());
    }

    #[test]
    fn only_file_names_may_leave_utf8() {
        assert!(matches!(
            parse_bytes(b"eth\xff"),
            Err(Error::BadDeviceName(_))
        ));
    }

    #[test]
    fn the_text_is_what_follows_the_prefix() {
        for (given, text) in [
            ("eth0@1", "eth0@1"),
            ("zc:eth0.7", "eth0.7"),
            ("stack:(a.b)", "(a.b)"),
        ] {
            assert_eq!(parse(given).unwrap().text, OsStr::new(text));
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics_and_no_name_is_too_long(text in ".*") {
            if let Ok(spec) = parse(&text) {
                for device in spec.devices() {
                    proptest::prop_assert!((1..=MAX_NAME).contains(&device.name.len()));
                    proptest::prop_assert!(device.vlan.is_none_or(|id| id <= MAX_VLAN));
                }
            }
        }

        #[test]
        fn channel_lists_give_the_mask_of_their_members(
            ranges in proptest::collection::vec((0u32..64, 0u32..64), 1..6)
        ) {
            let mut mask = 0u64;
            let mut items = Vec::new();
            for (a, b) in ranges {
                let (first, last) = (a.min(b), a.max(b));
                items.push(format!("{first}-{last}"));
                for channel in first..=last {
                    mask |= 1 << channel;
                }
            }
            let spec = parse(&format!("eth0@{}", items.join(","))).unwrap();
            proptest::prop_assert_eq!(spec.channels, Some(mask));
        }
    }
}
