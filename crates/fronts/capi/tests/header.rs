//! `cpp/kalah.h` is what cbindgen generates from the Rust sources.
//!
//! `UPDATE_HEADER=1 cargo test -p kalah-capi --test header` updates the file.

use std::path::Path;
use std::{env, fs};

#[test]
fn header_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let mut generated = Vec::new();
    cbindgen::Builder::new()
        .with_config(config)
        .with_src(root.join("src/lib.rs"))
        .generate()
        .unwrap()
        .write(&mut generated);
    let generated = String::from_utf8(generated).unwrap();

    let path = root.join("cpp/kalah.h");
    if env::var_os("UPDATE_HEADER").is_some() {
        fs::write(&path, generated).unwrap();
        return;
    }
    assert!(
        fs::read_to_string(&path).is_ok_and(|committed| committed == generated),
        "{} differs from the Rust sources; to update the header:\n\
         UPDATE_HEADER=1 cargo test -p kalah-capi --test header",
        path.display()
    );
}
