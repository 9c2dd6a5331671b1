//! libFuzzer on the target that PFRING_FUZZ names.
#![no_main]

use std::sync::LazyLock;

static RUN: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("PFRING_FUZZ").unwrap_or_default();
    pfring_fuzz::target(&name).unwrap_or_else(|| panic!("PFRING_FUZZ={name:?} is no target"))
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| RUN(data));
