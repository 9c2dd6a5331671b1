//! C's view of the data: every public type and constant of `linux/pf_ring.h` and `pfring.h`,
//! version 8.9.0, with the names and layouts that C programs were compiled with.
//!
//! Nothing here does anything. The C headers in `include/` are generated from these files; the
//! golden tables in `abi/` hold both to upstream's layout.

#![allow(non_camel_case_types)]

/// Makes the Rust side of a C enumeration: an integer that may hold any value that C hands in,
/// with a named value for each enumerator.
///
/// cbindgen does not look into macros. What it exports, under the C name, is the never-constructed
/// Rust enum that the values are taken from.
macro_rules! c_enum {
    ($name:ident, $decl:ident { $($konst:ident = $variant:ident,)+ }) => {
        #[doc = concat!("C's `", stringify!($name), "`: any value until checked. See [`", stringify!($decl), "`].")]
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub u32);

        impl $name {
            $(
                #[doc = concat!("`", stringify!($variant), "`.")]
                pub const $konst: Self = Self($decl::$variant as u32);
            )+

            /// Every enumerator: its name in C, and its value.
            pub const ENUMERATORS: &[(&str, Self)] = &[
                $((stringify!($variant), Self::$konst),)+
            ];
        }
    };
}

/// Gives types made of integers and pointers their all-zero value.
macro_rules! zeroed {
    ($($name:ident),+ $(,)?) => {$(
        impl $name {
            /// The value whose bytes are all zero.
            pub const fn zeroed() -> Self {
                // SAFETY: every field is an integer, an array of integers, a raw pointer, an
                // optional function pointer, or made of these; all-zero is a value of each.
                unsafe { std::mem::zeroed() }
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::zeroed()
            }
        }
    )+};
}

pub mod pf_ring_h;
pub mod pfring_h;
pub mod pfring_wait_h;

pub use pf_ring_h::*;
pub use pfring_h::*;
pub use pfring_wait_h::*;
