use std::fs;
use std::io::Write;
use std::path::Path;

use kalah_players::escape_control;
use kalah_tables::{BuildError, BuildFileError, Header, Table};

use super::{BuildMonitor, quoted_path, room};
use crate::words::format_count;
use crate::{BuildTableArguments, CliError, TableFolder};

pub(super) fn run(arguments: &BuildTableArguments, output: &mut dyn Write) -> Result<(), CliError> {
    let (variant, seeds) = (arguments.table.variant(), arguments.table.seeds);
    let threads = arguments.table.threads();
    let positions =
        Table::positions(variant, seeds).map_err(|reason| CliError::Usage(reason.to_string()))?;
    let folder = TableFolder::new(arguments.folder.dir.as_deref())?;
    let path = folder.path().join(variant.file_name(seeds));
    if fs::symlink_metadata(&path).is_ok() {
        return report_existing(&path, output);
    }
    room::check_memory(positions)?;
    fs::create_dir_all(folder.path()).map_err(|reason| {
        let folder = quoted_path(folder.path());
        CliError::Runtime(format!("cannot make the folder {folder}: {reason}"))
    })?;
    let there = fs::metadata(Table::part_path(&path)).map_or(0, |part| part.len());
    let needed = positions.saturating_add(Header::BYTES);
    room::check_disk_space(folder.path(), needed.saturating_sub(there))?;

    let mut watch = BuildMonitor::new(seeds, positions);
    let built = Table::build_file(&path, variant, seeds, threads, &mut |step| {
        watch.update(step)
    });
    watch.finish();
    match built {
        Ok(_) => {
            let (computed, wrote) = (watch.summary(), watch.write_summary());
            writeln!(
                output,
                "{} is complete: {computed}, {wrote}",
                quoted_path(&path)
            )?;
            Ok(())
        }
        Err(BuildFileError::Build(BuildError::Cancelled)) => Err(CliError::Runtime(format!(
            "broken off with {} of {}; what is done is kept, and the same command goes on from there",
            watch.layer(),
            format_count(seeds.into(), "seed")
        ))),
        // Somebody else was faster.
        Err(BuildFileError::Exists(path)) => report_existing(&path, output),
        Err(error) => Err(CliError::Runtime(escape_control(&error.to_string()))),
    }
}

/// Says that there is nothing to do, if what is there is a table.
fn report_existing(path: &Path, output: &mut dyn Write) -> Result<(), CliError> {
    Header::read(path)?;
    writeln!(output, "{} is there already", quoted_path(path))?;
    Ok(())
}
