//! `kalah games list`.

use std::io::{self, Write};
use std::ops::ControlFlow;

use clap::Args;
use kalah::{PlayerId, format_count, format_number};
use kalah_players::escape_control;
use kalah_store::{GameReader, StoredGame, UnreadableGameError};
use kalah_text::Palette;
use serde::Serialize;

use super::description::{GameDescription, UNNAMED, minute_text, state_text};
use super::table::GameTable;
use super::{DataOption, FilterOptions, now};
use crate::error::CliError;
use crate::output::messages::{print_stderr, write_json};

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Standard error has the number of games that the options leave out. The list has damaged games, too:
those that are no games by the rules.

Examples:
  kalah games list
  kalah games list --running --name ann
  kalah games list --ended --since 2026-03-01 --limit 20 --json")]
pub(super) struct GamesListArgs {
    #[command(flatten)]
    data: DataOption,
    #[command(flatten)]
    filter: FilterOptions,
    /// Print one line of JSON for each game
    #[arg(long)]
    json: bool,
}

/// A damaged game as JSON.
#[derive(Serialize)]
struct DamagedGameJson {
    id: String,
    state: &'static str,
    reason: String,
}

/// The state of a game that is none by the rules, or cannot be read.
const DAMAGED: &str = "damaged";

pub(super) fn run(arguments: &GamesListArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let reader = GameReader::open(&arguments.data.folder()?)?;
    let filter = arguments.filter.filter(now());
    let limit = arguments.filter.limit();
    let matching = reader.count(&filter)?;
    let total = reader.count_all()?;
    let listed = matching.min(limit);
    if limit > 0 {
        let mut table = GameTable::new(TABLE_HEAD);
        let mut left = limit;
        reader.visit(&filter, |game| {
            if arguments.json {
                write_game_json(game, output)?;
            } else {
                table.add(row(game), output)?;
            }
            left -= 1;
            Ok::<_, CliError>(match left {
                0 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            })
        })?;
        table.flush(output)?;
    }
    output.flush()?;
    if total == 0 {
        print_stderr("note: no game is stored");
    } else if listed < total {
        let all = format_count(total, "game");
        let counts = [listed, total - matching, matching - listed];
        let [listed, unmatched, beyond] = counts.map(format_number);
        print_stderr(&format!(
            "note: {listed} of {all} listed: {unmatched} left out by the filters, {beyond} by \
             --limit"
        ));
    }
    Ok(())
}

/// Writes a game, which may be damaged, as one line of JSON.
pub(super) fn write_game_json(
    game: Result<StoredGame, UnreadableGameError>,
    output: &mut dyn Write,
) -> io::Result<()> {
    let (id, reason) = match game {
        Ok(stored) => match stored.replay() {
            Ok(game) => return write_json(output, &GameDescription::new(&stored, &game)),
            Err(reason) => (stored.id, reason.to_string()),
        },
        Err(error) => (error.id, error.reason),
    };
    let damaged = DamagedGameJson {
        id: id.to_string(),
        state: DAMAGED,
        reason,
    };
    write_json(output, &damaged)
}

/// The cells of a game.
type TableRow = [String; TABLE_HEAD.len()];

const TABLE_HEAD: [&str; 9] = [
    "id", "created", "changed", "south", "north", "board", "rules", "plies", "state",
];

fn row(game: Result<StoredGame, UnreadableGameError>) -> TableRow {
    let stored = match game {
        Ok(stored) => stored,
        Err(error) => return unreadable_row(&error),
    };
    match stored.replay() {
        Ok(game) => {
            let description = GameDescription::new(&stored, &game);
            let state = state_text(&stored, &game, Palette::PLAIN);
            game_row(&stored, description.board, &state)
        }
        Err(reason) => {
            let state = format!("{DAMAGED}: {reason}");
            game_row(&stored, escape_control(&stored.start), &state)
        }
    }
}

fn game_row(stored: &StoredGame, board: String, state: &str) -> TableRow {
    let [south, north] = PlayerId::ALL.map(|player| {
        let name = stored.state.names[player].as_ref();
        name.map_or_else(|| UNNAMED.to_owned(), ToString::to_string)
    });
    [
        stored.id.to_string(),
        minute_text(stored.created),
        minute_text(stored.state.changed_at),
        south,
        north,
        board,
        escape_control(&stored.rules),
        stored.plies.len().to_string(),
        escape_control(state),
    ]
}

fn unreadable_row(error: &UnreadableGameError) -> TableRow {
    let mut row = TableRow::default();
    row[0] = error.id.to_string();
    let state = row.len() - 1;
    row[state] = escape_control(&format!("{DAMAGED}: {}", error.reason));
    row
}
