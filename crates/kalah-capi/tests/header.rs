//! `cpp/kalah.h` says what the Rust sources say.
//!
//! `UPDATE_HEADER=1 cargo test -p kalah-capi --test header` writes it anew.

use std::path::Path;
use std::{env, fs};

#[test]
fn the_header_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let mut made = Vec::new();
    cbindgen::Builder::new()
        .with_config(config)
        .with_src(root.join("src/lib.rs"))
        .generate()
        .unwrap()
        .write(&mut made);
    let made = String::from_utf8(made).unwrap();

    let path = root.join("cpp/kalah.h");
    if env::var_os("UPDATE_HEADER").is_some() {
        fs::write(&path, made).unwrap();
        return;
    }
    assert!(
        fs::read_to_string(&path).is_ok_and(|committed| committed == made),
        "{} is not what the Rust sources say; to write it anew:\n\
         UPDATE_HEADER=1 cargo test -p kalah-capi --test header",
        path.display()
    );
}
