//! Pairs of games as jobs: a worker in another process plays both games of an encounter, and the
//! coordinator checks them.

use std::io;
use std::time::{Duration, SystemTime};

use kalah::{BySide, Game, Margin, Position, Quoted, Side, format_count};
use kalah_players::{PauseMonitor, Shutdown};
use thiserror::Error;

use super::adjudicate::Adjudicator;
use super::match_game::{MatchGame, VoidGame};
use super::participant_pool::ParticipantPool;
use super::tournament_state::DuePair;
use crate::compact_game::CompactGame;
use crate::finished_game::{FinishedGame, FinishedGameError};
use crate::game_end::GameEnd;
use crate::journal::Journal;
use crate::openings::{Opening, OpeningsProblem};
use crate::run::config::ArenaConfig;
use crate::schedule::{Encounter, Leg};
use crate::stats::Contestant;
use kalah_parse::{JsonError, parse_json};

/// Plays pairs of games of a tournament, and checks pairs that another process has played.
///
/// A worker gets the configuration as text ([`ArenaConfig::to_worker_text`]), and for each pair the
/// encounter, the legs and the plies of the opening. Its answer has the finished games as lines of
/// the journal.
pub struct PairRunner {
    config: ArenaConfig,
    adjudicator: Adjudicator,
}

/// The reason why a pair cannot be played, or why the games of a worker are refused.
#[derive(Debug, Error)]
pub enum PairError {
    /// The encounter has a contestant that the tournament does not have.
    #[error("contestant {contestant} does not exist: the tournament has {count}")]
    UnknownContestant {
        /// The number of the contestant, from 0.
        contestant: usize,
        /// The number of contestants.
        count: usize,
    },
    /// The encounter has no games, or the same one twice.
    #[error("the pair has no games, or the same game twice")]
    Legs,
    /// The opening is invalid.
    #[error("opening {}: {reason}", Quoted::new(plies))]
    Opening {
        /// The plies of the opening.
        plies: String,
        /// The reason.
        reason: OpeningsProblem,
    },
    /// There are more or fewer games than the pair has.
    #[error("expected {expected} games, not {actual}")]
    GameCount {
        /// The number of unfinished games of the pair.
        expected: usize,
        /// The number of games in the answer.
        actual: usize,
    },
    /// A line is not a valid game.
    #[error("line {line}, {}: {}", reason.in_line(), Quoted::new(text))]
    Line {
        /// The number of the line, from 1.
        line: usize,
        /// The text of the line.
        text: String,
        /// The reason.
        reason: JsonError,
    },
    /// A game differs from the one that the worker was asked for.
    #[error("game {game}: expected {expected}, not {actual}")]
    Difference {
        /// The number of the game that the worker was asked for.
        game: String,
        /// The property that this game has.
        expected: String,
        /// The property of the game in the answer.
        actual: String,
    },
    /// The host cannot start the program of a contestant.
    #[error("this machine cannot start {}: {reason}", Quoted::new(name))]
    HostFault {
        /// The name of the contestant.
        name: String,
        /// The error of the system.
        reason: String,
    },
    /// A thread cannot be started.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
    /// A game has no text form.
    #[error(transparent)]
    Game(#[from] FinishedGameError),
}

impl PairRunner {
    /// Creates the runner. Builds the table for adjudication, unless a shutdown is requested
    /// meanwhile.
    pub fn new(config: ArenaConfig, shutdown: &Shutdown) -> Self {
        let start = config.start_position();
        Self {
            adjudicator: Adjudicator::new(config.adjudication, start, shutdown),
            config,
        }
    }

    /// Returns the configuration.
    pub fn config(&self) -> &ArenaConfig {
        &self.config
    }

    /// Builds a pair from its encounter, its legs and the text of its opening, as
    /// [`Opening::plies_text`] returns it.
    ///
    /// # Errors
    /// If the tournament cannot have such a pair.
    pub fn parse_pair(
        &self,
        encounter: Encounter,
        legs: Vec<Leg>,
        plies: &str,
    ) -> Result<DuePair, PairError> {
        let count = self.config.contestants.len();
        for contestant in [encounter.first, encounter.second] {
            if contestant.0 >= count {
                let contestant = contestant.0;
                return Err(PairError::UnknownContestant { contestant, count });
            }
        }
        if encounter.first == encounter.second {
            return Err(FinishedGameError::SelfPlay(encounter.first).into());
        }
        if legs.is_empty() || legs.len() > Leg::ALL.len() || legs.get(1) == legs.first() {
            return Err(PairError::Legs);
        }
        let opening = Opening::parse(self.config.start_position(), plies);
        let opening = opening.map_err(|reason| PairError::Opening {
            plies: plies.to_owned(),
            reason,
        })?;
        Ok(DuePair {
            encounter,
            legs,
            opening,
        })
    }

    /// Plays the games of a pair one after another. Programs are started before the first one and
    /// shut down after the last one. Returns `None` if a shutdown aborts a game. `clock` returns
    /// the time since any fixed moment, and `now` the time of the system. A game begins again if
    /// the process pauses meanwhile.
    ///
    /// # Errors
    /// If the host cannot start a program or a thread.
    pub fn play(
        &self,
        pair: &DuePair,
        clock: &(dyn Fn() -> Duration + Sync),
        now: &(dyn Fn() -> SystemTime + Sync),
        shutdown: &Shutdown,
    ) -> Result<Option<Vec<FinishedGame>>, PairError> {
        let pauses = PauseMonitor::new(clock);
        let mut pool = ParticipantPool::new(&self.config, shutdown, None);
        let games = pair.legs.iter().map(|&leg| {
            let game = MatchGame {
                config: &self.config,
                adjudicator: &self.adjudicator,
                encounter: pair.encounter,
                leg,
                opening: &pair.opening,
                clock,
                now,
                pauses: &pauses,
                paused: &|| (),
            };
            // A pair without two contestants of the tournament is not played.
            let pooled = pool.pair(pair.encounter.players(leg));
            game.play(pooled.ok_or(VoidGame::Aborted)?.participants)
        });
        let games = pauses.watch(|| games.collect::<Result<_, _>>());
        let games = games.map_err(PairError::Thread)?;
        pool.shut_down();
        match games {
            Ok(games) => Ok(Some(games)),
            Err(VoidGame::Aborted) => Ok(None),
            Err(VoidGame::HostFault { name, reason }) => Err(PairError::HostFault { name, reason }),
        }
    }

    /// Plays the games of a pair as [`PairRunner::play`] does, and returns their lines of the
    /// journal without the checksums.
    ///
    /// # Errors
    /// If a game contradicts itself, or the host cannot start a program.
    pub fn play_lines(
        &self,
        pair: &DuePair,
        clock: &(dyn Fn() -> Duration + Sync),
        now: &(dyn Fn() -> SystemTime + Sync),
        shutdown: &Shutdown,
    ) -> Result<Option<Vec<String>>, PairError> {
        let Some(games) = self.play(pair, clock, now, shutdown)? else {
            return Ok(None);
        };
        let lines: Result<Vec<String>, _> = games.iter().map(Journal::format_game).collect();
        Ok(Some(lines?))
    }

    /// Parses the lines of the games of a pair, which replays the games, and checks that they are
    /// the ones of the pair: their contestants and opening, and the adjudication.
    ///
    /// # Errors
    /// Returns the first game that is invalid or not one of the pair.
    pub fn parse_games<T: AsRef<str>>(
        &self,
        pair: &DuePair,
        lines: &[T],
    ) -> Result<Vec<FinishedGame>, PairError> {
        if lines.len() != pair.legs.len() {
            return Err(PairError::GameCount {
                expected: pair.legs.len(),
                actual: lines.len(),
            });
        }
        let mut games = Vec::new();
        for (line, (&leg, text)) in (1..).zip(pair.legs.iter().zip(lines)) {
            let text = text.as_ref();
            let game = parse_json(text.as_bytes()).map_err(|reason| PairError::Line {
                line,
                text: text.to_owned(),
                reason,
            })?;
            self.check_game(pair, leg, &game)?;
            games.push(game);
        }
        Ok(games)
    }

    /// Checks that a game is the one of this leg, and that it was adjudicated by its proven margin
    /// if and only if it reached a position with one.
    pub(in crate::run) fn check_game(
        &self,
        pair: &DuePair,
        leg: Leg,
        game: &FinishedGame,
    ) -> Result<(), PairError> {
        let encounter = pair.encounter;
        let contestants = encounter.players(leg);
        let names = BySide::from_fn(|side| self.config.name(contestants[side]));
        let opening = CompactGame::from(pair.opening.game());
        let opening_moves = game.game.moves().get(..game.opening_plies);
        let is_of_opening = opening_moves == Some(opening.moves());
        let difference = if (game.encounter, game.leg) != (encounter, leg) {
            let text = |encounter: Encounter, leg| {
                let number = encounter.game_number(leg);
                let BySide { south, north } = encounter.players(leg);
                format!("game {number} of contestants {} and {}", south.0, north.0)
            };
            Some((text(encounter, leg), text(game.encounter, game.leg)))
        } else if Side::ALL
            .iter()
            .any(|&side| names[side] != game.names[side])
        {
            let text = |south, north| format!("{} and {}", Quoted::new(south), Quoted::new(north));
            let actual = text(&game.names.south, &game.names.north);
            Some((text(names.south, names.north), actual))
        } else if let Some(difference) = self.time_control_difference(contestants, game) {
            Some(difference)
        } else if game.game.start() != self.config.start_position() {
            let text = |start: &Position| format!("{start}, {}", start.rules());
            Some((text(opening.start()), text(game.game.start())))
        } else if !is_of_opening {
            let text = |opening: &Opening| Quoted::new(&opening.plies_text()).to_string();
            Some((
                format!("the opening {}", text(&pair.opening)),
                "another one".to_owned(),
            ))
        } else if let Some(end) = self.config.forfeit(encounter, leg) {
            let text = |end: &GameEnd, plies: usize| {
                let plies = format_count(plies as u64, "ply");
                format!("{} after {plies}", Quoted::new(&end.to_string()))
            };
            let plies = game.game.moves().len();
            let is_forfeit = game.end == end && plies == game.opening_plies;
            (!is_forfeit).then(|| (text(&end, game.opening_plies), text(&game.end, plies)))
        } else {
            self.adjudication_difference(game)
        };
        match difference {
            None => Ok(()),
            Some((expected, actual)) => Err(PairError::Difference {
                game: encounter.game_number(leg),
                expected,
                actual,
            }),
        }
    }

    /// Returns the expected and the reported time control of the first player with another one than
    /// its contestant has in the tournament.
    fn time_control_difference(
        &self,
        contestants: BySide<Contestant>,
        game: &FinishedGame,
    ) -> Option<(String, String)> {
        Side::ALL.into_iter().find_map(|side| {
            let expected = self.config.time_control_of(contestants[side]).describe();
            let actual = &game.time_controls[side];
            let name = Quoted::new(&game.names[side]).to_string();
            let text = |time: &str| format!("the time control {} of {name}", Quoted::new(time));
            (expected != *actual).then(|| (text(&expected), text(actual)))
        })
    }

    /// Returns the expected and the reported end of a game that was adjudicated too early, too
    /// late, not at all, or with another margin, or that ended by a resignation although players do
    /// not resign. The estimates behind a resignation cannot be checked.
    fn adjudication_difference(&self, game: &FinishedGame) -> Option<(String, String)> {
        let plies = game.game.moves().len();
        // A contestant that does not start has lost before the position is looked up.
        if game.end.side_at_fault().is_some() && plies == game.opening_plies {
            return None;
        }
        if matches!(game.end, GameEnd::Resignation { .. }) && self.config.resign.is_none() {
            let expected = "a game without resignations".to_owned();
            return Some((expected, Quoted::new(&game.end.to_string()).to_string()));
        }
        let expected = self.first_proven_margin(game);
        let is_adjudicated = matches!(game.end, GameEnd::Adjudicated { .. });
        let expected_text = match expected {
            None if is_adjudicated => "a game that is not adjudicated".to_owned(),
            Some((after, margin)) if after != plies || game.end != GameEnd::adjudicated(margin) => {
                format!(
                    "`{}` after {}",
                    GameEnd::adjudicated(margin),
                    format_count(after as u64, "ply")
                )
            }
            _ => return None,
        };
        let actual = format!(
            "{} after {}",
            Quoted::new(&game.end.to_string()),
            format_count(plies as u64, "ply")
        );
        Some((expected_text, actual))
    }

    /// Returns the number of plies after which a game is adjudicated, with the margin of South's
    /// row.
    fn first_proven_margin(&self, game: &FinishedGame) -> Option<(usize, Margin)> {
        let mut replay = Game::new(game.game.start().clone());
        let moves = game.game.moves().iter().copied();
        for (played, mv) in moves.map(Some).chain([None]).enumerate() {
            if played >= game.opening_plies
                && let Some(margin) = self.adjudicator.proven_margin(replay.position())
            {
                return Some((played, margin));
            }
            // The moves are those of a valid game.
            replay.play(mv?).ok()?;
        }
        None
    }
}
