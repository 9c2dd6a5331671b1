//! Writes the C headers into `include/`.

use std::fs;
use std::io;

fn main() -> io::Result<()> {
    let include = pfring_headers::root().join("include");
    for (header, text) in pfring_headers::generate() {
        let path = include.join(header);
        fs::create_dir_all(path.parent().expect("a header lies in a folder"))?;
        fs::write(path, text)?;
    }
    Ok(())
}
