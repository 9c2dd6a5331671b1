//! The Rust side of the golden tables in `abi/`: every public type with its members, every
//! enumerator, every constant, as the compiler lays them out (the names stand in `names`). The tables
//! are read here too. The test package of the headers shares this file.

use std::collections::BTreeMap;
use std::fs;
use std::mem::offset_of;
use std::path::Path;

use ::pfring::abi::{IpAddrDecl, in6_addr, ip_addr};

/// Two numbers of a type or member: size and alignment, or offset and size.
pub type Place = (usize, usize);

/// What the Rust types say. Names are C's, without `struct`.
#[derive(Default)]
pub struct Table {
    /// Type to size and alignment.
    pub types: BTreeMap<String, Place>,
    /// `type.member` to offset and size.
    members: BTreeMap<String, Place>,
    /// `enumeration.enumerator` to value.
    pub values: BTreeMap<String, i128>,
    /// Constant to value.
    pub constants: BTreeMap<String, i128>,
}

/// The members of C's `ip_addr`, which in Rust is four words with accessors.
const IP_ADDR: [(&str, Place); 2] = [
    (".v6", (offset_of!(IpAddrDecl, v6), size_of::<in6_addr>())),
    (".v4", (offset_of!(IpAddrDecl, v4), size_of::<u32>())),
];

impl Table {
    /// Offset and size of `type.member`.
    pub fn member(&self, key: &str) -> Option<Place> {
        if let Some(place) = self.members.get(key) {
            return Some(*place);
        }
        let (outer, inner) = IP_ADDR
            .iter()
            .find_map(|(suffix, place)| Some((key.strip_suffix(suffix)?, place)))?;
        let offset = match outer {
            "ip_addr" => 0,
            _ => {
                let (offset, size) = *self.members.get(outer)?;
                if size != size_of::<ip_addr>() {
                    return None;
                }
                offset
            }
        };
        Some((offset + inner.0, inner.1))
    }

    /// Every name but the constants', as the tables have it; members of `ip_addr` are left out.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.types
            .keys()
            .chain(self.members.keys())
            .chain(self.values.keys())
    }

    fn add_type<T>(&mut self, name: &str) {
        self.types
            .insert(name.to_owned(), (size_of::<T>(), align_of::<T>()));
    }

    fn add_member(&mut self, name: &str, member: &str, place: Place) {
        let member = member.replace("r#", "").replace(' ', "");
        self.members.insert(format!("{name}.{member}"), place);
    }
}

fn size_behind<T>(_: *const T) -> usize {
    size_of::<T>()
}

macro_rules! layout {
    ($table:ident; $($name:ident { $($($member:ident).+),* $(,)? })*) => {$({
        $table.add_type::<$name>(stringify!($name));
        let value = MaybeUninit::<$name>::uninit();
        let value = value.as_ptr();
        $(
            // SAFETY: the place is named, not read, and lies inside `value`.
            let size = size_behind(unsafe { &raw const (*value).$($member).+ });
            let place = (offset_of!($name, $($member).+), size);
            $table.add_member(stringify!($name), stringify!($($member).+), place);
        )*
    })*};
}

macro_rules! enums {
    ($table:ident; $($name:ident),* $(,)?) => {$(
        $table.add_type::<$name>(stringify!($name));
        for (enumerator, value) in $name::ENUMERATORS {
            let key = format!("{}.{enumerator}", stringify!($name));
            $table.values.insert(key, value.0.into());
        }
    )*};
}

macro_rules! constants {
    ($table:ident; $($name:ident),* $(,)?) => {
        $($table.constants.insert(stringify!($name).to_owned(), $name as i128);)*
    };
}

mod names;

/// What the Rust types say.
pub fn rust() -> Table {
    let mut table = Table::default();
    table.add_type::<ip_addr>("ip_addr");
    names::add_header_types(&mut table);
    names::add_rule_types(&mut table);
    names::add_kernel_types(&mut table);
    names::add_ring_types(&mut table);
    names::add_enums(&mut table);
    names::add_constants(&mut table);
    table
}

/// The rows of a golden table, cut into columns. `root` is the top folder of the project.
pub fn golden(root: &Path, file: &str) -> Vec<Vec<String>> {
    let path = root.join("abi").join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect()
}
