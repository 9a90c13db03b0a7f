//! `kalah prove export`: a proof as text for other programs.

use std::io::Write;
use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use kalah::format_count;
use kalah_check::{Certificate, CertificateExportError, ExportOptions, export};
use kalah_files::PendingFile;
use kalah_players::{MemorySize, quoted_path};
use kalah_record_files::text_file::{self, TextFileError};
use serde::Serialize;

use super::check::require_exact_margins;
use super::{DEFAULT_MEMORY, usable_bytes};
use crate::args::values::whole_number_parser;
use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::write_json;
use crate::output::progress::spinner;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The certificate is text compressed by gzip, and docs/proofs.md describes it. It has the goals that the
margins depend on, each after those that it follows from. docs/check_proof.py checks it, a program of
160 lines that shares no code with this one. A larger --leaf-nodes makes the certificate smaller and
its check longer.

Examples:
  kalah prove export 5x3.proof --out 5x3.certificate.gz")]
pub(super) struct ProveExportArgs {
    /// The proof: the file of `kalah prove`, or a certificate
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    proof: PathBuf,
    /// The new file of the certificate
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: PathBuf,
    /// The most positions that a plain search visits at a leaf of the certificate
    #[arg(long, value_name = "N", default_value_t = DEFAULT_LEAF_NODES, value_parser = whole_number_parser(NonZeroU64::MIN, NonZeroU64::MAX))]
    leaf_nodes: NonZeroU64,
    /// Memory of the searches, such as 512MiB
    #[arg(long, value_name = "SIZE", default_value = DEFAULT_MEMORY)]
    memory: MemorySize,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// The value of `--json`.
#[derive(Serialize)]
struct ExportJson {
    file: String,
    position: String,
    rules: String,
    /// The proven margin of the side to move.
    margin: i32,
    goals: usize,
}

/// With leaves of one position a slow program checks the proof of a small board in seconds.
const DEFAULT_LEAF_NODES: NonZeroU64 = NonZeroU64::MIN;

pub(super) fn run(arguments: &ProveExportArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let out = quoted_path(&arguments.out);
    if text_file::exists(&arguments.out)? {
        return Err(CliError::Runtime(format!("{out} already exists")));
    }
    let write_error = |reason| TextFileError::Write {
        path: arguments.out.clone(),
        reason,
    };
    // The file is created before the work that it is for.
    let file = PendingFile::beside(&arguments.out).map_err(write_error)?;
    let interrupt = interrupt::listen();
    let progress = spinner("reading the proof");
    let certificate =
        Certificate::read(&arguments.proof).inspect_err(|_| progress.finish_and_clear())?;
    let name = quoted_path(&arguments.proof);
    require_exact_margins(&certificate, &name).inspect_err(|_| progress.finish_and_clear())?;
    let options = ExportOptions {
        leaf_nodes: arguments.leaf_nodes.get(),
        memory: usable_bytes(arguments.memory),
        stop_flag: &interrupt.flag(),
        observer: &|goals| {
            if goals.is_multiple_of(PROGRESS_INTERVAL) {
                progress.set_message(format_count(goals as u64, "goal"));
            }
        },
    };
    let exported = export(&certificate, options);
    progress.finish_and_clear();
    let exported = exported.map_err(|error| match error {
        CertificateExportError::Stopped => {
            CliError::Interrupted(format!("interrupted: {out} was not written"))
        }
        error => CliError::Runtime(format!("cannot export {name}: {error}")),
    })?;
    let written = file.write(|file| exported.write(file));
    written
        .and_then(|()| file.create_target())
        .map_err(write_error)?;
    let goals = exported.goals().len();
    if arguments.json {
        let statement = certificate.statement();
        let json = ExportJson {
            file: arguments.out.display().to_string(),
            position: statement.position().to_string(),
            rules: statement.rules().to_string(),
            // Only exact margins are exported.
            margin: exported.claims().position.lower.seeds(),
            goals,
        };
        return Ok(write_json(output, &json)?);
    }
    let goals = format_count(goals as u64, "goal");
    writeln!(output, "{goals} in {out}: {}", exported.claims().position)?;
    Ok(())
}

/// The goals between two updates of the progress line.
const PROGRESS_INTERVAL: usize = 1000;
