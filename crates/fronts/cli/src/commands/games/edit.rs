//! `kalah games end`, `kalah games delete` and `kalah games names`.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal as _, Write};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args};
use kalah::{ByPlayer, PlayerId, Side, Termination, format_count};
use kalah_players::escape_control;
use kalah_store::{
    GameEditor, GameId, GameIdPrefix, NameChange, PlayerName, StoredEnding, StoredGame,
    UnreadableGameError,
};
use kalah_text::Palette;

use super::description::{UNNAMED, state_text};
use super::list::write_game_json;
use super::{DataOption, now, parse_game_id};
use crate::error::CliError;
use crate::output::messages::print_stderr;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The clocks of the games stop. With several games, all of them end, or none if one has ended already.

Examples:
  kalah games end 3qX0
  kalah games end 3qX0 b81A --winner tie")]
pub(super) struct GamesEndArgs {
    /// The ids of the games, or their beginnings
    #[arg(value_name = "ID", required = true, value_parser = parse_game_id)]
    ids: Vec<GameIdPrefix>,
    /// The winner by the side at the end, or a tie: the games are adjudicated. With none they have
    /// no result
    #[arg(long, value_name = "SIDE", default_value = "none", value_parser = winner_parser())]
    winner: EndChoice,
    #[command(flatten)]
    data: DataOption,
    /// Print a line of JSON for each game, as `kalah games list` does
    #[arg(long)]
    json: bool,
}

/// The value of `--winner`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndChoice {
    Win(Side),
    Tie,
    NoResult,
}

impl EndChoice {
    const fn ending(self) -> StoredEnding {
        let (termination, winner) = match self {
            Self::Win(side) => (Termination::Adjudicated, Some(side)),
            Self::Tie => (Termination::Adjudicated, None),
            Self::NoResult => (Termination::Unfinished, None),
        };
        StoredEnding {
            termination,
            winner,
        }
    }
}

fn winner_parser() -> impl TypedValueParser<Value = EndChoice> {
    PossibleValuesParser::new(["south", "north", "tie", "none"]).map(|word| match word.as_str() {
        "south" => EndChoice::Win(Side::South),
        "north" => EndChoice::Win(Side::North),
        "tie" => EndChoice::Tie,
        _ => EndChoice::NoResult,
    })
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
With several games, all of them are deleted, or none if there is an error. Deleted games cannot be
restored: `kalah serve --backup FILE` copies all games before.

Examples:
  kalah games delete 3qX0
  kalah games delete 3qX0 b81A --yes")]
pub(super) struct GamesDeleteArgs {
    /// The ids of the games, or their beginnings
    #[arg(value_name = "ID", required = true, value_parser = parse_game_id)]
    ids: Vec<GameIdPrefix>,
    /// Delete the games without a question
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    data: DataOption,
    /// Print a line of JSON for each game, as it was before
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Debug, Args)]
#[command(group(ArgGroup::new("names").args(["south", "north"]).required(true).multiple(true)))]
#[command(after_help = "\
The players are those who started as South and as North, also after a swap. An empty name removes
the name. Other games of the players keep their names.

Examples:
  kalah games names 3qX0 --south Ann
  kalah games names 3qX0 --south '' --north ''")]
pub(super) struct GamesNamesArgs {
    /// The id of the game, or its beginning
    #[arg(value_name = "ID", value_parser = parse_game_id)]
    id: GameIdPrefix,
    /// The name of the player who started as South
    #[arg(long, value_name = "NAME", value_parser = parse_name_change)]
    south: Option<NameChange>,
    /// The name of the player who started as North
    #[arg(long, value_name = "NAME", value_parser = parse_name_change)]
    north: Option<NameChange>,
    #[command(flatten)]
    data: DataOption,
    /// Print the game as one line of JSON, as `kalah games list` does
    #[arg(long)]
    json: bool,
}

/// Parses a name. An empty one removes the name of the player.
fn parse_name_change(text: &str) -> Result<NameChange, String> {
    if text.trim().is_empty() {
        return Ok(NameChange::Remove);
    }
    let name = text.parse().map(NameChange::Set);
    name.map_err(|error: kalah_store::ParsePlayerNameError| error.to_string())
}

pub(super) fn run_end(arguments: &GamesEndArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let mut editor = GameEditor::open(&arguments.data.folder()?)?;
    let ids = find_all(&editor, &arguments.ids)?;
    for game in editor.end(&ids, arguments.winner.ending(), now())? {
        if arguments.json {
            write_game_json(Ok(game), output)?;
        } else {
            writeln!(output, "ended {}", game_text(&game))?;
        }
    }
    Ok(())
}

pub(super) fn run_delete(
    arguments: &GamesDeleteArgs,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    if !arguments.yes && !io::stdin().is_terminal() {
        let reason = "deleting games asks for a confirmation, and standard input is no terminal";
        return Err(CliError::Usage(format!("{reason}: use --yes")));
    }
    let mut editor = GameEditor::open(&arguments.data.folder()?)?;
    let ids = find_all(&editor, &arguments.ids)?;
    let load = |&id| {
        let game = editor.load(id);
        game.map_err(|error| UnreadableGameError {
            id,
            reason: error.to_string(),
        })
    };
    let games: Vec<_> = ids.iter().map(load).collect();
    let texts = games.iter().map(|game| match game {
        Ok(game) => game_text(game),
        Err(UnreadableGameError { id, reason }) => {
            format!("{id}: damaged: {}", escape_control(reason))
        }
    });
    let texts: Vec<String> = texts.collect();
    if !arguments.yes && !confirm(&texts)? {
        return Err(CliError::Runtime("no game was deleted".to_owned()));
    }
    editor.delete(&ids)?;
    for (game, text) in games.into_iter().zip(texts) {
        if arguments.json {
            write_game_json(game, output)?;
        } else {
            writeln!(output, "deleted {text}")?;
        }
    }
    Ok(())
}

pub(super) fn run_names(
    arguments: &GamesNamesArgs,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    let mut editor = GameEditor::open(&arguments.data.folder()?)?;
    let id = editor.find(&arguments.id)?;
    let before = editor.load(id)?;
    let change = |change: &Option<NameChange>| change.clone().unwrap_or(NameChange::Keep);
    let changes = ByPlayer::new(change(&arguments.south), change(&arguments.north));
    let after = editor.rename(id, &changes, now())?;
    if arguments.json {
        return Ok(write_game_json(Ok(after), output)?);
    }
    writeln!(output, "renamed {id}")?;
    for player in PlayerId::ALL {
        let [old, new] = [&before, &after].map(|game| name_text(game, player));
        let side = player.started_as;
        if old == new {
            writeln!(output, "{side}: {new}")?;
        } else {
            writeln!(output, "{side}: {new}, before: {old}")?;
        }
    }
    Ok(())
}

/// Returns the games whose ids begin so, each once.
fn find_all(editor: &GameEditor, prefixes: &[GameIdPrefix]) -> Result<Vec<GameId>, CliError> {
    let mut known = BTreeSet::new();
    let mut ids = Vec::new();
    for prefix in prefixes {
        let id = editor.find(prefix)?;
        if known.insert(id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

/// Asks on the terminal whether games should be deleted.
fn confirm(games: &[String]) -> Result<bool, CliError> {
    for game in games {
        print_stderr(game);
    }
    let mut errors = anstream::stderr();
    let question = format!(
        "Delete {} for ever? [y/N] ",
        format_count(games.len() as u64, "game")
    );
    // An error on standard error cannot be reported anywhere.
    let _ = write!(errors, "{question}").and_then(|()| errors.flush());
    let mut answer = String::new();
    io::stdin()
        .read_line(&mut answer)
        .map_err(CliError::Input)?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}

/// Returns the id of a game, its players and its state.
fn game_text(game: &StoredGame) -> String {
    let [south, north] = PlayerId::ALL.map(|player| name_text(game, player));
    let state = match game.replay() {
        Ok(replayed) => state_text(game, &replayed, Palette::PLAIN),
        Err(reason) => format!("damaged: {reason}"),
    };
    let plies = format_count(game.plies.len() as u64, "ply");
    escape_control(&format!("{}: {south} - {north}, {plies}, {state}", game.id))
}

fn name_text(game: &StoredGame, player: PlayerId) -> String {
    let name = game.state.names[player].as_ref();
    name.map_or(UNNAMED, PlayerName::as_str).to_owned()
}
