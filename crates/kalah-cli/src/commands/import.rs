use std::io::{self, Write};
use std::path::Path;

use kalah::record::Record;
use kalah_players::{display_path, escape_control};
use kalah_protocols::import::{ImportFormat, import};

use super::print_stderr;
use crate::{CliError, ImportArguments, record_file, text_file};

/// The name of standard input.
const STDIN: &str = "-";

/// Errors that are told; whoever has more of them knows by then.
const MAX_ERRORS_SHOWN: usize = 20;

pub(super) fn run(arguments: &ImportArguments, output: &mut dyn Write) -> Result<(), CliError> {
    let path = &arguments.file;
    let text = if path == Path::new(STDIN) {
        text_file::read_from(path, io::stdin().lock())?
    } else {
        text_file::read(path)?
    };
    let name = display_path(path);
    let form = arguments.from.or_else(|| ImportFormat::detect(&text));
    let form = form.ok_or_else(|| {
        let words = "cannot be told to be of one form: say which one with --from";
        CliError::Usage(format!("'{name}' {words} kgp, mankalah or openspiel"))
    })?;
    let imported = import(&text, form, arguments.rules);
    write(&imported.records, arguments.out.as_deref(), output)?;
    for error in imported.errors.iter().take(MAX_ERRORS_SHOWN) {
        print_stderr(&format!("'{name}', {}", escape_control(&error.to_string())));
    }
    let (games, errors) = (imported.records.len(), imported.errors.len());
    if errors > 0 {
        let words = format!("not all of '{name}' is imported; games: {games}, errors: {errors}");
        return Err(CliError::Runtime(words));
    }
    if games == 0 {
        return Err(CliError::Runtime(format!(
            "'{name}' has no games of {form}"
        )));
    }
    if arguments.out.is_some() {
        print_stderr(&format!("games imported: {games}"));
    }
    Ok(())
}

/// Writes the records behind those that a file holds, or to the output.
fn write(records: &[Record], file: Option<&Path>, output: &mut dyn Write) -> Result<(), CliError> {
    let mut text = match file {
        Some(path) if text_file::exists(path)? => text_file::read(path)?,
        _ => String::new(),
    };
    if let Some(path) = file {
        record_file::parse(path, &text)?;
    }
    for record in records {
        while !text.is_empty() && !text.ends_with("\n\n") {
            text.push('\n');
        }
        text.push_str(&record.to_string());
    }
    match file {
        Some(_) if records.is_empty() => {}
        Some(path) => text_file::replace(path, &text)?,
        None => output.write_all(text.as_bytes())?,
    }
    Ok(())
}
