//! Episodes of Kaggle's environments, in which two agents play `OpenSpiel`'s mancala.
//!
//! An episode is an object with `steps`. Each step has an entry for each agent, South's first, with
//! its `action`, its `status` and `reward` after the step, and the `observation` on which its next
//! action depends. Each agent may submit an action in each step, but the environment applies only
//! that of the agent to move, and none in the first two steps, which set up the game.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::time::Duration;

use kalah::record::{PlyTimes, Record};
use kalah::{BySide, Ending, Game, Rules, Side, Termination};
use kalah_import::{GameNotes, ImportReason, build_record, loss};
use serde_json::Value;

use super::error::OpenSpielError;
use super::replay::{new_game, play_action, unquoted};
use crate::action::{ERROR_SUBMISSION, GAME_NAME, player_index, player_side};

/// Returns whether a value is an episode.
pub(super) fn is_episode(value: &Value) -> bool {
    value.get("steps").is_some()
}

/// Imports an episode.
pub(super) fn import_episode(value: &Value, rules: Rules) -> Result<Record, ImportReason> {
    let episode = Episode::new(value)?;
    let mut game = new_game(rules)?;
    let illegal_action = episode.play_actions(&mut game)?;
    let ending = if game.position().is_over() {
        None
    } else {
        illegal_action.or_else(|| episode.early_ending(&game))
    };
    Ok(build_record(
        &game,
        episode.names(),
        ending,
        &episode.notes(&game),
    ))
}

/// An episode and its steps.
struct Episode<'a> {
    value: &'a Value,
    steps: &'a [Value],
    /// Whether the observations say which player is to move.
    has_players: bool,
}

impl<'a> Episode<'a> {
    fn new(value: &'a Value) -> Result<Self, ImportReason> {
        let game_name = value.pointer("/configuration/openSpielGameName");
        if let Some(name) = game_name.and_then(Value::as_str)
            && name != GAME_NAME
        {
            return Err(OpenSpielError::OtherGame(name.to_owned()).into());
        }
        let steps = &value["steps"];
        let shape = || OpenSpielError::Shape(steps.to_string());
        let steps = steps.as_array().ok_or_else(shape)?;
        if steps.is_empty() && value.pointer(ACTION_HISTORY).is_none() {
            return Err(OpenSpielError::NoSteps.into());
        }
        let has_players = steps.iter().any(|step| current_player(step).is_some());
        Ok(Self {
            value,
            steps,
            has_players,
        })
    }

    /// Plays the actions. Returns the ending if the last one is illegal, at which the environment
    /// ends the episode.
    fn play_actions(&self, game: &mut Game) -> Result<Option<Ending>, ImportReason> {
        let initial_actions = ["/info/initialActions", "/configuration/initialActions"]
            .into_iter()
            .find_map(|path| self.value.pointer(path)?.as_array());
        if self.has_applied_actions() {
            let applied = self.steps.iter().filter_map(applied_action);
            let actions = initial_actions.into_iter().flatten().chain(applied);
            return play_all(game, actions);
        }
        // The history has the initial actions, too.
        if let Some(history) = self.value.pointer(ACTION_HISTORY) {
            return play_all(game, history.as_array().into_iter().flatten());
        }
        play_all(game, initial_actions.into_iter().flatten())?;
        self.play_submissions(game)
    }

    /// Returns whether the steps say which actions the environment has applied.
    fn has_applied_actions(&self) -> bool {
        let mut agents = self.steps.iter().flat_map(agents);
        agents.any(|agent| agent.pointer(APPLIED_ACTION).is_some())
    }

    /// Plays the submissions of the agent to move in each step. Those of the other agent have no
    /// effect.
    fn play_submissions(&self, game: &mut Game) -> Result<Option<Ending>, ImportReason> {
        for (number, step) in self.steps.iter().enumerate() {
            let side = self.acting_side(number, game);
            let Some(action) = side.and_then(|side| submission(agent(step, side))) else {
                continue;
            };
            // A player that has failed submits a negative number.
            let Ok(field) = u64::try_from(action) else {
                continue;
            };
            let to_move = game.position().to_move();
            if let Err(reason) = play_action(game, &field.to_string()) {
                if number + 1 < self.steps.len() {
                    return Err(reason);
                }
                return Ok(Some(loss(to_move, Termination::Illegal)));
            }
        }
        Ok(None)
    }

    /// Returns the side whose action the environment applies in a step: the current player of the
    /// observation before it. Before the first observation there is none. Without observations, it
    /// is the side to move in `game`.
    fn acting_side(&self, step: usize, game: &Game) -> Option<Side> {
        if !self.has_players {
            return Some(game.position().to_move());
        }
        current_player(self.steps.get(step.checked_sub(1)?)?)
    }

    /// Returns the time control, the time of each ply, and the time that its agent has left for
    /// moves that exceed the time of a move, in an episode with a step for each of these plies.
    fn notes(&self, game: &Game) -> GameNotes {
        let has_applied = self.has_applied_actions();
        let is_ply = |step: &&Value| {
            if has_applied {
                return applied_action(step).is_some();
            }
            let mut submissions = agents(step).filter_map(submission);
            submissions.any(|action| action >= 0)
        };
        let steps: Vec<&Value> = self.steps.iter().filter(is_ply).collect();
        let mut times = BTreeMap::new();
        if let Some(first) = game.plies().len().checked_sub(steps.len()) {
            for (ply, step) in (first..).zip(steps) {
                let agent = agent(step, game.plies()[ply].side);
                let elapsed = seconds(agent, TIME_TAKEN);
                let clock = seconds(agent, OVERAGE_TIME);
                times.insert(ply, PlyTimes { elapsed, clock });
            }
        }
        let move_time = self.value.pointer("/configuration/actTimeout");
        let move_time = move_time.and_then(Value::as_f64);
        GameNotes {
            time_control: move_time.map(|seconds| format!("{seconds}s a move")),
            times,
            ..GameNotes::default()
        }
    }

    /// Returns the ending of an episode that is not over by the rules: an agent has failed, or the
    /// environment has ended the game.
    fn early_ending(&self, game: &Game) -> Option<Ending> {
        let last = self.steps.len().checked_sub(1);
        let acting = last.and_then(|last| self.acting_side(last, game));
        let failures = BySide::from_fn(|side| failure(self.status(side)?));
        if let Some(side) = self.failed_side(failures, acting) {
            return Some(loss(side, failures[side]?));
        }
        let reward = |side| {
            let reward = self.last_agent(side)["reward"].as_f64();
            reward.or_else(|| self.value["rewards"][player_index(side)].as_f64())
        };
        let loser = match reward(Side::South)?.partial_cmp(&reward(Side::North)?)? {
            Ordering::Less => Side::South,
            Ordering::Greater => Side::North,
            Ordering::Equal => {
                let is_done = |side| self.status(side) == Some(DONE);
                return Side::ALL.into_iter().all(is_done).then_some(Ending {
                    termination: Termination::Adjudicated,
                    winner: None,
                    outcome: None,
                });
            }
        };
        let has_lost_by_refusal =
            acting == Some(loser) && is_action_refused(self.last_agent(loser));
        let termination = if has_lost_by_refusal {
            Termination::Illegal
        } else {
            Termination::Adjudicated
        };
        Some(loss(loser, termination))
    }

    /// Returns the side that has failed. If one agent fails, the environment may give the other one
    /// the status of an error, too, so the surest sign decides: first a failure of only one agent;
    /// then a time limit or an illegal move of only one, because the environment gives the other
    /// agent no status but `ERROR`; then the missing action of a program that has raised an error.
    /// Without any of these, it is the agent that was to move, because the environment waits only
    /// for that one.
    fn failed_side(
        &self,
        failures: BySide<Option<Termination>>,
        acting: Option<Side>,
    ) -> Option<Side> {
        let has_failed = |side: Side| failures[side].is_some();
        let has_own_status = |side: Side| failures[side].is_some_and(|of| of != Termination::Crash);
        let has_raised = |side: Side| has_failed(side) && has_raised(self.last_agent(side));
        only_side(has_failed)
            .or_else(|| only_side(has_own_status))
            .or_else(|| only_side(has_raised))
            .or(acting.filter(|&side| has_failed(side)))
            .or_else(|| Side::ALL.into_iter().find(|&side| has_failed(side)))
    }

    /// Returns the last entry of an agent.
    fn last_agent(&self, side: Side) -> &Value {
        self.steps
            .last()
            .map_or(&Value::Null, |step| agent(step, side))
    }

    /// Returns the last status of an agent.
    fn status(&self, side: Side) -> Option<&str> {
        let status = self.last_agent(side)["status"].as_str();
        status.or_else(|| self.value["statuses"][player_index(side)].as_str())
    }

    /// Returns the names of the teams or agents, as far as the episode has them.
    fn names(&self) -> BySide<Option<&'a str>> {
        let info = &self.value["info"];
        BySide::from_fn(|side| {
            let index = player_index(side);
            let team = info["TeamNames"][index].as_str();
            team.or_else(|| info["Agents"][index]["Name"].as_str())
        })
    }
}

/// The status of both agents at the end of an episode in which none has failed.
const DONE: &str = "DONE";

/// The place in an episode of all actions.
const ACTION_HISTORY: &str = "/info/actionHistory";

/// The place in the entry of the agent to move of the action that the environment has applied. It
/// is null if the environment has refused the submission.
const APPLIED_ACTION: &str = "/info/actionApplied";

/// Returns the termination that the status of a failed agent means.
fn failure(status: &str) -> Option<Termination> {
    match status {
        "TIMEOUT" => Some(Termination::Time),
        "ERROR" => Some(Termination::Crash),
        "INVALID" => Some(Termination::Illegal),
        _ => None,
    }
}

/// Returns the entries of a step.
fn agents(step: &Value) -> impl Iterator<Item = &Value> {
    step.as_array().into_iter().flatten()
}

/// Returns the entry of an agent in a step.
fn agent(step: &Value, side: Side) -> &Value {
    &step[player_index(side)]
}

/// The place in the entry of an agent of the time of its action, in seconds.
const TIME_TAKEN: &str = "/info/timeTaken";

/// The place in the entry of an agent of the time that it has left for slow actions, in seconds.
const OVERAGE_TIME: &str = "/observation/remainingOverageTime";

/// Returns a time in the entry of an agent, in whole milliseconds.
fn seconds(agent: &Value, pointer: &str) -> Option<Duration> {
    let time = Duration::try_from_secs_f64(agent.pointer(pointer)?.as_f64()?).ok()?;
    let milliseconds = u64::try_from(time.as_millis()).ok()?;
    Some(Duration::from_millis(milliseconds))
}

/// Returns the side to move in the observation of a step.
fn current_player(step: &Value) -> Option<Side> {
    let number = |agent: &Value| agent.pointer("/observation/currentPlayer")?.as_i64();
    player_side(agents(step).find_map(number)?)
}

/// Returns the submission of an agent.
fn submission(agent: &Value) -> Option<i64> {
    let action = &agent["action"];
    action["submission"].as_i64().or_else(|| action.as_i64())
}

/// Returns the action that the environment has applied in a step.
fn applied_action(step: &Value) -> Option<&Value> {
    let mut applied = agents(step).filter_map(|agent| agent.pointer(APPLIED_ACTION));
    applied.find(|action| !action.is_null())
}

/// Returns whether the environment has refused the last action of an agent that was to move.
fn is_action_refused(agent: &Value) -> bool {
    agent.pointer(APPLIED_ACTION).is_some_and(Value::is_null)
        || submission(agent).is_some_and(|action| action < 0)
}

/// Returns whether the program of an agent has raised an error instead of returning an action.
fn has_raised(agent: &Value) -> bool {
    agent.get("action").is_some_and(Value::is_null) || submission(agent) == Some(ERROR_SUBMISSION)
}

/// Returns the side for which a condition holds, if it holds for no other.
fn only_side(holds: impl Fn(Side) -> bool) -> Option<Side> {
    let mut sides = Side::ALL.into_iter().filter(|&side| holds(side));
    let side = sides.next()?;
    sides.next().is_none().then_some(side)
}

/// Plays actions that the environment has applied. Returns no ending.
fn play_all<'a>(
    game: &mut Game,
    actions: impl Iterator<Item = &'a Value>,
) -> Result<Option<Ending>, ImportReason> {
    for action in actions {
        play_action(game, &unquoted(action))?;
    }
    Ok(None)
}
