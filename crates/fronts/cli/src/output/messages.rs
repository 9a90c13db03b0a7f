//! Messages, lines of JSON, and the form of paths in them.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use console::Term;
use kalah::Position;
use kalah_players::escape_control;
use kalah_text::opening_note;
use serde::Serialize;

use crate::version::VERSION;

/// Prints a line on standard error.
pub(crate) fn print_stderr(line: &str) {
    // An error on standard error cannot be reported anywhere.
    let _ = writeln!(anstream::stderr(), "{line}");
}

/// Prints an error on standard error. A terminal breaks no word of it.
pub(crate) fn print_error(message: &str) {
    print_stderr(&wrap_stderr(&format!("error: {message}")));
}

/// Wraps a message between words, if standard error is a terminal.
fn wrap_stderr(text: &str) -> String {
    if io::stderr().is_terminal() {
        textwrap::fill(text, usize::from(Term::stderr().size().1))
    } else {
        text.to_owned()
    }
}

/// The maximum number of errors of one command that are printed.
const MAX_ERRORS_SHOWN: usize = 20;

/// Prints the errors in the input of a command that handles the other parts of it, on standard
/// error. Control characters are escaped.
pub(crate) fn print_errors(errors: &[String]) {
    for error in errors.iter().take(MAX_ERRORS_SHOWN) {
        print_error(&escape_control(error));
    }
    let hidden = errors.len().saturating_sub(MAX_ERRORS_SHOWN);
    if hidden > 0 {
        print_stderr(&format!("error: and {hidden} more"));
    }
}

/// Returns the width of the output if it is a terminal.
pub(crate) fn output_width() -> Option<usize> {
    let is_terminal = io::stdout().is_terminal();
    is_terminal.then(|| usize::from(Term::stdout().size().1))
}

/// Wraps a paragraph of the output between words, if that is a terminal, which would break words.
pub(crate) fn wrap_output(text: &str) -> String {
    match output_width() {
        Some(width) => textwrap::fill(text, width),
        None => text.to_owned(),
    }
}

/// Wraps a row of the output between words, if that is a terminal. The further lines of the row are
/// indented by `indent` columns.
pub(crate) fn wrap_output_row(row: &str, indent: usize) -> String {
    let Some(width) = output_width() else {
        return row.to_owned();
    };
    let indent = " ".repeat(indent);
    let options = textwrap::Options::new(width);
    textwrap::fill(row, options.subsequent_indent(&indent))
}

/// The warnings since the screen of a terminal opened; `None` if none is open.
static DEFERRED_WARNINGS: Mutex<Option<Vec<String>>> = Mutex::new(None);

/// Defers all warnings until it is dropped, because lines on standard error would destroy a screen.
pub(crate) struct DeferredWarnings(());

impl DeferredWarnings {
    pub(crate) fn begin() -> Self {
        deferred_warnings().get_or_insert_default();
        Self(())
    }
}

impl Drop for DeferredWarnings {
    fn drop(&mut self) {
        let warnings = deferred_warnings().take();
        for warning in warnings.unwrap_or_default() {
            print_stderr(&wrap_stderr(&warning));
        }
    }
}

fn deferred_warnings() -> MutexGuard<'static, Option<Vec<String>>> {
    (DEFERRED_WARNINGS.lock()).unwrap_or_else(PoisonError::into_inner)
}

/// Prints a warning on standard error.
pub(crate) fn print_warning(message: &str) {
    let line = format!("warning: {message}");
    match &mut *deferred_warnings() {
        Some(warnings) => warnings.push(line),
        None => print_stderr(&wrap_stderr(&line)),
    }
}

/// Writes `value` as one line of JSON.
pub(crate) fn write_json(output: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *output, value)?;
    writeln!(output)
}

/// The JSON of a value with the version of the program that has computed it.
#[derive(Serialize)]
struct ProgramJson<T> {
    #[serde(flatten)]
    value: T,
    program: &'static str,
}

/// Writes `value`, an object, as one line of JSON with the key `program`.
pub(crate) fn write_program_json(output: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let program = VERSION;
    write_json(output, &ProgramJson { value, program })
}

/// The JSON of a value about a position.
#[derive(Serialize)]
pub(crate) struct PositionJson<T> {
    #[serde(flatten)]
    pub(crate) value: T,
    /// Whether the position comes after the first plies, for which its rules differ.
    after_opening: bool,
    /// The version of this program.
    pub(crate) program: &'static str,
}

impl<T> PositionJson<T> {
    /// Returns the JSON of `value`, an object about `position`.
    pub(crate) fn new(position: &Position, value: T) -> Self {
        Self {
            value,
            after_opening: opening_note(position).is_some(),
            program: VERSION,
        }
    }
}

/// Writes `value`, an object about `position`, as one line of JSON with the keys `after_opening`
/// and `program`.
pub(crate) fn write_position_json(
    output: &mut dyn Write,
    position: &Position,
    value: &impl Serialize,
) -> io::Result<()> {
    write_json(output, &PositionJson::new(position, value))
}

/// Returns `path` as one word of a shell command.
///
/// A path with control characters, or one that is not valid UTF-8, is written in the form `$'\033'`
/// with octal bytes, because a terminal would act on the characters themselves.
fn shell_quote(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    match str::from_utf8(bytes) {
        Ok(text) if escape_control(text) == text => {
            // shlex refuses only NUL, which is a control character.
            shlex::try_quote(text).map_or_else(|_| octal_quote(bytes), Cow::into_owned)
        }
        _ => octal_quote(bytes),
    }
}

fn octal_quote(bytes: &[u8]) -> String {
    let escaped: String = bytes
        .iter()
        .map(|&byte| match byte {
            b'\'' | b'\\' => format!("\\{}", char::from(byte)),
            b' '..=b'~' => char::from(byte).to_string(),
            _ => format!("\\{byte:03o}"),
        })
        .collect();
    format!("$'{escaped}'")
}

/// Returns the option `name` with `path`, for a shell. A path that begins with a dash follows `=`,
/// because a separate word would be read as an option.
pub(crate) fn path_option(name: &str, path: &Path) -> String {
    let has_dash = path.as_os_str().as_encoded_bytes().starts_with(b"-");
    let separator = if has_dash { '=' } else { ' ' };
    format!("{name}{separator}{}", shell_quote(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_option_quotes_paths_for_a_shell() {
        let long = "long/".repeat(40);
        for (path, option) in [
            ("game.kgn", "--resume game.kgn".to_owned()),
            ("so far $x.kgn", "--resume 'so far $x.kgn'".to_owned()),
            ("Bob's", "--resume \"Bob's\"".to_owned()),
            ("-x.kgn", "--resume=-x.kgn".to_owned()),
            ("a\n'b\\é", r"--resume $'a\012\'b\\\303\251'".to_owned()),
            (&*long, format!("--resume {long}")),
        ] {
            assert_eq!(path_option("--resume", Path::new(path)), option);
        }
    }

    #[cfg(unix)]
    #[test]
    fn shell_reads_a_quoted_path_back() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt as _;
        use std::process::Command;

        for path in [
            &b"Bob's $HOME `x` \\n \"y\" !"[..],
            b"-",
            b"it is\xc3\xa9",
            b"",
        ] {
            let word = shell_quote(Path::new(OsStr::from_bytes(path)));
            let script = format!("printf %s {word}");
            let output = Command::new("sh").args(["-c", &script]).output();
            assert_eq!(output.expect("a shell").stdout, path, "{word}");
        }
    }
}
