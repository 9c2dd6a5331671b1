//! Gives the shared library its soname. A plain build writes nothing into the source tree.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libpfring.so.8");
}
