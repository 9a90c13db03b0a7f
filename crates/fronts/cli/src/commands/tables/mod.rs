//! `kalah tables`: building, describing, verifying, probing, packing and unpacking endgame tables.

pub(super) mod build;
mod pack;

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueHint};
use indicatif::BinaryBytes;
use kalah::{FirstPlies, Margin, Move, Position, Side, Variant, format_count};
use kalah_players::quoted_path;
use kalah_tables::{ChecksumPolicy, Header, OpenError, Table, VerifyError};
use kalah_text::Notation;
use serde::Serialize;

use self::build::TablesBuildArgs;
use self::pack::{TablesPackArgs, TablesUnpackArgs};
use crate::args::position::PositionArgs;
use crate::args::values::{TableFolderOption, whole_number_parser};
use crate::error::CliError;
use crate::files::table_folder::{TableFolder, describe_open_error, is_table_file, open_table};
use crate::output::messages::{path_option, print_errors, write_json, write_program_json};
use crate::output::progress::spinner;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah tables build --seeds 20
  kalah tables info
  kalah tables verify
  kalah tables probe '<6,20,19,0,1,0,2,0,1,1,0,0,3,0,1> s'")]
pub(crate) struct TablesArgs {
    #[command(subcommand)]
    command: TablesCommand,
}

#[derive(Clone, Debug, Subcommand)]
enum TablesCommand {
    /// Build a table, or resume an interrupted build
    Build(TablesBuildArgs),
    /// Describe a table, or list all tables of a folder
    Info(TablesInfoArgs),
    /// Check a table for damage: verify its checksums and compute random entries again
    Verify(TablesVerifyArgs),
    /// Look up the margins of a position and of each of its moves
    Probe(TablesProbeArgs),
    /// Pack a table for transfer or an archive, in less than a bit a position
    Pack(TablesPackArgs),
    /// Make a table of a packed one, or resume an interrupted unpacking
    Unpack(TablesUnpackArgs),
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah tables info
  kalah tables info kalah-6-houses-24-seeds-cs32.table --json")]
struct TablesInfoArgs {
    /// The file of a table [default: all tables of the folder]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "dir")]
    file: Option<PathBuf>,
    #[command(flatten)]
    folder: TableFolderOption,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah tables verify
  kalah tables verify kalah-6-houses-24-seeds-cs32.table --entries 1000000")]
struct TablesVerifyArgs {
    /// The file of a table [default: all tables of the folder]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "dir")]
    file: Option<PathBuf>,
    #[command(flatten)]
    folder: TableFolderOption,
    /// The number of random entries of each table to compute again
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = whole_number_parser(u64::MIN, u64::MAX))]
    entries: u64,
    /// The seed of the choice of these entries
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole_number_parser(u64::MIN, u64::MAX))]
    seed: u64,
    /// Print a line of JSON for each table
    #[arg(long)]
    json: bool,
}

/// A line of `kalah tables verify --json`.
#[derive(Serialize)]
struct VerifiedTableJson {
    file: String,
    /// Whether no damage was found.
    valid: bool,
    /// The positions with valid checksums; `null` for a damaged table.
    positions: Option<u64>,
    /// The random entries that were computed again.
    entries: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A margin is the number of seeds by which the player to move is ahead at the end of the game, with
best play of both players.

Examples:
  kalah tables probe '<6,20,19,0,1,0,2,0,1,1,0,0,3,0,1> s'
  kalah tables probe '<6,20,19,0,1,0,2,0,1,1,0,0,3,0,1> s' --rules standard
  kalah tables probe '<6,20,19,0,1,0,2,0,1,1,0,0,3,0,1> s' --json")]
struct TablesProbeArgs {
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    folder: TableFolderOption,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &TablesArgs, output: &mut dyn Write) -> Result<(), CliError> {
    match &arguments.command {
        TablesCommand::Build(arguments) => build::run(arguments, output),
        TablesCommand::Info(arguments) => run_info(arguments, output),
        TablesCommand::Verify(arguments) => run_verify(arguments, output),
        TablesCommand::Probe(arguments) => run_probe(arguments, output),
        TablesCommand::Pack(arguments) => pack::run_pack(arguments, output),
        TablesCommand::Unpack(arguments) => pack::run_unpack(arguments, output),
    }
}

/// One element of `kalah tables info --json`.
#[derive(Serialize)]
struct TableInfoJson {
    file: String,
    #[serde(flatten)]
    state: TableStateJson,
}

#[derive(Serialize)]
#[serde(untagged)]
enum TableStateJson {
    Table {
        houses: u8,
        seeds: u8,
        rules: String,
        positions: u64,
        bytes: u64,
    },
    Unusable {
        error: String,
    },
}

impl TableInfoJson {
    fn new(path: &Path, header: &Result<Header, OpenError>) -> Self {
        let state = match header {
            Ok(header) => TableStateJson::Table {
                houses: header.variant().houses(),
                seeds: header.seeds(),
                rules: header.variant().rules().to_string(),
                positions: header.positions(),
                bytes: header.file_size(),
            },
            Err(error) => TableStateJson::Unusable {
                error: describe_open_error(error),
            },
        };
        Self {
            file: path.display().to_string(),
            state,
        }
    }
}

/// Returns the line of `kalah tables info` about a table.
fn describe_table(path: &Path, header: &Header) -> String {
    format!(
        "{}: {} a side, up to {}, rules {}, {}, {}",
        quoted_path(path),
        format_count(header.variant().houses().into(), "house"),
        format_count(header.seeds().into(), "seed"),
        header.variant().rules(),
        format_count(header.positions(), "position"),
        BinaryBytes(header.file_size())
    )
}

fn run_info(arguments: &TablesInfoArgs, output: &mut dyn Write) -> Result<(), CliError> {
    if let Some(path) = &arguments.file {
        let header = Header::read(path)?;
        if arguments.json {
            let table = TableInfoJson::new(path, &Ok(header));
            return Ok(write_json(output, &[table])?);
        }
        writeln!(output, "{}", describe_table(path, &header))?;
        return Ok(());
    }
    let folder = TableFolder::new_existing(arguments.folder.dir.as_deref())?;
    let files = folder.files()?;
    let count = files.len();
    let tables: Vec<_> = (files.into_iter())
        .map(|path| {
            let header = Header::read(&path);
            (path, header)
        })
        .collect();
    if arguments.json {
        let tables = tables.iter();
        let json = tables.map(|(path, header)| TableInfoJson::new(path, header));
        write_json(output, &json.collect::<Vec<_>>())?;
    } else if tables.is_empty() {
        writeln!(output, "no tables in {}", quoted_path(folder.path()))?;
    }
    let mut errors = Vec::new();
    for (path, header) in tables {
        let line = match header {
            Ok(header) => describe_table(&path, &header),
            Err(error) if is_table_file(&path) => {
                errors.push(describe_open_error(&error));
                continue;
            }
            // An unfinished table is not an error: its build may be running.
            Err(error) => describe_open_error(&error),
        };
        if !arguments.json {
            writeln!(output, "{line}")?;
        }
    }
    if errors.is_empty() {
        return Ok(());
    }
    // The errors follow the tables.
    output.flush()?;
    if !arguments.json {
        print_errors(&errors);
    }
    Err(CliError::Runtime(format!(
        "{} of {} cannot be read",
        errors.len(),
        format_count(u64::try_from(count).unwrap_or(u64::MAX), "table")
    )))
}

fn run_verify(arguments: &TablesVerifyArgs, output: &mut dyn Write) -> Result<(), CliError> {
    if let Some(path) = &arguments.file {
        let verified = verify(path, arguments);
        if arguments.json {
            write_verified_json(path, &verified, arguments, output)?;
        }
        let positions = verified?;
        if !arguments.json {
            writeln!(output, "{}", describe_verified(path, positions, arguments))?;
        }
        return Ok(());
    }
    let folder = TableFolder::new_existing(arguments.folder.dir.as_deref())?;
    let mut files = folder.files()?;
    // Unfinished files cannot be verified.
    files.retain(|path| is_table_file(path));
    if files.is_empty() {
        let folder = quoted_path(folder.path());
        return Err(CliError::Runtime(format!(
            "no tables to verify in {folder}"
        )));
    }
    let count = files.len();
    let mut damaged = 0;
    for path in files {
        let verified = verify(&path, arguments);
        damaged += usize::from(verified.is_err());
        if arguments.json {
            write_verified_json(&path, &verified, arguments, output)?;
        } else {
            let line = match verified {
                Ok(positions) => describe_verified(&path, positions, arguments),
                Err(error) => error.message().ok_or(error)?,
            };
            writeln!(output, "{line}")?;
        }
        // The next table can take a long time.
        output.flush()?;
    }
    match damaged {
        0 => Ok(()),
        _ => Err(CliError::Runtime(format!(
            "{damaged} of {} failed the verification",
            format_count(u64::try_from(count).unwrap_or(u64::MAX), "table")
        ))),
    }
}

/// Writes the line of JSON about a table. An error without a message, such as that of the output,
/// writes nothing.
fn write_verified_json(
    path: &Path,
    verified: &Result<u64, CliError>,
    arguments: &TablesVerifyArgs,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    let error = verified.as_ref().err().and_then(CliError::message);
    let json = VerifiedTableJson {
        file: path.display().to_string(),
        valid: verified.is_ok(),
        positions: verified.as_ref().ok().copied(),
        entries: arguments.entries,
        error,
    };
    Ok(write_program_json(output, &json)?)
}

/// Returns the line about a table without damage.
fn describe_verified(path: &Path, positions: u64, arguments: &TablesVerifyArgs) -> String {
    format!(
        "{}: {} with valid checksums; {} computed again",
        quoted_path(path),
        format_count(positions, "position"),
        format_count(arguments.entries, "random position"),
    )
}

/// Verifies a table, and returns the number of its positions.
fn verify(path: &Path, arguments: &TablesVerifyArgs) -> Result<u64, CliError> {
    let table = open_table(path, ChecksumPolicy::Verify)?;
    let file = quoted_path(path);
    let entries = format_count(arguments.entries, "random position");
    let spinner = spinner(&format!("{file}: verifying checksums"));
    let positions = Table::positions(table.variant(), table.seeds()).unwrap_or(1);
    let mut observer = |done: u64| {
        let percent = u128::from(done) * 100 / u128::from(positions);
        spinner.set_message(format!("{file}: verifying checksums, {percent} %"));
        ControlFlow::Continue(())
    };
    let result = table.verify_checksums(&mut observer).and_then(|()| {
        spinner.set_message(format!("{file}: computing {entries} again"));
        table.verify_entries(arguments.entries, arguments.seed)
    });
    spinner.finish_and_clear();
    match result {
        Ok(()) => Ok(positions),
        Err(VerifyError::Damaged(damage)) => Err(damage.into()),
        Err(reason) => Err(CliError::Runtime(format!("{file}: {reason}"))),
    }
}

/// `kalah tables probe --json`.
#[derive(Serialize)]
struct ProbeJson {
    position: String,
    rules: String,
    to_move: Side,
    margin: i32,
    moves: Vec<TableMoveJson>,
}

/// A legal sowing, in house order.
#[derive(Serialize)]
struct TableMoveJson {
    #[serde(rename = "move")]
    mv: String,
    margin: i32,
}

fn run_probe(arguments: &TablesProbeArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let position = arguments.position.to_position()?;
    let table = find_table(&position, arguments)?;
    let margin_of = |position: &Position| margin(position, table.as_ref());
    let margin = margin_of(&position)?;
    let side = position.to_move();
    let mut moves = Vec::new();
    for house in position.legal_houses() {
        let mut next = position.clone();
        let mv = Move::Sow(house);
        // Sowing a legal house never fails.
        if next.play(mv).is_ok() {
            let margin = margin_of(&next)?;
            let is_bonus_turn = next.to_move() == side;
            moves.push((mv, if is_bonus_turn { margin } else { -margin }));
        }
    }
    if arguments.json {
        let moves = moves.into_iter().map(|(mv, margin)| TableMoveJson {
            mv: mv.text(side),
            margin: margin.seeds(),
        });
        let json = ProbeJson {
            position: position.to_string(),
            rules: position.rules().to_string(),
            to_move: side,
            margin: margin.seeds(),
            moves: moves.collect(),
        };
        return Ok(write_program_json(output, &json)?);
    }
    let notation = Notation::new(&position, arguments.position.labels());
    if position.is_over() {
        writeln!(output, "The game is over: {margin} for {side}")?;
    } else {
        writeln!(output, "{side} to move: {margin}")?;
    }
    for (mv, move_margin) in moves {
        let star = if move_margin == margin { " *" } else { "" };
        let name = notation.format_move(side, mv);
        writeln!(output, "{name}: {move_margin}{star}")?;
    }
    Ok(())
}

/// The maximum size of a table that a message suggests to build. A build needs as much memory.
const MAX_SUGGESTED_BYTES: u64 = 16 << 30;

/// Returns the smallest table with the position; `None` if the game is over, because no table is
/// needed then.
fn find_table(position: &Position, arguments: &TablesProbeArgs) -> Result<Option<Table>, CliError> {
    if position.is_over() {
        return Ok(None);
    }
    if position.first_plies() != FirstPlies::Later {
        return Err(CliError::Usage(format!(
            "tables have no positions before ply 3, such as `{position}` under the rules {}",
            position.rules()
        )));
    }
    let dir = arguments.folder.dir.as_deref();
    let folder = TableFolder::new_existing(dir)?;
    let variant = Variant::from_position(position);
    let seeds = position.seeds_in_play().get();
    if let Some(table) = folder.open_smallest(variant, seeds.into())? {
        return Ok(Some(table));
    }
    let (houses, rules) = (variant.houses(), variant.rules());
    let positions = u8::try_from(seeds).map(|seeds| Table::positions(variant, seeds));
    let advice = match positions {
        Ok(Ok(positions @ ..=MAX_SUGGESTED_BYTES)) => {
            let dir = dir.map_or_else(String::new, |dir| format!(" {}", path_option("--dir", dir)));
            format!(
                "; `kalah tables build --houses {houses} --seeds {seeds} --rules {rules}{dir}` builds \
                 one of {}",
                BinaryBytes(Header::BYTES + positions)
            )
        }
        Ok(Ok(_) | Err(_)) | Err(_) => String::new(),
    };
    Err(CliError::Runtime(format!(
        "no table in {} contains `{position}` under the rules {rules}{advice}; `kalah solve` needs no \
         table",
        quoted_path(folder.path())
    )))
}

/// Returns the margin of the side to move.
fn margin(position: &Position, table: Option<&Table>) -> Result<Margin, CliError> {
    if position.is_over() {
        return Ok(position.lead());
    }
    let gain = table.map_or(Ok(None), |table| table.probe(position))?;
    let missing = || CliError::Runtime(format!("the table does not contain `{position}`"));
    Ok(position.margin(gain.ok_or_else(missing)?))
}
