//! Names of files that contain a hash of the content.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// The number of hexadecimal digits in a name: 64 bits, so that two versions of a file have
/// different names.
const DIGITS: usize = 16;

/// Returns the SHA-256 of a content in hexadecimal digits.
pub(crate) fn sha256(content: &[u8]) -> String {
    Sha256::digest(content)
        .iter()
        .fold(String::new(), |mut text, byte| {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// Returns the name of a file with the hash of its content: `app-0123456789abcdef.js` for `app.js`.
pub(crate) fn hashed_file_name(name: &str, content: &[u8]) -> String {
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let hash = &sha256(content)[..DIGITS];
    format!("{stem}-{hash}.{extension}")
}

/// Returns the name of a folder with the hash of its files, which have these names and contents.
pub(crate) fn hashed_folder_name<'a>(
    name: &str,
    files: impl IntoIterator<Item = (&'a String, &'a Vec<u8>)>,
) -> String {
    let list = files.into_iter().fold(String::new(), |list, (path, file)| {
        list + path + " " + &sha256(file) + "\n"
    });
    let hash = &sha256(list.as_bytes())[..DIGITS];
    format!("{name}-{hash}")
}

/// Returns whether the first part of a path contains a hash of the content, such as
/// `app-0123456789abcdef.js` or a file in a folder `engine-0123456789abcdef`.
pub fn has_hashed_name(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or_default();
    let stem = first.split_once('.').map_or(first, |(stem, _)| stem);
    stem.rsplit_once('-').is_some_and(|(_, hash)| {
        hash.len() == DIGITS
            && hash
                .bytes()
                .all(|digit| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_has_the_hash_of_the_content() {
        assert_eq!(
            hashed_file_name("app.js", b"abc"),
            "app-ba7816bf8f01cfea.js"
        );
        let folder = |content: &[u8]| {
            let files = [("worker.js".to_owned(), content.to_vec())];
            hashed_folder_name("engine", files.iter().map(|(path, file)| (path, file)))
        };
        assert!(has_hashed_name(&folder(b"abc")));
        assert_ne!(folder(b"abc"), folder(b"abd"));
    }

    #[test]
    fn only_the_first_part_of_a_path_has_a_hash() {
        for path in [
            "app-0123456789abcdef.js",
            "icon-192-0123456789abcdef.png",
            "engine-0123456789abcdef/wasm/kalah_wasm_bg.wasm",
        ] {
            assert!(has_hashed_name(path), "{path}");
        }
        for path in [
            "",
            "index.html",
            "app-0123456789abcde.js",
            "app-0123456789ABCDEF.js",
            "app-0123456789abcdefg.js",
            "icon-192.png",
            "api/v1/games/x-0123456789abcdef",
        ] {
            assert!(!has_hashed_name(path), "{path}");
        }
    }
}
