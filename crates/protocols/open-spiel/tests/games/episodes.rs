//! Episodes of Kaggle's environments: actions out of turn, agents that fail, and episodes with
//! parts of their data.

use std::time::Duration;

use kalah::{Game, Move, Rules, Side, Termination};
use kalah_import::ImportedGames;
use kalah_open_spiel::{ExportFormat, OPEN_SPIEL, export};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::import_round_trip::actions;
use super::{moves, only_game, random_game};

/// The submission of an agent that is not to move.
const NO_SUBMISSION: i64 = -1;
/// The submission with which an agent reports an error of its own.
const AGENT_ERROR: i64 = -2;

/// The result of an agent's call in a step.
#[derive(Clone, Copy, Debug)]
enum AgentAnswer {
    Submission(i64),
    Raises,
    TimesOut,
}

/// A model of Kaggle's environment for `OpenSpiel`'s mancala, which logs an episode.
struct Environment {
    game: Game,
    /// Whether an agent that fails loses, or the whole episode counts for none.
    is_strict: bool,
    steps: Vec<Value>,
    history: Vec<String>,
}

fn index(side: Side) -> i64 {
    match side {
        Side::South => 0,
        Side::North => 1,
    }
}

impl Environment {
    fn new(is_strict: bool) -> Self {
        let entry = || {
            json!({
                "action": {"submission": NO_SUBMISSION}, "reward": 0.0, "info": {},
                "observation": {"remainingOverageTime": 60}, "status": "ACTIVE",
            })
        };
        let mut environment = Self {
            game: random_game(6, 4, Rules::STANDARD, &[]),
            is_strict,
            steps: vec![json!([entry(), entry()])],
            history: Vec::new(),
        };
        // The first call sets up the game and applies no action.
        environment.step([AgentAnswer::Submission(NO_SUBMISSION); 2]);
        environment
    }

    /// Makes a step with the answers of South and North.
    fn step(&mut self, answers: [AgentAnswer; 2]) {
        let is_setup = self.steps.len() == 1;
        let acting = self.game.position().to_move();
        let status_of = |answer: &AgentAnswer| match answer {
            AgentAnswer::Submission(_) => "ACTIVE",
            AgentAnswer::Raises => "ERROR",
            AgentAnswer::TimesOut => "TIMEOUT",
        };
        let mut own = answers.each_ref().map(status_of);
        let (mut submitted, mut applied) = (Value::Null, Value::Null);
        if let AgentAnswer::Submission(number) = answers[usize::from(acting == Side::North)]
            && !is_setup
        {
            submitted = json!(number);
            let legal = self.game.position().legal_moves().find(|&mv| {
                let mut after = self.game.clone();
                after.play(mv).is_ok()
                    && actions(&after).last().map(|&last| i64::from(last)) == Some(number)
            });
            if let Some(mv) = legal {
                self.game.play(mv).expect("it is legal");
                applied = json!(number);
                self.history.push(number.to_string());
            } else {
                let failure = if number == AGENT_ERROR {
                    "ERROR"
                } else {
                    "INVALID"
                };
                own[usize::from(acting == Side::North)] = failure;
            }
        }
        let has_error = own
            .iter()
            .any(|status| ["ERROR", "TIMEOUT"].contains(status));
        let has_invalid = own.contains(&"INVALID");
        let outcome = self.game.outcome();
        let current = match outcome {
            Some(_) => -4,
            None => index(self.game.position().to_move()),
        };
        let entries = Side::ALL.map(|side| {
            let at = usize::from(side == Side::North);
            let failed = own[at] != "ACTIVE";
            let (status, reward) = match (has_error, has_invalid, outcome) {
                (true, ..) if self.is_strict && failed => (own[at], Value::Null),
                (true, ..) if self.is_strict => ("DONE", json!(1)),
                (true, ..) if own[at] == "TIMEOUT" => ("TIMEOUT", Value::Null),
                (true, ..) => ("ERROR", Value::Null),
                (_, true, _) => ("DONE", json!(if failed { -1 } else { 1 })),
                (.., Some(outcome)) => {
                    let reward = match outcome.winner() {
                        None => 0.0,
                        Some(winner) if winner == side => 1.0,
                        Some(_) => -1.0,
                    };
                    ("DONE", json!(reward))
                }
                _ if current == index(side) => ("ACTIVE", Value::Null),
                _ => ("INACTIVE", Value::Null),
            };
            let info = if side == acting {
                json!({
                    "actionSubmitted": submitted, "actionApplied": applied, "timeTaken": 0.25,
                    "agentSelfReportedStatus": null,
                })
            } else {
                json!({})
            };
            let action = match answers[at] {
                AgentAnswer::Submission(number) => json!({"submission": number}),
                AgentAnswer::Raises | AgentAnswer::TimesOut => Value::Null,
            };
            json!({
                "action": action, "reward": reward, "info": info, "status": status,
                "observation": {
                    "currentPlayer": current, "playerId": index(side),
                    "isTerminal": outcome.is_some(),
                },
            })
        });
        self.steps.push(json!(entries));
    }

    /// Makes a step in which the side to move submits an action and the other side another one.
    fn submit(&mut self, action: i64, out_of_turn: i64) {
        let answers = [action, out_of_turn].map(AgentAnswer::Submission);
        self.answer(answers);
    }

    /// Makes a step in which the side to move submits one of its legal actions, by a number, and
    /// the other side another one. Returns false if the game is over.
    fn submit_legal(&mut self, pick: usize, out_of_turn: i64) -> bool {
        let legal: Vec<Move> = self.game.position().legal_moves().collect();
        if legal.is_empty() {
            return false;
        }
        let mut after = self.game.clone();
        after.play(legal[pick % legal.len()]).expect("it is legal");
        let action = i64::from(*actions(&after).last().expect("a ply"));
        self.submit(action, out_of_turn);
        true
    }

    /// Makes a step with the answers of the side to move and of the other side.
    fn answer(&mut self, [acting, other]: [AgentAnswer; 2]) {
        self.step(match self.game.position().to_move() {
            Side::South => [acting, other],
            Side::North => [other, acting],
        });
    }

    fn episode(&self) -> Value {
        let last = self.steps.last().expect("a step");
        json!({
            "name": "open_spiel_mancala",
            "configuration": {"openSpielGameName": "mancala", "strictMode": self.is_strict},
            "steps": self.steps,
            "rewards": [last[0]["reward"], last[1]["reward"]],
            "statuses": [last[0]["status"], last[1]["status"]],
            "info": {"TeamNames": ["Lisa", "Bart"], "actionHistory": self.history},
        })
    }
}

fn import_episode(episode: &Value) -> ImportedGames {
    OPEN_SPIEL.import(&episode.to_string(), None)
}

/// Returns the variants of an episode in which one part of the data after another is missing.
fn with_less_data(episode: &Value) -> Vec<Value> {
    let mut without_applied = episode.clone();
    let mut without_history = episode.clone();
    for episode in [&mut without_applied, &mut without_history] {
        for entry in entries_mut(episode) {
            entry["info"] = json!({});
        }
    }
    without_history["info"] = json!({"TeamNames": ["Lisa", "Bart"]});
    let mut without_players = without_history.clone();
    for entry in entries_mut(&mut without_players) {
        entry["observation"] = json!({});
    }
    vec![
        episode.clone(),
        without_applied,
        without_history,
        without_players,
    ]
}

fn entries_mut(episode: &mut Value) -> impl Iterator<Item = &mut Value> {
    let steps = episode["steps"].as_array_mut().expect("steps");
    steps
        .iter_mut()
        .flat_map(|step| step.as_array_mut().expect("entries"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn actions_out_of_turn_have_no_effect(
        picks in prop::collection::vec((0_usize..6, -1_i64..14), 1..60),
    ) {
        let mut environment = Environment::new(false);
        for (pick, out_of_turn) in picks {
            if !environment.submit_legal(pick, out_of_turn) {
                break;
            }
        }
        for episode in with_less_data(&environment.episode()) {
            let imported = import_episode(&episode);
            prop_assert_eq!(moves(&only_game(&imported)), moves(&environment.game), "{}", episode);
            let ending = imported.records[0].ending();
            prop_assert_eq!(ending.outcome, environment.game.outcome());
        }
    }
}

#[test]
fn times_of_an_episode_are_those_of_its_plies() {
    let mut environment = Environment::new(true);
    for pick in [2, 5, 1] {
        assert!(environment.submit_legal(pick, NO_SUBMISSION));
    }
    let mut episode = environment.episode();
    episode["configuration"]["actTimeout"] = json!(2);
    let steps = episode["steps"].as_array_mut().expect("steps");
    for (number, step) in steps.iter_mut().enumerate() {
        for entry in step.as_array_mut().expect("entries") {
            entry["observation"]["remainingOverageTime"] =
                json!(60.5 - f64::from(u8::try_from(number).expect("few steps")));
        }
    }
    let [episode, without_applied, ..] = &with_less_data(&episode)[..] else {
        panic!("an episode")
    };
    for (episode, elapsed) in [(episode, Some(250)), (without_applied, None)] {
        let imported = import_episode(episode);
        let record = &imported.records[0];
        assert_eq!(record.tags().get("TimeControl"), Some("2s a move"));
        let times = record.ply_times();
        let milliseconds = |time: Option<Duration>| time.map(|time| time.as_millis());
        let times: Vec<_> = times
            .iter()
            .map(|times| (milliseconds(times.elapsed), milliseconds(times.clock)))
            .collect();
        // The environment begins with two steps that set up the game.
        let clocks = [58_500, 57_500, 56_500];
        assert_eq!(times, clocks.map(|clock| (elapsed, Some(clock))));
    }
}

/// Returns the parts of a step that both agents' entries have in every episode.
fn essentials(step: &Value) -> Vec<Value> {
    let entries = step.as_array().expect("entries").iter();
    entries
        .map(|entry| {
            let observation = &entry["observation"];
            json!({
                "action": entry["action"]["submission"],
                "reward": entry["reward"],
                "status": entry["status"],
                "submitted": entry["info"]["actionSubmitted"],
                "applied": entry["info"]["actionApplied"],
                "current": observation["currentPlayer"],
                "player": observation["playerId"],
                "is_terminal": observation["isTerminal"],
            })
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn exported_episode_has_the_steps_of_the_environment(
        picks in prop::collection::vec(0_usize..6, 0..80),
    ) {
        let mut environment = Environment::new(false);
        for pick in picks {
            if !environment.submit_legal(pick, NO_SUBMISSION) {
                break;
            }
        }
        let imported = import_episode(&environment.episode());
        let exported = export(&imported.records[0], ExportFormat::Kaggle).expect("the rules are standard");
        let exported: Value = serde_json::from_str(&exported.text).expect("JSON");
        let expected = environment.episode();
        let steps = |episode: &Value| -> Vec<_> {
            let steps = episode["steps"].as_array().expect("steps").iter();
            // The first two steps, the start and the call that sets up the game, have no move.
            steps.skip(2).map(essentials).collect()
        };
        prop_assert_eq!(steps(&exported), steps(&expected));
        prop_assert_eq!(&exported["statuses"], &expected["statuses"]);
        prop_assert_eq!(&exported["rewards"], &expected["rewards"]);
        prop_assert_eq!(&exported["info"]["TeamNames"], &expected["info"]["TeamNames"]);
        prop_assert_eq!(&exported["info"]["actionHistory"], &expected["info"]["actionHistory"]);
    }
}

#[test]
fn the_agent_that_fails_loses() {
    let fails = [AgentAnswer::Raises, AgentAnswer::Submission(AGENT_ERROR)];
    let waits = AgentAnswer::Submission(NO_SUBMISSION);
    for is_strict in [false, true] {
        // South plays house 1, then North is to move; or South plays house 3 and is to move again.
        for (first, acting) in [(1, Side::North), (3, Side::South)] {
            let failures = fails.map(|answer| (answer, Termination::Crash));
            let others = [
                (AgentAnswer::TimesOut, Termination::Time),
                (AgentAnswer::Submission(0), Termination::Illegal),
                (AgentAnswer::Submission(NO_SUBMISSION), Termination::Illegal),
            ];
            for (answer, termination) in failures.into_iter().chain(others) {
                let mut environment = Environment::new(is_strict);
                environment.submit(first, NO_SUBMISSION);
                environment.answer([answer, waits]);
                let imported = import_episode(&environment.episode());
                assert_eq!(moves(&only_game(&imported)).len(), 1);
                let ending = imported.records[0].ending();
                assert_eq!(
                    (ending.termination, ending.winner),
                    (termination, Some(acting.opponent())),
                    "{answer:?}, strict: {is_strict}, {}",
                    environment.episode(),
                );
            }
        }
    }
}

#[test]
fn an_agent_can_fail_before_its_first_turn() {
    let mut environment = Environment::new(false);
    environment.steps.pop();
    environment.step([AgentAnswer::Submission(NO_SUBMISSION), AgentAnswer::Raises]);
    let imported = import_episode(&environment.episode());
    let ending = imported.records[0].ending();
    assert_eq!(ending.termination, Termination::Crash);
    assert_eq!(ending.winner, Some(Side::South));
}

#[test]
fn an_episode_that_goes_on_is_unfinished() {
    let mut environment = Environment::new(true);
    environment.submit(3, NO_SUBMISSION);
    for episode in with_less_data(&environment.episode()) {
        let imported = import_episode(&episode);
        let ending = imported.records[0].ending();
        assert_eq!(ending.termination, Termination::Unfinished, "{episode}");
    }
}

#[test]
fn an_opening_is_part_of_the_game() {
    let mut environment = Environment::new(false);
    environment.submit(3, NO_SUBMISSION);
    let mut episode = environment.episode();
    episode["info"] = json!({"initialActions": [1, 8], "actionHistory": ["1", "8", "3"]});
    for episode in with_less_data(&episode) {
        let has_opening = episode["info"].get("initialActions").is_some();
        let plies = moves(&only_game(&import_episode(&episode))).len();
        assert_eq!(plies, if has_opening { 3 } else { 1 }, "{episode}");
    }
}

#[test]
fn names_and_draws_are_imported() {
    let environment = Environment::new(false);
    let mut episode = environment.episode();
    for entry in entries_mut(&mut episode) {
        entry["status"] = json!("DONE");
        entry["reward"] = json!(0.0);
    }
    let imported = import_episode(&episode);
    let record = &imported.records[0];
    let names = ["South", "North"].map(|tag| record.tags().get(tag));
    assert_eq!(names, [Some("Lisa"), Some("Bart")]);
    assert_eq!(record.ending().termination, Termination::Adjudicated);
    assert_eq!(record.ending().winner, None);
}

#[test]
fn an_episode_of_another_game_is_refused() {
    let mut episode = Environment::new(false).episode();
    episode["configuration"]["openSpielGameName"] = json!("connect_four");
    let imported = import_episode(&episode);
    assert_eq!(imported.records, []);
    assert_eq!(
        imported.errors[0].to_string(),
        "line 1: the episode is one of `connect_four`, not of mancala"
    );
}
