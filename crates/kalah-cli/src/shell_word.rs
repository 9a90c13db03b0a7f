use kalah_players::escape_control;
use std::path::Path;

/// A path as a shell takes it for one word, whatever is in it.
///
/// What cannot be seen, or is no text, is written in octal: `$'\033'`.
pub(crate) fn shell_quote(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    match str::from_utf8(bytes) {
        Ok(text) if escape_control(text) == text => format!("'{}'", text.replace('\'', r"'\''")),
        _ => format!(
            "$'{}'",
            bytes.iter().copied().map(escape_byte).collect::<String>()
        ),
    }
}

/// A byte between `$'` and `'`.
fn escape_byte(byte: u8) -> String {
    match byte {
        b'\'' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\{byte:03o}"),
    }
}

/// The option `--resume` for `path`, which is no option itself even where it begins with a dash.
pub(crate) fn resume_option(path: &Path) -> String {
    let dashed = path.as_os_str().as_encoded_bytes().starts_with(b"-");
    let between = if dashed { '=' } else { ' ' };
    format!("--resume{between}{}", shell_quote(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_as_a_shell_needs_it() {
        let long = "long/".repeat(40);
        for (name, option) in [
            ("game.kgn", "--resume 'game.kgn'".to_owned()),
            ("so far $x.kgn", "--resume 'so far $x.kgn'".to_owned()),
            ("Bob's", r"--resume 'Bob'\''s'".to_owned()),
            ("-x.kgn", "--resume='-x.kgn'".to_owned()),
            ("a\n'b\\é", r"--resume $'a\012\'b\\\303\251'".to_owned()),
            (&*long, format!("--resume '{long}'")),
        ] {
            assert_eq!(resume_option(Path::new(name)), option);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_back_the_name() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt as _;
        use std::process::Command;

        for name in [&b"Bob's $HOME `x` \\n \"y\" !"[..], b"-", b"it is\xc3\xa9"] {
            let word = shell_quote(Path::new(OsStr::from_bytes(name)));
            let script = format!("printf %s {word}");
            let output = Command::new("sh").args(["-c", &script]).output();
            assert_eq!(output.expect("a shell").stdout, name, "{word}");
        }
    }
}
