use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use kalah::Rules;
use kalah_players::{ContestantSpec, MemorySize, TimeControl, TimeLimit};

use crate::arguments::{parse_board, whole_number_parser};
use crate::table_arguments::MAX_THREADS;
use crate::{Adjudication, OpeningsOption, SprtParam, TournamentFormat, TypedSetup};

/// `kalah arena`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
An engine is one of ours, or a command with the protocol that it speaks: uki, the engine protocol of
docs/engine-protocol.md; kgp-child, a process for each move as kgpc starts them; or mankalah. Games
are played in pairs from the same opening, sides exchanged. docs/arena.md tells all about it.

Ctrl-C breaks it off, and so may anything else: --resume goes on where it was.

Examples:
  kalah arena --engine smart:100ms --engine level:5
  kalah arena --engine cmd=./mybot --engine level:3 --rounds 50 --out mine
  kalah arena --engine cmd='./new --fast',name=New --engine cmd=./old,name=Old --sprt elo1=20
  kalah arena --engine cmd=./kgpbot,proto=kgp-child --engine level:4 --time 2s
  kalah arena --engine level:7 --engine level:8 --engine level:9 --rounds 20 --json
  kalah arena --resume mine")]
pub struct ArenaArguments {
    /// Who takes part, twice or more: first, random, minimax:DEPTH, level:1 to level:10, smart, smart:100ms, or
    /// cmd='COMMAND',proto=uki|kgp-child|mankalah; also with name=NAME, and option.NAME=VALUE for uki
    #[arg(
        long = "engine",
        value_name = "ENGINE",
        required_unless_present = "resume",
        conflicts_with = "resume"
    )]
    pub engines: Vec<ContestantSpec>,
    /// Rounds; in each a pair of games for everybody who meets [default: 10, or 5000 with --sprt]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(1, MAX_ROUNDS), conflicts_with = "resume")]
    pub rounds: Option<usize>,
    /// Who plays whom
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        default_value = "round-robin",
        conflicts_with = "resume"
    )]
    pub tournament: TournamentFormat,
    /// Start with M houses a side and N seeds in each [default: 6x4, or 7x7 if anybody speaks mankalah]
    #[arg(long, value_name = "MxN", value_parser = parse_board, conflicts_with = "resume")]
    pub board: Option<TypedSetup>,
    /// The rules [default: cs32, or those of the protocols: standard for kgp-child, mankalah for mankalah]
    #[arg(long, value_name = "PRESET", conflicts_with = "resume")]
    pub rules: Option<Rules>,
    /// The time for each choice, 1s, for a game and after each choice, 10s+0.1s, or the positions to
    /// search, nodes=10000
    #[arg(
        long,
        value_name = "TIME",
        default_value = "1s",
        conflicts_with = "resume"
    )]
    pub time: TimeControl,
    /// By how much an answer may be late, for the way
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "50ms",
        conflicts_with = "resume"
    )]
    pub grace: TimeLimit,
    /// How games begin: a file of openings, balanced:K, K of the list of the board that are as even as can be, plies:N, all
    /// of N plies, or start [default: balanced where there is a list, else plies:2; plies:1 where one may swap; start for mankalah]
    #[arg(
        long,
        value_name = "FILE|balanced:K",
        value_hint = ValueHint::FilePath,
        conflicts_with = "resume"
    )]
    pub openings: Option<OpeningsOption>,
    /// End games at so many seeds in the houses, by what is proven [default: a quarter of all, 12 at most]
    #[arg(long, value_name = "seeds=N", conflicts_with_all = ["resume", "play_out"])]
    pub adjudicate: Option<Adjudication>,
    /// Play all games to their end
    #[arg(long, conflicts_with = "resume")]
    pub play_out: bool,
    /// Stop as soon as it is known, of two engines, whether the first is stronger by elo0 or by elo1
    /// [default: elo0=0 elo1=10 alpha=0.05 beta=0.05]
    #[arg(long, value_name = "KEY=NUMBER", num_args = 0..=4, conflicts_with = "resume")]
    pub sprt: Option<Vec<SprtParam>>,
    /// What lots are drawn by, and our players' whims: with --time nodes=N their games come again
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        value_parser = whole_number_parser(u64::MIN, u64::MAX),
        conflicts_with = "resume"
    )]
    pub seed: u64,
    /// Memory for each game of one of ours that searches
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "64MiB",
        conflicts_with = "resume"
    )]
    pub memory: MemorySize,
    /// Games at a time [default: one less than there are processors]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(NonZeroUsize::MIN, MAX_THREADS))]
    pub concurrency: Option<NonZeroUsize>,
    /// The folder for the games and the journal [default: a new one, arena-DATE-N]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "resume")]
    pub out: Option<PathBuf>,
    /// Go on with the tournament of this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub resume: Option<PathBuf>,
    /// For programs: all results at the end as one document of JSON
    #[arg(long)]
    pub json: bool,
    /// Say nothing until the end
    #[arg(long)]
    pub quiet: bool,
}

/// Nobody waits for more.
const MAX_ROUNDS: usize = 1_000_000;
