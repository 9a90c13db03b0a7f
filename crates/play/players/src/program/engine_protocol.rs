//! The interface of the protocols that programs speak: what a protocol can express, and how a game
//! is played with a program that speaks it.

use std::time::Duration;

use kalah::{Game, Margin, Move, Position, Rules, Side};

use super::failure::ParticipantFailure;
use super::process::Shutdown;
use crate::move_limits::MoveLimits;

/// A protocol of external programs. Two protocols are equal if their names are.
///
/// The crate of a protocol defines it as a `static`, and `kalah-protocols` lists all of them.
#[derive(Debug)]
pub struct EngineProtocol {
    /// The name in a [`ContestantSpec`](crate::ContestantSpec): one word.
    pub name: &'static str,
    /// The only rules that the protocol supports; `None` if it supports all.
    pub required_rules: Option<Rules>,
    /// The usual start of a protocol whose games have no openings and begin with the same number of
    /// seeds in each house; `None` if games can begin at any position.
    pub plain_start: Option<PlainStart>,
    /// Whether a search can be limited to a number of positions.
    pub supports_node_limit: bool,
    /// Whether the program reports that it is ready, so that the time of its start can be measured.
    pub has_handshake: bool,
    /// The check of an option; `None` if programs of the protocol have no options.
    pub parse_option: Option<ParseProgramOption>,
    /// Returns a program that has started no process yet. A request on the [`Shutdown`] aborts its
    /// games with [`ParticipantFailure::Aborted`].
    pub create: fn(ProgramSpec, Shutdown) -> Box<dyn Program + Send>,
}

#[cfg(test)]
impl EngineProtocol {
    /// Returns a protocol without options, whose programs play no game.
    pub(crate) const fn of_test(name: &'static str) -> Self {
        Self {
            name,
            required_rules: None,
            plain_start: None,
            supports_node_limit: false,
            has_handshake: false,
            parse_option: None,
            create: |_, _| panic!("no test plays a game"),
        }
    }
}

impl PartialEq for EngineProtocol {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for EngineProtocol {}

/// A start with the same number of seeds in each house.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainStart {
    /// The number of houses a side.
    pub houses: u8,
    /// The number of seeds in each house.
    pub seeds: u64,
}

impl PlainStart {
    /// Returns whether `game` begins at this start.
    pub fn is_start_of(self, game: &Game) -> bool {
        let start = game.start();
        let plain = Position::start(self.houses, self.seeds, start.rules());
        plain.as_ref() == Ok(start)
    }
}

/// The command line of an external program that plays, its protocol and its options.
///
/// Two programs are equal if they are asked in the same way, whether or not their protocol is the
/// default.
#[derive(Clone, Debug)]
pub struct ProgramSpec {
    /// The command line for the shell.
    pub command: String,
    /// The protocol that the program speaks.
    pub protocol: &'static EngineProtocol,
    /// The other protocols that the program may speak, if [`ProgramSpec::protocol`] is the default
    /// because the user has named none.
    pub other_protocols: Vec<&'static EngineProtocol>,
    /// The options that are set before the first game.
    pub options: Vec<ProgramOption>,
}

impl ProgramSpec {
    /// Returns the hint for a program that does not answer in the default protocol; `None` if the
    /// user has named the protocol.
    pub fn protocol_hint(&self) -> Option<String> {
        let keys: Vec<String> = (self.other_protocols.iter())
            .map(|other| format!("proto={}", other.name))
            .collect();
        (!keys.is_empty()).then(|| {
            format!(
                "{} is the protocol without proto=: a program that speaks another one needs {}",
                self.protocol.name,
                keys.join(" or ")
            )
        })
    }
}

impl PartialEq for ProgramSpec {
    fn eq(&self, other: &Self) -> bool {
        let Self {
            command,
            protocol,
            other_protocols: _,
            options,
        } = self;
        *command == other.command && *protocol == other.protocol && *options == other.options
    }
}

impl Eq for ProgramSpec {}

/// An option of a program, which is set before its first game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramOption {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

/// Checks the name and the value of an option, and returns them as the protocol sends them. The
/// error is a message.
pub type ParseProgramOption = fn(name: &str, value: &str) -> Result<ProgramOption, String>;

/// An external program that plays, as the host of its games sees it.
pub trait Program {
    /// Starts the program once, to find out whether it can be started.
    ///
    /// # Errors
    /// Returns the failure if the program cannot be started or exits at once.
    fn check_starts(&mut self, start: &Position) -> Result<(), ParticipantFailure>;

    /// Prepares for a game that the program begins on the side `started_as`.
    ///
    /// # Errors
    /// Returns the failure of a program that does not start.
    fn start_game(&mut self, started_as: Side) -> Result<(), ParticipantFailure>;

    /// Asks for a move, and returns it with the time that it counts for. The caller checks the move
    /// against the rules.
    ///
    /// # Errors
    /// Returns the failure of a program without a valid answer.
    fn choose_move(
        &mut self,
        game: &Game,
        limits: &MoveLimits,
    ) -> Result<(Move, Duration), ParticipantFailure>;

    /// Takes the margin that the program has estimated for itself with its last move; `None` if its
    /// protocol has no estimates.
    fn take_estimate(&mut self) -> Option<Margin> {
        None
    }

    /// Informs the program that began on the side `started_as` of the last ply of `game`, which is
    /// its own or the opponent's.
    fn notify_ply(&mut self, game: &Game, started_as: Side, is_own_ply: bool) {
        let _ = (game, started_as, is_own_ply);
    }

    /// Ends the game. The program may keep running for the next one.
    fn end_game(&mut self) {}

    /// Takes the first line since the last call that the program wrote and the host has ignored,
    /// because it is no message of the protocol; with the reason.
    fn take_ignored_line(&mut self) -> Option<String> {
        None
    }

    /// Ends the program. The next game starts it again.
    fn shut_down(&mut self);
}
