//! Players of a game at a terminal: people, built-in players and programs.

use std::fmt;
use std::time::Duration;

use kalah::{Game, Quoted, Rules, TimeLimit};
use thiserror::Error;

use crate::contestant_spec::{
    ContestantKind, ContestantSpec, ParseContestantSpecError, protocol_key,
};
use crate::player_spec::{ParsePlayerSpecError, PlayerKind, PlayerSpec};
use crate::program::{EngineProtocol, PlainStart, ProgramSpec};
use crate::time_control::TimeControl;

/// A player of a game at a terminal: a person or a built-in player, or a program.
///
/// ```
/// use kalah_players::{GamePlayerSpec, PlayerSpec};
/// assert_eq!(GamePlayerSpec::parse("human", &[])?, PlayerSpec::HUMAN.into());
/// let error = GamePlayerSpec::parse("bot", &[]).unwrap_err();
/// assert!(error.to_string().ends_with("; a program is given as cmd='./mybot --fast'"));
/// # Ok::<(), kalah_players::ParseGamePlayerError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GamePlayerSpec {
    /// A person or a built-in player.
    Local(PlayerSpec),
    /// A program, with its own name and time: a contestant that is no built-in player.
    Program(Box<GameProgramSpec>),
}

/// A program as a player of a game at a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameProgramSpec {
    /// The program, as the arena accepts it.
    contestant: ContestantSpec,
    /// The program of the contestant.
    program: ProgramSpec,
}

/// The reason why a text is not a [`GamePlayerSpec`].
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParseGamePlayerError {
    /// The text without a command is neither a person nor a built-in player.
    #[error("{reason}; a program is given as cmd='./mybot --fast'{}", protocol_key(*.protocol))]
    Player {
        /// The error of the player.
        reason: ParsePlayerSpecError,
        /// A protocol for the example in the message.
        protocol: Option<&'static EngineProtocol>,
    },
    /// The program is invalid.
    #[error(transparent)]
    Program(#[from] ParseContestantSpecError),
    /// A built-in player has keys, such as `time=`.
    #[error("{}: only programs have keys such as time= and name= here", Quoted::new(.0))]
    BuiltinWithKeys(String),
    /// The program has a clock of its own.
    #[error("{}: a player has a time for each move, such as time=1s", Quoted::new(.0))]
    OwnClock(String),
    /// The program has a limit of nodes, which its protocol does not have.
    #[error(
        "{}: programs that speak {protocol} have no limit of nodes",
        Quoted::new(text)
    )]
    NodeLimit {
        /// The text.
        text: String,
        /// The name of the protocol.
        protocol: &'static str,
    },
}

/// The reason why a program cannot play a game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnsupportedGameError {
    /// The protocol has other rules.
    #[error("{protocol} has the rules `{required}` alone (--rules {required}), not `{rules}`")]
    Rules {
        /// The name of the protocol.
        protocol: &'static str,
        /// The rules of the protocol.
        required: Rules,
        /// The rules of the game.
        rules: Rules,
    },
    /// The protocol has no message for a position, and the game begins at another one or has begun.
    #[error(
        "{protocol} has no message for a position: its games begin with {houses}x{seeds} (--board {houses}x{seeds})"
    )]
    Start {
        /// The name of the protocol.
        protocol: &'static str,
        /// The houses a side of the start.
        houses: u8,
        /// The seeds in each house of the start.
        seeds: u64,
    },
}

impl GamePlayerSpec {
    /// Parses a player, whose program speaks one of `protocols`, by default the first one.
    ///
    /// # Errors
    /// Returns the reason why the text is not a player.
    pub fn parse(
        text: &str,
        protocols: &[&'static EngineProtocol],
    ) -> Result<Self, ParseGamePlayerError> {
        let text = text.trim();
        let reason = match text.parse::<PlayerSpec>() {
            Ok(spec) => return Ok(Self::Local(spec)),
            Err(reason) => reason,
        };
        if !ContestantSpec::has_keys(text) {
            let protocol = protocols.first().copied();
            return Err(ParseGamePlayerError::Player { reason, protocol });
        }
        let contestant = ContestantSpec::parse(text, protocols)?;
        let ContestantKind::Program(program) = contestant.kind.clone() else {
            return Err(ParseGamePlayerError::BuiltinWithKeys(text.to_owned()));
        };
        match contestant.time_control {
            Some(TimeControl::Clock(_)) => {
                return Err(ParseGamePlayerError::OwnClock(text.to_owned()));
            }
            Some(TimeControl::Nodes(_)) if !program.protocol.supports_node_limit => {
                return Err(ParseGamePlayerError::NodeLimit {
                    text: text.to_owned(),
                    protocol: program.protocol.name,
                });
            }
            _ => {}
        }
        Ok(Self::Program(Box::new(GameProgramSpec {
            contestant,
            program,
        })))
    }

    /// Returns whether the player is a person.
    pub fn is_human(&self) -> bool {
        matches!(self, Self::Local(spec) if spec.kind == PlayerKind::Human)
    }

    /// Returns the person or the built-in player; `None` for a program.
    pub fn local(&self) -> Option<PlayerSpec> {
        match self {
            Self::Local(spec) => Some(*spec),
            Self::Program(_) => None,
        }
    }

    /// Returns the program; `None` for a person and a built-in player.
    pub fn program(&self) -> Option<&GameProgramSpec> {
        match self {
            Self::Local(_) => None,
            Self::Program(program) => Some(program),
        }
    }

    /// Returns the name of the player in games that give it no other name.
    pub fn default_name(&self) -> String {
        match self {
            Self::Local(spec) => spec.default_name(),
            Self::Program(program) => program.name(),
        }
    }

    /// Returns the player's own time for each move, if it has one.
    pub fn time_limit(&self) -> Option<Duration> {
        match self {
            Self::Local(spec) => spec.time_limit.map(TimeLimit::get),
            Self::Program(program) => match program.contestant.time_control {
                Some(TimeControl::PerMove(time)) => Some(time),
                _ => None,
            },
        }
    }

    /// Checks that the player can play a game from its present position.
    ///
    /// # Errors
    /// Returns the reason why the protocol of a program does not support the game.
    pub fn check_game(&self, game: &Game) -> Result<(), UnsupportedGameError> {
        self.program()
            .map_or(Ok(()), |program| program.check_game(game))
    }
}

impl GameProgramSpec {
    /// Returns the command line and the protocol of the program.
    pub fn program(&self) -> &ProgramSpec {
        &self.program
    }

    /// Returns the time for each move, or the number of positions to search.
    pub fn time_control(&self) -> Option<TimeControl> {
        self.contestant.time_control
    }

    /// Returns the given name, or the end of the command.
    pub fn name(&self) -> String {
        let unnamed_time = ContestantSpec {
            time_control: None,
            ..self.contestant.clone()
        };
        unnamed_time.name()
    }

    fn check_game(&self, game: &Game) -> Result<(), UnsupportedGameError> {
        let protocol = self.program.protocol;
        let rules = game.start().rules();
        if let Some(required) = protocol.required_rules
            && required != rules
        {
            return Err(UnsupportedGameError::Rules {
                protocol: protocol.name,
                required,
                rules,
            });
        }
        match protocol.plain_start {
            Some(start) if !game.plies().is_empty() || !start.is_start_of(game) => {
                let PlainStart { houses, seeds } = start;
                Err(UnsupportedGameError::Start {
                    protocol: protocol.name,
                    houses,
                    seeds,
                })
            }
            _ => Ok(()),
        }
    }
}

impl From<PlayerSpec> for GamePlayerSpec {
    fn from(spec: PlayerSpec) -> Self {
        Self::Local(spec)
    }
}

/// The text that parses to the same player.
impl fmt::Display for GamePlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local(spec) => spec.fmt(f),
            Self::Program(program) => program.contestant.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use kalah::Position;

    use super::*;

    /// A protocol whose programs the tests never start.
    static PROTOCOL: EngineProtocol = EngineProtocol {
        name: "test",
        required_rules: Some(Rules::MANKALAH),
        plain_start: Some(PlainStart {
            houses: 3,
            seeds: 2,
        }),
        supports_node_limit: false,
        has_handshake: false,
        parse_option: None,
        create: |_, _| panic!("no test starts a program"),
    };

    fn parse(text: &str) -> Result<GamePlayerSpec, ParseGamePlayerError> {
        GamePlayerSpec::parse(text, &[&PROTOCOL])
    }

    #[test]
    fn players_round_trip_through_text() {
        for (text, name, time) in [
            ("human", "Human", None),
            ("smart:2s", "Smart", Some(Duration::from_secs(2))),
            ("cmd='./bot',proto=test", "./bot", None),
            (
                "cmd='./bot -a',proto=test,time=1s,name=Mine",
                "Mine",
                Some(Duration::from_secs(1)),
            ),
        ] {
            let spec = parse(text).expect(text);
            assert_eq!(spec.to_string(), text);
            assert_eq!(spec.default_name(), name);
            assert_eq!(spec.time_limit(), time, "{text}");
            assert_eq!(spec.is_human(), text == "human");
            assert_eq!(spec.program().is_some(), text.starts_with("cmd="));
        }
    }

    #[test]
    fn invalid_players_have_a_message_that_quotes_them() {
        for (text, error) in [
            (
                "level:3,name=Bob",
                "`level:3,name=Bob`: only programs have keys such as time=",
            ),
            (
                "cmd=./bot,time=1m+1s",
                "`cmd=./bot,time=1m+1s`: a player has a time for each move",
            ),
            (
                "cmd=./bot,nodes=7",
                "`cmd=./bot,nodes=7`: programs that speak test have no limit",
            ),
            ("cmd=", "a command is needed"),
            ("bot", "`bot` is not a player: expected human, first, "),
        ] {
            let message = parse(text).expect_err(text).to_string();
            assert!(message.starts_with(error), "{message}");
        }
    }

    #[test]
    fn a_program_plays_only_games_that_its_protocol_has() {
        let check = |houses, seeds, rules, plies: usize| {
            let start = Position::start(houses, seeds, rules).expect("a start");
            let mut game = Game::new(start);
            for _ in 0..plies {
                let mv = game.position().legal_moves().next().expect("a move");
                game.play(mv).expect("a legal move");
            }
            parse("cmd=./bot").expect("a player").check_game(&game)
        };
        assert_eq!(check(3, 2, Rules::MANKALAH, 0), Ok(()));
        for game in [
            (3, 2, Rules::CS32, 0),
            (3, 3, Rules::MANKALAH, 0),
            (3, 2, Rules::MANKALAH, 1),
        ] {
            let (houses, seeds, rules, plies) = game;
            assert!(check(houses, seeds, rules, plies).is_err(), "{game:?}");
        }
    }
}
