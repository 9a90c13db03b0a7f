//! `kalah games FILE`: the games of a record file.

use std::io::Write;

use clap::{Args, ValueHint};
use kalah::record::{Record, Tags};
use kalah::{Termination, format_count};
use kalah_players::{escape_control, escape_truncated};
use kalah_record_files::RecordFileError;
use kalah_text::format_result;
use serde::Serialize;

use super::table::GameTable;
use crate::args::recorded::{GameReference, RecordFile, UNNAMED, has_player, recorded_game_parser};
use crate::commands::records::json::RecordJson;
use crate::error::CliError;
use crate::output::messages::{print_errors, print_stderr, write_json};

/// A record file, and the options that select its games.
#[derive(Clone, Debug, Args)]
pub(super) struct RecordedListArgs {
    /// A record file, or `-` for standard input: list its games
    #[arg(value_name = "FILE.kgn|-", value_hint = ValueHint::FilePath, value_parser = recorded_game_parser())]
    pub(super) file: Option<GameReference>,
    /// Only games of a player whose name contains this text, in capital or small letters
    #[arg(long, value_name = "TEXT", requires = "file")]
    player: Option<String>,
    /// Only games whose round is this one or begins with it: 1.10 has 1.10.1 and 1.10.2
    #[arg(long, value_name = "ROUND", requires = "file")]
    round: Option<String>,
    /// Print one line of JSON for each game, with its tags and plies
    #[arg(long, requires = "file")]
    json: bool,
}

const TABLE_HEAD: [&str; 9] = [
    "game", "round", "date", "south", "north", "board", "rules", "plies", "result",
];

/// A game of the file as JSON.
#[derive(Serialize)]
struct ListedGameJson {
    /// The number of the game in the file, from 1.
    game: usize,
    #[serde(flatten)]
    record: RecordJson,
}

/// Lists the games of `file` that the options select.
///
/// # Errors
/// [`CliError::Usage`] if a game or a ply follows the file; [`CliError::Runtime`] if the file
/// cannot be read, and after the list if it has games that are
/// not valid.
pub(super) fn run(
    arguments: &RecordedListArgs,
    file: &GameReference,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    let suffix = file.suffix();
    if !suffix.is_empty() {
        return Err(CliError::Usage(format!(
            "the list is that of a whole file: leave out {suffix} after the file, or give it to \
             `kalah replay`"
        )));
    }
    let mut table = GameTable::new(TABLE_HEAD);
    let mut errors = Vec::new();
    let (mut games, mut listed) = (0, 0);
    for record in RecordFile::from(file.path.clone()).open()? {
        match record {
            Ok(record) => {
                games += 1;
                if !arguments.selects(&record) {
                    continue;
                }
                listed += 1;
                if arguments.json {
                    let record = RecordJson::new(&record, usize::MAX);
                    write_json(
                        output,
                        &ListedGameJson {
                            game: games,
                            record,
                        },
                    )?;
                } else {
                    table.add(row(&record, games), output)?;
                }
            }
            Err(error @ RecordFileError::Record { .. }) => {
                games += 1;
                errors.push(error.to_string());
            }
            Err(error) => {
                table.flush(output)?;
                return Err(error.into());
            }
        }
    }
    table.flush(output)?;
    output.flush()?;
    let count = |number: usize| format_count(u64::try_from(number).unwrap_or(u64::MAX), "game");
    if listed + errors.len() < games || games == 0 {
        print_stderr(&format!("note: {listed} of {} listed", count(games)));
    }
    if errors.is_empty() {
        return Ok(());
    }
    print_errors(&errors);
    let invalid = errors.len();
    Err(CliError::Runtime(format!(
        "{invalid} of {} cannot be read",
        count(games)
    )))
}

impl RecordedListArgs {
    fn selects(&self, record: &Record) -> bool {
        let player = self.player.as_ref().map(|player| player.to_lowercase());
        let is_player = player.is_none_or(|player| has_player(record.tags(), &player));
        let is_round = self.round.as_ref().is_none_or(|round| {
            let own = record.tags().get(Tags::ROUND).unwrap_or_default();
            own.strip_prefix(round.trim_end_matches('.'))
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
        is_player && is_round
    }
}

fn row(record: &Record, number: usize) -> [String; TABLE_HEAD.len()] {
    let tag = |name, missing: &str| {
        let value = record.tags().get(name);
        value.map_or_else(|| missing.to_owned(), escape_truncated)
    };
    let start = record.start();
    [
        number.to_string(),
        tag(Tags::ROUND, ""),
        tag(Tags::DATE, ""),
        tag(Tags::SOUTH, UNNAMED),
        tag(Tags::NORTH, UNNAMED),
        tag(Tags::POSITION, ""),
        escape_control(&start.rules().to_string()),
        record.main_line().count().to_string(),
        result(record),
    ]
}

/// Returns the result, such as `North wins 10-38` or `North wins by South's crash`.
fn result(record: &Record) -> String {
    let ending = record.ending();
    match ending.termination {
        Termination::Unfinished => "unfinished".to_owned(),
        _ => format_result(ending, record.game().position()),
    }
}
