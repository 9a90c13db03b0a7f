use std::io::Write;
use std::path::Path;
use std::time::Duration;

use indicatif::ProgressBar;
use kalah_tables::Table;

use super::quoted_path;
use crate::table_folder::is_table_file;
use crate::words::format_count;
use crate::{CliError, TableFolder, VerifyTableArguments};

pub(super) fn run(
    arguments: &VerifyTableArguments,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    if let Some(path) = &arguments.file {
        writeln!(output, "{}", verify(path, arguments)?)?;
        return Ok(());
    }
    let folder = TableFolder::new_existing(arguments.folder.dir.as_deref())?;
    // What is still being built cannot be wrong yet.
    let mut files = folder.files()?;
    files.retain(|path| is_table_file(path));
    if files.is_empty() {
        writeln!(output, "no tables in {}", quoted_path(folder.path()))?;
    }
    let all = files.len();
    let mut damaged = 0;
    for path in files {
        let line = verify(&path, arguments).or_else(|failure| {
            damaged += 1;
            failure.message().ok_or(failure)
        });
        writeln!(output, "{}", line?)?;
        // Each as soon as it is known: a large table takes its time.
        output.flush()?;
    }
    match damaged {
        0 => Ok(()),
        _ => Err(CliError::Runtime(format!(
            "{damaged} of {} cannot be trusted",
            format_count(u64::try_from(all).unwrap_or(u64::MAX), "table")
        ))),
    }
}

/// How often it is shown that the work goes on.
const TICK: Duration = Duration::from_millis(200);

/// What there is to say of a good table.
fn verify(path: &Path, arguments: &VerifyTableArguments) -> Result<String, CliError> {
    let table = Table::open(path)?;
    // On standard error if that is a terminal.
    let progress = ProgressBar::new_spinner();
    progress.enable_steady_tick(TICK);
    let file = quoted_path(path);
    progress.set_message(format!("{file}: all checksums"));
    let checked = table.verify_checksums().and_then(|()| {
        let random = format_count(arguments.entries, "random one");
        progress.set_message(format!("{file}: {random} derived anew"));
        table.verify_entries(arguments.entries, arguments.seed)
    });
    progress.finish_and_clear();
    match checked {
        Ok(()) => Ok(format!(
            "{}: {} as written; {} derived anew",
            file,
            format_count(
                Table::positions(table.variant(), table.seeds()).unwrap_or(0),
                "position"
            ),
            format_count(arguments.entries, "random one")
        )),
        Err(reason) => Err(CliError::Runtime(format!("{file}: {reason}"))),
    }
}
