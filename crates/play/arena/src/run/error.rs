//! The reasons why an option is invalid, and why a tournament cannot be configured, started or
//! resumed.

use std::io;
use std::path::PathBuf;

use kalah::record::RecordProblem;
use kalah::{Quoted, Rules, SetupError};
use kalah_files::NotTextError;
use kalah_players::{
    EngineProtocol, ParseContestantSpecError, ParseMemorySizeError, ParseTimeControlError,
    ParticipantFailure, TimeControl, display_path, escape_control, shell_word,
};
use thiserror::Error;

use super::config::DuplicateId;
use crate::finished_game::FinishedGameError;
use crate::journal::JournalError;
use crate::openings::{OpeningsError, OpeningsProblem};
use crate::schedule::UnknownEncounterError;
use crate::stats::SprtError;
use kalah_parse::JsonError;

/// The reason why a text is not a value of an option of a tournament.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseArenaOptionError {
    /// The number of openings or plies is invalid.
    #[error(
        "{}: expected a whole number from 1 to {max} after the colon",
        Quoted::new(text)
    )]
    InvalidCount {
        /// The text.
        text: String,
        /// The maximum.
        max: usize,
    },
    /// The text for openings is empty.
    #[error("expected a file, balanced, balanced:K, plies:N, random:N or start")]
    MissingOpenings,
    /// The number of seeds is invalid.
    #[error("{}: expected seeds=N, N from 1 to {max}", Quoted::new(text))]
    InvalidSeeds {
        /// The text.
        text: String,
        /// The maximum.
        max: u8,
    },
    /// The rule for resignations is invalid.
    #[error("{}: expected seeds=N or seeds=N,moves=M, N and M at least 1", Quoted::new(.0))]
    InvalidResignRule(String),
    /// The parameter of a sequential test is invalid.
    #[error("{}: expected elo0=, elo1=, alpha= or beta= and a number", Quoted::new(.0))]
    InvalidSprt(String),
    /// The value of a parameter of a sequential test is no number.
    #[error("{} is no number", Quoted::new(.0))]
    InvalidSprtNumber(String),
    /// One word has several parameters of a sequential test.
    #[error(
        "{}: several parameters in one word: each needs a word of its own, as in elo0=0 elo1=10{}",
        Quoted::new(text),
        next.as_ref().map(|next| format!("; and {next}")).unwrap_or_default()
    )]
    SeveralSprt {
        /// The text.
        text: String,
        /// The error of the parameters as words of their own.
        next: Option<String>,
    },
    /// The format of the tournament is unknown.
    #[error("{}: expected round-robin, gauntlet or swiss", Quoted::new(.0))]
    InvalidFormat(String),
}

/// A contradiction in the options of a tournament.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ConfigError {
    /// There are not enough contestants.
    #[error("a tournament needs at least two engines")]
    TooFewContestants,
    /// A sequential test is extended by contestants.
    #[error("a sequential test compares two engines, which cannot be changed")]
    ExtendedSprt,
    /// A Swiss tournament is extended by contestants.
    #[error(
        "a Swiss tournament pairs engines by their results so far: its engines cannot be changed"
    )]
    ExtendedSwiss,
    /// A tournament would have fewer rounds than before.
    #[error("the tournament has {stored} rounds, and cannot have {given}")]
    FewerRounds {
        /// The number of rounds of the tournament.
        stored: usize,
        /// The given number.
        given: usize,
    },
    /// An added contestant has the name of another one.
    #[error("{} is already an engine of the tournament; to give it another program, replace it", Quoted::new(.0))]
    NameTaken(String),
    /// Two contestants have the same identifier.
    #[error(transparent)]
    DuplicateId(#[from] DuplicateId),
    /// A contestant of a file has another program, player or time in the tournament.
    #[error(
        "{} is {} in the tournament, not {}: to play its games again with another program, use \
         --replace {} ENGINE",
        Quoted::new(name),
        Quoted::new(stored),
        Quoted::new(given),
        shell_word(name).unwrap_or_default()
    )]
    ChangedContestant {
        /// The name.
        name: String,
        /// The contestant in the tournament.
        stored: String,
        /// The contestant of the file.
        given: String,
    },
    /// A contestant to be replaced takes no part.
    #[error("{} is not an engine of the tournament: it has {}", Quoted::new(name), names.join(", "))]
    UnknownContestant {
        /// The given name.
        name: String,
        /// The names of the contestants.
        names: Vec<String>,
    },
    /// The first contestant of a gauntlet would be replaced.
    #[error("{} plays against all others of the gauntlet, and cannot be replaced", Quoted::new(.0))]
    ReplacedFirst(String),
    /// The start position cannot be played.
    #[error("start: {0}")]
    Start(SetupError),
    /// A sequential test between another number of contestants than two.
    #[error("a sequential test compares exactly two engines, not {0}")]
    SprtContestants(usize),
    /// The difference of a sequential test is not a number.
    #[error("{0} is not a difference in Elo")]
    InvalidElo(f64),
    /// The parameters of a sequential test contradict each other.
    #[error(transparent)]
    Sprt(#[from] SprtError),
    /// The protocol of a contestant does not support the rules.
    #[error(
        "'{}' speaks {}, which supports only the rules {required}, but the rules are {rules}",
        escape_control(name),
        protocol.name
    )]
    UnsupportedRules {
        /// The name of the contestant.
        name: String,
        /// Its protocol.
        protocol: &'static EngineProtocol,
        /// The only rules of the protocol.
        required: Rules,
        /// The rules of the tournament.
        rules: Rules,
    },
    /// The protocol of a contestant has no limit of nodes.
    #[error(
        "'{}' speaks {}, which cannot limit a search to {time_control}: set a time instead",
        escape_control(name),
        protocol.name
    )]
    UnsupportedNodeLimit {
        /// The name of the contestant.
        name: String,
        /// Its protocol.
        protocol: &'static EngineProtocol,
        /// The time control of the tournament.
        time_control: TimeControl,
    },
    /// The games of a contestant's protocol begin at a start position.
    #[error(
        "'{}' speaks {}, in which games have no openings and begin with the same number of seeds in \
         each house",
        escape_control(name),
        protocol.name
    )]
    UnsupportedStart {
        /// The name of the contestant.
        name: String,
        /// Its protocol.
        protocol: &'static EngineProtocol,
    },
    /// The board has too many houses for adjudication.
    #[error("adjudication needs a board of at most {max} houses a side; this board has {houses}")]
    AdjudicationHouses {
        /// The houses of a side.
        houses: u8,
        /// The maximum.
        max: u8,
    },
    /// The table for adjudication would be too large.
    #[error(
        "adjudication with {seeds} seeds needs too large a table: with {houses} houses a side, it \
         supports at most {max} seeds"
    )]
    AdjudicationSeeds {
        /// The seeds in the houses of adjudicated positions.
        seeds: u8,
        /// The houses of a side.
        houses: u8,
        /// The maximum of `seeds`.
        max: u8,
    },
    /// The opening list of the board is shorter than requested.
    #[error("the opening list of {list} has {available} openings, not {requested}")]
    OpeningListTooShort {
        /// The board and the rules of the list.
        list: String,
        /// The number of openings in the list.
        available: usize,
        /// The requested number.
        requested: usize,
    },
    /// The board has no opening list.
    #[error(
        "there is no opening list for {start}: there are lists for {}; cargo lab openings prints \
         others, which can be given as a file",
        lists.join(", ")
    )]
    NoOpeningList {
        /// The start position and its rules.
        start: String,
        /// The boards and rules with lists.
        lists: Vec<String>,
    },
    /// The openings of a file are for another board or other rules.
    #[error(
        "'{}' has openings for {openings}, but the board is {start}: choose the same board and \
         rules",
        display_path(path)
    )]
    OpeningsBoard {
        /// The file.
        path: PathBuf,
        /// The start position of the openings, and its rules.
        openings: String,
        /// The start position of the tournament, and its rules.
        start: String,
    },
}

/// The reason why `tournament.json` is invalid.
#[derive(Debug, Error)]
pub enum ConfigFileError {
    /// The file is not UTF-8.
    #[error("the file {0}")]
    NotText(#[from] NotTextError),
    /// The file is not JSON, or has missing or unknown keys.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The file has an unknown version.
    #[error(
        "the file has the format {found}, which {} kalah has written: this one reads the format \
         {supported}",
        if found > supported { "a newer" } else { "an older" }
    )]
    Version {
        /// The version of the file.
        found: u32,
        /// The version that this crate reads.
        supported: u32,
    },
    /// The settings are not as they were written.
    #[error("the settings differ from their seal, so they were changed by hand")]
    Changed,
    /// The settings have no seal.
    #[error("the settings have no seal at the end of the file")]
    Unsealed,
    /// The numbers of engines and of contestants differ.
    #[error("the numbers of engines and of contestants differ")]
    ContestantCount,
    /// The number of rounds, or that of rounds or contestants before an extension, is too large.
    #[error("{found} is too large a number of {what}: expected at most {max}")]
    Size {
        /// The counted thing: rounds or contestants.
        what: &'static str,
        /// The number in the file.
        found: usize,
        /// The maximum.
        max: usize,
    },
    /// The specification of a contestant is invalid.
    #[error(transparent)]
    Contestant(#[from] ParseContestantSpecError),
    /// The sequential test is invalid.
    #[error(transparent)]
    Sprt(#[from] ConfigError),
    /// The time control is invalid.
    #[error(transparent)]
    TimeControl(#[from] ParseTimeControlError),
    /// The rule for resignations is invalid.
    #[error(transparent)]
    ResignRule(#[from] ParseArenaOptionError),
    /// The memory is invalid.
    #[error(transparent)]
    Memory(#[from] ParseMemorySizeError),
    /// The openings are invalid.
    #[error("openings, {0}")]
    Openings(#[from] OpeningsError),
}

impl ConfigFileError {
    /// Returns what a user can do about a file in a folder, with the punctuation before it.
    fn advice(&self) -> &'static str {
        match self {
            Self::Version { .. } | Self::NotText(_) => "",
            _ => {
                "; restore the file from a copy: the games so far are kept beside it, in games.jsonl \
                 and games.kgn"
            }
        }
    }
}

/// The reason why a tournament cannot be configured, started, continued or stored.
#[derive(Debug, Error)]
pub enum RunError {
    /// The options contradict each other.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// There is no opening.
    #[error(transparent)]
    Openings(#[from] OpeningsProblem),
    /// The openings of a file are invalid.
    #[error("'{}': {reason}", display_path(path))]
    OpeningsFile {
        /// The file.
        path: PathBuf,
        /// The invalid line.
        reason: OpeningsError,
    },
    /// Programs cannot be started: at least one.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Contestants(Vec<StartFault>),
    /// The host cannot start the program of a contestant. The contestant has lost no game by it.
    #[error(
        "this machine cannot start '{}': {}",
        escape_control(name),
        escape_control(reason)
    )]
    HostFault {
        /// The name of the contestant.
        name: String,
        /// The error of the system.
        reason: String,
    },
    /// A thread that plays games cannot be started.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
    /// A shutdown was requested before the first game.
    #[error("interrupted before the first game")]
    Aborted,
    /// A file or folder cannot be used.
    #[error("cannot {action} '{}': {reason}", display_path(path))]
    Io {
        /// The verb of the failed operation.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        reason: io::Error,
    },
    /// A new tournament was given the folder of another one.
    #[error("'{}' already contains a tournament", display_path(.0))]
    AlreadyExists(PathBuf),
    /// A new tournament was given a folder with other files.
    #[error("'{}' is not empty: a tournament needs a folder of its own", display_path(.0))]
    NotEmpty(PathBuf),
    /// The tournament of a folder has another value of an option than the given one.
    #[error(
        "{option}: the tournament in '{}' has {}, not {}",
        display_path(path),
        Quoted::new(stored),
        Quoted::new(given)
    )]
    OtherOption {
        /// The folder.
        path: PathBuf,
        /// The name of the option.
        option: &'static str,
        /// The value of the tournament.
        stored: String,
        /// The given value.
        given: String,
    },
    /// The tournament of a folder has other openings than the given ones.
    #[error("openings: the tournament in '{}' has others", display_path(.0))]
    OtherOpenings(PathBuf),
    /// The folder of a tournament does not exist, or is none.
    #[error("there is no folder '{}'", display_path(.0))]
    NoFolder(PathBuf),
    /// The folder to resume from has no `tournament.json`.
    #[error("'{}' contains no tournament: it has no tournament.json", display_path(.0))]
    NotFound(PathBuf),
    /// Another process has locked the folder.
    #[error("another program is playing the tournament in '{}'", display_path(.0))]
    InUse(PathBuf),
    /// `tournament.json` is invalid.
    #[error("'{}': {reason}{}", display_path(path), reason.advice())]
    ConfigFile {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: Box<ConfigFileError>,
    },
    /// A file is not text.
    #[error("'{}' {reason}", display_path(path))]
    NotText {
        /// The file.
        path: PathBuf,
        /// The place.
        reason: NotTextError,
    },
    /// A line of the journal is invalid.
    #[error("'{}': {reason}", display_path(path))]
    Journal {
        /// The file.
        path: PathBuf,
        /// The invalid line.
        reason: JournalError,
    },
    /// The journal has a game that the tournament does not have.
    #[error("'{}': {reason}", display_path(path))]
    UnknownEncounter {
        /// The file.
        path: PathBuf,
        /// The encounter of the game.
        reason: UnknownEncounterError,
    },
    /// A text is not the number of a game.
    #[error("{} is not the number of a game: expected its round, its pair, and 1 or 2, such as 1.10.2", Quoted::new(.0))]
    GameNumber(String),
    /// A game has no log.
    #[error(
        "there is no log of game {number}: '{}' does not exist; logs are kept with --log, of games \
         with programs",
        display_path(path)
    )]
    NoLog {
        /// The file that the log would have.
        path: PathBuf,
        /// The number of the game.
        number: String,
    },
    /// A finished game contradicts itself.
    #[error(transparent)]
    Game(#[from] FinishedGameError),
    /// A finished game cannot be written as a record.
    #[error(transparent)]
    Record(#[from] RecordProblem),
}

/// The reason why the program of a contestant cannot be started.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{}' cannot take part: {}", escape_control(name), self.reason())]
pub struct StartFault {
    /// The name of the contestant.
    pub name: String,
    /// The hint about other protocols, if its program was asked in the default one.
    pub protocol_hint: Option<String>,
    /// Its failure, which can be a fault of the host.
    pub failure: ParticipantFailure,
    /// Its first line that its protocol does not know, with the reason.
    pub ignored_line: Option<String>,
}

impl StartFault {
    /// Returns the failure and the first ignored line in words, without control characters.
    pub fn reason(&self) -> String {
        let failure = self.failure.description();
        let text = match &self.ignored_line {
            Some(line) => format!("{failure}; it has written {line}"),
            None => failure,
        };
        escape_control(&text)
    }
}
