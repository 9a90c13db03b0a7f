//! Episodes of Kaggle's environments.
//!
//! The environment sets up a game in the first two steps and makes a ply in each further one. The
//! agent that is not to move submits -1. If an agent fails, one more step has its failure.

use kalah::record::{Record, Tags};
use kalah::{Board, BySide, Ending, Game, Position, Side, Termination};
use serde_json::{Value, json};

use crate::action::{Action, FIELDS, GAME_NAME, NO_SUBMISSION, actions, player_index, store_field};

/// The name and the title of the environment.
const ENVIRONMENT_NAME: &str = "open_spiel_mancala";
const ENVIRONMENT_TITLE: &str = "Open Spiel: mancala";

/// The version of the environment and that of the form of an episode.
const ENVIRONMENT_VERSION: &str = "0.1.0";
const SCHEMA_VERSION: u32 = 1;

/// The game with which the environment replaces `OpenSpiel`'s mancala: its observations are JSON.
const GAME_STRING: &str = "mancala_proxy()";

/// The number of the current player in a finished game.
const TERMINAL_PLAYER: i64 = -4;

/// The rewards of a winner, of a loser, and of both players after a tie.
const WIN: f64 = 1.0;
const LOSS: f64 = -1.0;
const TIE: f64 = 0.0;

/// The report of an agent that has no legal move to submit.
const ILLEGAL_SUBMISSION_STATUS: &str = "illegal move";

/// Builds the episode of a game. Returns it with the ending that an import reads from it, which can
/// differ from that of the record.
pub(super) fn build(record: &Record, game: &Game) -> (Value, Ending) {
    let ending = record.ending();
    let end = EpisodeEnd::new(ending);
    let states = states(game);
    let mut steps = vec![Side::ALL.map(|_| setup_entry())];
    for state in &states {
        // The setup applies no action, but reports on the agent that will move first.
        let acting = state
            .last_action
            .map_or(game.start().to_move(), |action| action.side);
        steps.push(Side::ALL.map(|side| {
            let action = state.last_action.filter(|_| side == acting);
            entry(state, side, action, side == acting)
        }));
    }
    if let (Some(state), EpisodeEnd::Failure { loser, failure }) = (states.last(), end) {
        steps.push(Side::ALL.map(|side| {
            let mut entry = entry(state, side, None, state.to_move == Some(side));
            if side == loser {
                entry["action"] = match failure {
                    Failure::Illegal => json!({
                        "submission": NO_SUBMISSION, "status": ILLEGAL_SUBMISSION_STATUS,
                    }),
                    Failure::Error | Failure::Timeout => Value::Null,
                };
            }
            entry
        }));
    }
    let to_move = states.last().and_then(|state| state.to_move);
    let statuses = BySide::from_fn(|side| end.status(side, to_move));
    let rewards = BySide::from_fn(|side| end.reward(side));
    if let Some(last) = steps.last_mut() {
        for side in Side::ALL {
            let entry = &mut last[player_index(side)];
            entry["status"] = json!(statuses[side]);
            entry["reward"] = json!(rewards[side]);
        }
    }
    let episode = json!({
        "name": ENVIRONMENT_NAME,
        "title": ENVIRONMENT_TITLE,
        "version": ENVIRONMENT_VERSION,
        "schema_version": SCHEMA_VERSION,
        "configuration": {
            "openSpielGameName": GAME_NAME,
            "openSpielGameString": GAME_STRING,
            "openSpielGameParameters": {},
        },
        "info": info(record, game, &states),
        "steps": steps,
        "rewards": [rewards.south, rewards.north],
        "statuses": [statuses.south, statuses.north],
    });
    // A game that is over by the rules has its ending from them.
    let imported_ending = if ending.termination == Termination::Normal {
        ending
    } else {
        end.early_ending()
    };
    (episode, imported_ending)
}

/// The end of an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EpisodeEnd {
    /// The game goes on.
    Open,
    /// The game has this winner, or is a tie.
    Decided(Option<Side>),
    /// An agent has lost because it failed.
    Failure { loser: Side, failure: Failure },
}

/// The failure of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    Illegal,
    Error,
    Timeout,
}

impl EpisodeEnd {
    /// Returns the end that is closest to the ending of a record.
    fn new(ending: Ending) -> Self {
        let failure = match ending.termination {
            Termination::Unfinished => return Self::Open,
            Termination::Normal | Termination::Adjudicated => return Self::Decided(ending.winner),
            Termination::Illegal => Some(Failure::Illegal),
            Termination::Time | Termination::Stall => Some(Failure::Timeout),
            Termination::Crash | Termination::Protocol => Some(Failure::Error),
            Termination::Resign => None,
        };
        match (ending.winner, failure) {
            (None, _) => Self::Open,
            (winner, None) => Self::Decided(winner),
            (Some(winner), Some(failure)) => Self::Failure {
                loser: winner.opponent(),
                failure,
            },
        }
    }

    /// Returns the ending that an import reads from an episode with this end, if the game is not
    /// over by the rules.
    fn early_ending(self) -> Ending {
        let (termination, winner) = match self {
            Self::Open => (Termination::Unfinished, None),
            Self::Decided(winner) => (Termination::Adjudicated, winner),
            Self::Failure { loser, failure } => {
                let termination = match failure {
                    Failure::Illegal => Termination::Illegal,
                    Failure::Error => Termination::Crash,
                    Failure::Timeout => Termination::Time,
                };
                (termination, Some(loser.opponent()))
            }
        };
        Ending {
            termination,
            winner,
            outcome: None,
        }
    }

    /// Returns the last status of a side's agent.
    fn status(self, side: Side, to_move: Option<Side>) -> &'static str {
        match self {
            Self::Open => status(side, to_move),
            Self::Failure { loser, failure } if loser == side => match failure {
                Failure::Timeout => "TIMEOUT",
                Failure::Error => "ERROR",
                // The environment reports an illegal move by the rewards. An agent that is not to
                // move cannot make one there.
                Failure::Illegal if to_move == Some(side) => "DONE",
                Failure::Illegal => "INVALID",
            },
            Self::Decided(_) | Self::Failure { .. } => "DONE",
        }
    }

    /// Returns the last reward of a side's agent.
    fn reward(self, side: Side) -> Option<f64> {
        match self {
            Self::Open => None,
            Self::Decided(None) => Some(TIE),
            Self::Decided(Some(winner)) => Some(if winner == side { WIN } else { LOSS }),
            Self::Failure { loser, failure } if loser == side => {
                (failure == Failure::Illegal).then_some(LOSS)
            }
            Self::Failure { .. } => Some(WIN),
        }
    }
}

/// A state of the game in `OpenSpiel`.
struct EpisodeState {
    /// The side to move, `None` at the end.
    to_move: Option<Side>,
    /// The action that led to the state.
    last_action: Option<Action>,
    /// The text of the state.
    text: String,
}

/// Returns the states of a game, the start included.
fn states(game: &Game) -> Vec<EpisodeState> {
    let start = EpisodeState::new(game.start(), game.start().board(), None, 0);
    let mut before = game.start();
    let mut states = vec![start];
    for ((number, ply), action) in (1..).zip(game.plies()).zip(actions(game)) {
        // OpenSpiel does not sweep the rows at the end of a game.
        let board = before.board_before_sweep(action.house);
        let board = board.as_ref().unwrap_or(ply.after.board());
        states.push(EpisodeState::new(&ply.after, board, Some(action), number));
        before = &ply.after;
    }
    states
}

impl EpisodeState {
    fn new(position: &Position, board: &Board, last_action: Option<Action>, number: usize) -> Self {
        let mut fields = [0; FIELDS];
        for side in Side::ALL {
            fields[usize::from(store_field(side))] = board.store(side);
            for action in Action::all(side) {
                let seeds = board.house(side, action.house.number().into());
                fields[usize::from(action.field())] = seeds.unwrap_or_default();
            }
        }
        let to_move = (!position.is_over()).then_some(position.to_move());
        let rows = Side::ALL.map(|side| {
            let row = Action::all(side).map(|action| fields[usize::from(action.field())]);
            row.collect::<Vec<_>>()
        });
        let stores = Side::ALL.map(|side| fields[usize::from(store_field(side))]);
        let winner = position.outcome().map(|outcome| match outcome.winner() {
            Some(side) => json!(player_index(side)),
            None => json!("draw"),
        });
        let text = json!({
            "board": fields,
            "pits": {"0": rows[0], "1": rows[1]},
            "stores": {"0": stores[0], "1": stores[1]},
            "scores": stores,
            "current_player": to_move.map_or(json!("terminal"), |side| json!(player_index(side))),
            "move_number": number,
            "last_action": last_action.map(Action::field),
            "last_action_player": last_action.map(|action| player_index(action.side)),
            "is_terminal": to_move.is_none(),
            "winner": winner,
        });
        Self {
            to_move,
            last_action,
            text: text.to_string(),
        }
    }
}

/// Returns the status of a side's agent in a game that goes on.
fn status(side: Side, to_move: Option<Side>) -> &'static str {
    if to_move == Some(side) {
        "ACTIVE"
    } else {
        "INACTIVE"
    }
}

/// Returns the entry of an agent in the first step, before the environment has a game.
fn setup_entry() -> Value {
    json!({
        "action": {"submission": NO_SUBMISSION},
        "info": {},
        "observation": {},
        "reward": TIE,
        "status": "ACTIVE",
    })
}

/// Returns the entry of an agent in a step that led to a state, by its action or without one.
fn entry(state: &EpisodeState, side: Side, action: Option<Action>, is_acting: bool) -> Value {
    let field = action.map(Action::field);
    let mut submission = json!({"submission": field.map_or(NO_SUBMISSION, i64::from)});
    if let Some(field) = field {
        submission["actionString"] = json!(field.to_string());
    }
    let info = if is_acting {
        json!({
            "actionSubmitted": field,
            "actionSubmittedToString": field.map(|field| field.to_string()),
            "actionApplied": field,
        })
    } else {
        json!({})
    };
    json!({
        "action": submission,
        "info": info,
        "observation": {
            "observationString": state.text,
            "currentPlayer": state.to_move.map_or(json!(TERMINAL_PLAYER), |side| {
                json!(player_index(side))
            }),
            "playerId": player_index(side),
            "isTerminal": state.to_move.is_none(),
        },
        "reward": null,
        "status": status(side, state.to_move),
    })
}

/// Returns the information about the whole episode.
fn info(record: &Record, game: &Game, states: &[EpisodeState]) -> Value {
    let history: Vec<String> = actions(game)
        .map(|action| action.field().to_string())
        .collect();
    let states: Vec<&str> = states.iter().map(|state| state.text.as_str()).collect();
    let mut info = json!({
        "openSpielGameStringResolved": GAME_STRING,
        "actionHistory": history,
        "stateHistory": states,
    });
    let names = Side::ALL.map(|side| player_name(record, side));
    if names.iter().any(Option::is_some) {
        info["TeamNames"] = json!(names);
    }
    info
}

/// Returns the name of a player, if the record has it.
pub(super) fn player_name(record: &Record, side: Side) -> Option<&str> {
    record.tags().get(match side {
        Side::South => Tags::SOUTH,
        Side::North => Tags::NORTH,
    })
}
