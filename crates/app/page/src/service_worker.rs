//! The service worker of a page: `web/site/sw.js` after constants about the page's files.

use std::fmt::Write as _;

use crate::hashed_name::sha256;
use crate::published_page::Files;

/// Returns the service worker that stores these files. `needs_server` is whether the page uses the
/// engine of a server.
pub(crate) fn service_worker(script: &[u8], files: &Files, needs_server: bool) -> Vec<u8> {
    let mut list = String::from("const FILES = {\n");
    for (path, content) in files {
        // Writing to a `String` cannot fail.
        let _ = writeln!(list, "  {path:?}: {:?},", sha256(content));
    }
    list.push_str("};\n");
    let version = sha256(list.as_bytes());
    let _ = writeln!(list, "const VERSION = {version:?};");
    let _ = writeln!(list, "const NEEDS_SERVER = {needs_server};\n");
    [list.as_bytes(), script].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn service_worker_has_the_hash_of_each_file() {
        let worker = |content: &[u8]| {
            let files = Files::from([("a.js".to_owned(), content.to_vec())]);
            String::from_utf8(service_worker(b"run();", &files, true)).unwrap()
        };
        let text = worker(b"abc");
        assert!(text.starts_with(
            "const FILES = {\n  \"a.js\": \
             \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\",\n};\n\
             const VERSION = "
        ));
        assert!(text.ends_with("const NEEDS_SERVER = true;\n\nrun();"));
        assert_ne!(text, worker(b"abd"));
    }
}
