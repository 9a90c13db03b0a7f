//! `kalah games show`.

use std::io::{self, Write};

use clap::Args;
use kalah::{ByPlayer, Game, PlayerId, Side};
use kalah_players::escape_control;
use kalah_store::{
    GameIdPrefix, GameReader, Offer, PlayerName, StoredGame, TimedTakeback, Timestamp,
};
use kalah_text::{BoardDrawing, Palette};
use serde::Serialize;

use super::description::{GameDescription, current_names, minute_text, state_text};
use super::{DataOption, now, parse_game_id};
use crate::error::CliError;
use crate::output::messages::write_json;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The remaining times of a running clock are those at the last time that the server has stored, which
it does once a second or once a minute. Clocks stop while no server runs.

Examples:
  kalah games show 3qX0
  kalah games show 3qX0 --json")]
pub(super) struct GamesShowArgs {
    /// The id of the game, or its beginning
    #[arg(value_name = "ID", value_parser = parse_game_id)]
    id: GameIdPrefix,
    #[command(flatten)]
    data: DataOption,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// `kalah games show --json`.
#[derive(Serialize)]
struct GameJson {
    #[serde(flatten)]
    description: GameDescription,
    /// The position before the first ply.
    start: String,
    /// The position after the last ply.
    position: String,
    south_joined: bool,
    north_joined: bool,
    spectator_scores: bool,
    /// The remaining times of the players by the sides on which they started.
    south_left_ms: Option<u128>,
    north_left_ms: Option<u128>,
    /// The player whose time runs, by the side on which that player started.
    clock_runs_for: Option<Side>,
    takebacks_accepted: Vec<TakebackJson>,
    takeback_offer: Option<OfferJson>,
    rematch_offer: Option<OfferJson>,
    rematch: Option<String>,
}

/// A takeback, with its player by the side on which that player started.
#[derive(Serialize)]
struct TakebackJson {
    at: Option<String>,
    player: Side,
    plies_left: usize,
    moves: Vec<String>,
}

/// An offer, with its player by the side on which that player started.
#[derive(Serialize)]
struct OfferJson {
    player: Side,
    is_declined: bool,
}

impl OfferJson {
    fn new(offer: Offer) -> Self {
        Self {
            player: offer.by.started_as,
            is_declined: offer.is_declined,
        }
    }
}

pub(super) fn run(
    arguments: &GamesShowArgs,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let reader = GameReader::open(&arguments.data.folder()?)?;
    let id = reader.find(&arguments.id)?;
    let stored = reader.load(id)?;
    let takebacks = reader.takebacks(id)?;
    // Clocks stop while no server runs.
    let now = reader
        .last_heartbeat()?
        .map_or_else(now, |heartbeat| heartbeat.min(now()));
    let game = match stored.replay() {
        Ok(game) => game,
        Err(reason) => {
            if !arguments.json {
                write_damaged(&stored, output)?;
            }
            let reason = escape_control(&reason.to_string());
            return Err(CliError::Runtime(format!(
                "the game {id} is damaged: {reason}"
            )));
        }
    };
    if arguments.json {
        write_json(output, &game_json(&stored, &game, takebacks, now))?;
    } else {
        write_game(&stored, &game, &takebacks, now, palette, output)?;
    }
    Ok(())
}

fn game_json(
    stored: &StoredGame,
    game: &Game,
    takebacks: Vec<TimedTakeback>,
    now: Timestamp,
) -> GameJson {
    let [south, north] = PlayerId::ALL;
    let state = &stored.state;
    let left = |player| {
        state
            .clock
            .map(|clock| clock.remaining(player, now).as_millis())
    };
    let takebacks = takebacks
        .into_iter()
        .map(|TimedTakeback { at, takeback }| TakebackJson {
            at: at.to_text(),
            player: takeback.by.started_as,
            plies_left: takeback.plies_left,
            moves: takeback.moves,
        });
    let running = state.clock.and_then(|clock| clock.running());
    GameJson {
        description: GameDescription::new(stored, game),
        start: game.start().to_string(),
        position: game.position().to_string(),
        south_joined: state.joined[south],
        north_joined: state.joined[north],
        spectator_scores: stored.spectator_scores,
        south_left_ms: left(south),
        north_left_ms: left(north),
        clock_runs_for: running.map(|running| running.player.started_as),
        takebacks_accepted: takebacks.collect(),
        takeback_offer: state.takeback.map(OfferJson::new),
        rematch_offer: state.rematch_offer.map(OfferJson::new),
        rematch: state.rematch.map(|id| id.to_string()),
    }
}

fn write_game(
    stored: &StoredGame,
    game: &Game,
    takebacks: &[TimedTakeback],
    now: Timestamp,
    palette: Palette,
    output: &mut dyn Write,
) -> io::Result<()> {
    let description = GameDescription::new(stored, game);
    let state = &stored.state;
    let mut line = |label: &str, text: &str| write_line(label, text, output);
    line("game", &description.id)?;
    if let Some(room) = &stored.room {
        line("room", &format!("{}, {}", room.code, room.name))?;
    }
    line("created", &minute_text(stored.created))?;
    line("changed", &minute_text(state.changed_at))?;
    for player in PlayerId::ALL {
        line(
            &player.started_as.to_string().to_lowercase(),
            &player_text(stored, player),
        )?;
    }
    if description.is_swapped {
        line("swap", "the players have exchanged their sides")?;
    }
    line("rules", &description.rules)?;
    line("board", &description.board)?;
    if let Some(clock) = &description.clock {
        line("clock", &format!("{clock}{}", remaining_text(stored, now)))?;
    }
    if stored.spectator_scores {
        line("scores", "for spectators during the game")?;
    }
    line("plies", &description.plies.to_string())?;
    line("state", &state_text(stored, game, palette))?;
    for (action, offer) in [
        ("takeback", state.takeback),
        ("rematch", state.rematch_offer),
    ] {
        if let Some(offer) = offer.filter(|_| action == "takeback" || state.rematch.is_none()) {
            let declined = if offer.is_declined { ", declined" } else { "" };
            line(
                action,
                &format!("offered by {}{declined}", offer.by.started_as),
            )?;
        }
    }
    for TimedTakeback { at, takeback } in takebacks {
        let (time, moves) = (minute_text(*at), takeback.moves.join(" "));
        let by = takeback.by.started_as;
        line(
            "takeback",
            &escape_control(&format!("{time}, {by} took back {moves}")),
        )?;
    }
    if let Some(rematch) = state.rematch {
        line("rematch", &rematch.to_string())?;
    }
    let drawing = BoardDrawing::new(game.position())
        .names(current_names(stored, game))
        .palette(palette);
    write!(output, "\n{drawing}\n")?;
    if !description.moves.is_empty() {
        writeln!(
            output,
            "\n{}",
            textwrap::fill(&description.moves, MAX_MOVES_WIDTH)
        )?;
    }
    Ok(())
}

/// Writes the stored values of a game that is damaged.
fn write_damaged(stored: &StoredGame, output: &mut dyn Write) -> io::Result<()> {
    let state = &stored.state;
    let ending = state.ending.map(|ending| ending.termination.as_str());
    let [south, north] = PlayerId::ALL.map(|player| player_text(stored, player));
    for (label, text) in [
        ("game", stored.id.to_string()),
        ("created", minute_text(stored.created)),
        ("changed", minute_text(state.changed_at)),
        ("south", south),
        ("north", north),
        ("rules", stored.rules.clone()),
        ("board", stored.start.clone()),
        ("moves", stored.plies.join(" ")),
        ("end", ending.unwrap_or("not ended").to_owned()),
    ] {
        write_line(label, &escape_control(&text), output)?;
    }
    output.flush()
}

/// Writes a label, and a text in a column of its own.
fn write_line(label: &str, text: &str, output: &mut dyn Write) -> io::Result<()> {
    writeln!(output, "{label:<11}{text}")
}

/// The width of the lines of moves, as in a record.
const MAX_MOVES_WIDTH: usize = 80;

/// Returns the name of a player, or why there is none.
fn player_text(stored: &StoredGame, player: PlayerId) -> String {
    let name = stored.state.names[player]
        .as_ref()
        .map(PlayerName::to_string);
    match (name, stored.state.joined[player]) {
        (name, true) => name.unwrap_or_else(|| "without a name".to_owned()),
        (Some(name), false) => format!("{name} (the seat is free)"),
        (None, false) => "the seat is free".to_owned(),
    }
}

/// Returns the remaining times of the players, in seconds, and whose time runs.
fn remaining_text(stored: &StoredGame, now: Timestamp) -> String {
    let Some(clock) = stored.state.clock else {
        return String::new();
    };
    let left = ByPlayer::from_fn(|player| {
        let seconds = clock.remaining(player, now).as_secs();
        humantime::format_duration(std::time::Duration::from_secs(seconds)).to_string()
    });
    let [south, north] = PlayerId::ALL;
    let runs = match clock.running() {
        Some(running) => format!(", runs for {}", running.player.started_as),
        None => String::new(),
    };
    format!("; left: South {}, North {}{runs}", left[south], left[north])
}
