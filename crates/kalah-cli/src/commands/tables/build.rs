use std::fs;
use std::io::Write;
use std::path::Path;

use kalah_tables::{BuildError, BuildFileError, Header, Table};

use super::{Watch, quoted, room};
use crate::shown::tame;
use crate::words::counted;
use crate::{BuildTableArguments, Failure, TableFolder};

pub(super) fn run(arguments: &BuildTableArguments, output: &mut dyn Write) -> Result<(), Failure> {
    let (variant, seeds) = (arguments.table.variant(), arguments.table.seeds);
    let threads = arguments.table.threads();
    let positions =
        Table::positions(variant, seeds).map_err(|reason| Failure::Usage(reason.to_string()))?;
    let folder = TableFolder::new(arguments.folder.dir.as_deref())?;
    let path = folder.path().join(variant.file_name(seeds));
    if fs::symlink_metadata(&path).is_ok() {
        return already_there(&path, output);
    }
    room::memory(positions)?;
    fs::create_dir_all(folder.path()).map_err(|reason| {
        let folder = quoted(folder.path());
        Failure::Work(format!("cannot make the folder {folder}: {reason}"))
    })?;
    let there = fs::metadata(Table::part_path(&path)).map_or(0, |part| part.len());
    let needed = positions.saturating_add(Header::BYTES);
    room::disk(folder.path(), needed.saturating_sub(there))?;

    let mut watch = Watch::new(seeds, positions);
    let built = Table::build_file(&path, variant, seeds, threads, &mut |step| watch.see(step));
    watch.end();
    match built {
        Ok(_) => {
            let (computed, wrote) = (watch.summary(), watch.writing());
            writeln!(output, "{} is complete: {computed}, {wrote}", quoted(&path))?;
            Ok(())
        }
        Err(BuildFileError::Build(BuildError::Cancelled)) => Err(Failure::Work(format!(
            "broken off with {} of {}; what is done is kept, and the same command goes on from there",
            watch.layer(),
            counted(seeds.into(), "seed")
        ))),
        // Somebody else was faster.
        Err(BuildFileError::Exists(path)) => already_there(&path, output),
        Err(error) => Err(Failure::Work(tame(&error.to_string()))),
    }
}

/// Says that there is nothing to do, if what is there is a table.
fn already_there(path: &Path, output: &mut dyn Write) -> Result<(), Failure> {
    Header::read(path)?;
    writeln!(output, "{} is there already", quoted(path))?;
    Ok(())
}
