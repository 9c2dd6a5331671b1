//! The grammar of device names. Input: the name.

use std::fmt::Write;

use pfring::config::device::{
    DeviceSpec, MAX_NAME, MAX_VLAN, Module, Target, parse_bytes, without_channels,
};

pub fn run(data: &[u8]) {
    let Ok(spec) = parse_bytes(data) else { return };
    if let Target::Devices(devices) = &spec.target {
        assert!(!devices.is_empty());
    }
    for device in spec.devices() {
        let name = device.name.as_bytes();
        assert!((1..=MAX_NAME).contains(&name.len()));
        assert!(
            !name
                .iter()
                .any(|b| b.is_ascii_whitespace() || b"/()".contains(b))
        );
        assert!(device.vlan.is_none_or(|id| id <= MAX_VLAN));
    }
    assert!(data.ends_with(spec.text.as_encoded_bytes()));
    let again = parse_bytes(&written(&spec)).expect("our own form of a name parses");
    assert_eq!((&again.module, &again.target), (&spec.module, &spec.target));
    assert_eq!(again.channels, spec.channels);
    if !matches!(spec.module, Module::File(_)) {
        let bare = parse_bytes(without_channels(data)).expect("a name without its channels");
        assert_eq!((bare.module, bare.target), (spec.module, spec.target));
        assert_eq!(bare.channels, None);
    }
}

/// The name once more, in the form with the most quotes.
fn written(spec: &DeviceSpec) -> Vec<u8> {
    let mut text = match &spec.module {
        Module::Tap => "default:".to_owned(),
        Module::Exclusive(prefix) => (*prefix).to_owned(),
        Module::Stack => "stack:".to_owned(),
        Module::File(_) => {
            let name = spec.text.as_encoded_bytes();
            return [b"pcap:", name].concat();
        }
    };
    match &spec.target {
        Target::Any { vlan: None } => text += "any",
        Target::Any { vlan: Some(id) } => text += &format!("any.{id}"),
        Target::Unbound => text += "none",
        Target::Devices(devices) => {
            let names: Vec<String> = devices
                .iter()
                .map(|device| match device.vlan {
                    Some(id) => format!("({}).{id}", device.name),
                    None => format!("({})", device.name),
                })
                .collect();
            text += &names.join(",");
        }
    }
    if let Some(mask) = spec.channels {
        let channels: Vec<String> = (0..64u32)
            .filter(|n| mask >> n & 1 == 1)
            .map(|n| n.to_string())
            .collect();
        let _ = write!(text, "@{}", channels.join(","));
    }
    text.into_bytes()
}
