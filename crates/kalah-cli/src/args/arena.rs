//! `kalah arena`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use kalah::Rules;
use kalah_arena::{Adjudication, OpeningsOption, PairingSystem, SprtParam};
use kalah_players::{ContestantSpec, MemorySize, TimeControl, TimeLimit};

use super::values::{MAX_THREADS, TypedSetup, parse_board, whole_number_parser};

/// The maximum of `--rounds`. No tournament needs as many.
const MAX_ROUNDS: usize = 1_000_000;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
An engine is a built-in player, or a command with its protocol: uki, the engine protocol of
docs/engine-protocol.md; kgp-child, a process for each move as kgpc starts them; or mankalah. Games
are played in pairs from the same opening with sides exchanged. docs/arena.md has the details.

--resume continues a tournament that was interrupted by Ctrl-C or in any other way.

Examples:
  kalah arena --engine smart:100ms --engine level:5
  kalah arena --engine cmd=./mybot --engine level:3 --rounds 50 --out mine
  kalah arena --engine cmd='./new --fast',name=New --engine cmd=./old,name=Old --sprt elo1=20
  kalah arena --engine cmd=./kgpbot,proto=kgp-child --engine level:4 --time 2s
  kalah arena --engine level:7 --engine level:8 --engine level:9 --rounds 20 --json
  kalah arena --resume mine")]
pub(crate) struct ArenaArgs {
    /// An engine of the tournament, at least twice: first, random, minimax:DEPTH, level:1 to
    /// level:10, smart, smart:100ms, or cmd='COMMAND',proto=uki|kgp-child|mankalah; also with
    /// name=NAME, and option.NAME=VALUE for uki
    #[arg(
        long = "engine",
        value_name = "ENGINE",
        required_unless_present = "resume",
        conflicts_with = "resume"
    )]
    pub(crate) engines: Vec<ContestantSpec>,
    /// Number of rounds; in each one, opponents play a pair of games [default: 10, or 5000 with
    /// --sprt]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(1, MAX_ROUNDS), conflicts_with = "resume")]
    pub(crate) rounds: Option<usize>,
    /// Pairing system
    #[arg(
        long,
        value_name = "FORMAT",
        value_parser = pairing_system_parser(),
        default_value = PairingSystem::RoundRobin.as_str(),
        conflicts_with = "resume"
    )]
    pub(crate) tournament: PairingSystem,
    /// Start with M houses a side and N seeds in each [default: 6x4, or 7x7 if an engine speaks
    /// mankalah]
    #[arg(long, value_name = "MxN", value_parser = parse_board, conflicts_with = "resume")]
    pub(crate) board: Option<TypedSetup>,
    /// Rules [default: cs32, or those of the protocols: standard for kgp-child, mankalah for
    /// mankalah]
    #[arg(long, value_name = "PRESET", conflicts_with = "resume")]
    pub(crate) rules: Option<Rules>,
    /// Time for each move, 1s, for a game and after each move, 10s+0.1s, or number of positions to
    /// search for each move, nodes=10000
    #[arg(
        long,
        value_name = "TIME",
        default_value = "1s",
        conflicts_with = "resume"
    )]
    pub(crate) time: TimeControl,
    /// Tolerated delay of an answer
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "50ms",
        conflicts_with = "resume"
    )]
    pub(crate) grace: TimeLimit,
    /// Openings: a file, balanced:K for the K openings of the board's list with margins nearest to
    /// zero, plies:N for all openings of N plies, or start [default: balanced if the board has a
    /// list, else plies:2, or plies:1 under rules with a swap; start if an engine speaks mankalah]
    #[arg(
        long,
        value_name = "FILE|balanced:K",
        value_hint = ValueHint::FilePath,
        conflicts_with = "resume"
    )]
    pub(crate) openings: Option<OpeningsOption>,
    /// Adjudicate games with at most N seeds in the houses by their proven margin [default: a
    /// quarter of all seeds, at most 12]
    #[arg(long, value_name = "seeds=N", conflicts_with_all = ["resume", "play_out"])]
    pub(crate) adjudicate: Option<Adjudication>,
    /// Play all games to their end
    #[arg(long, conflicts_with = "resume")]
    pub(crate) play_out: bool,
    /// Stop the match of two engines as soon as it is decided whether the first one is stronger by
    /// elo0 or by elo1 [default: elo0=0 elo1=10 alpha=0.05 beta=0.05]
    #[arg(long, value_name = "KEY=NUMBER", num_args = 0..=4, conflicts_with = "resume")]
    pub(crate) sprt: Option<Vec<SprtParam>>,
    /// Seed of the shuffled openings and of the random decisions of built-in players: with --time
    /// nodes=N their games are the same again
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        value_parser = whole_number_parser(u64::MIN, u64::MAX),
        conflicts_with = "resume"
    )]
    pub(crate) seed: u64,
    /// Memory of each built-in player that searches
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "64MiB",
        conflicts_with = "resume"
    )]
    pub(crate) memory: MemorySize,
    /// Number of games at the same time [default: one less than the number of processors]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(NonZeroUsize::MIN, MAX_THREADS))]
    pub(crate) concurrency: Option<NonZeroUsize>,
    /// Folder of the tournament [default: a new one, arena-DATE-N]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "resume")]
    pub(crate) out: Option<PathBuf>,
    /// Resume the tournament in this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) resume: Option<PathBuf>,
    /// Print all results at the end as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    /// Print only the results and errors
    #[arg(long)]
    pub(crate) quiet: bool,
}

fn pairing_system_parser() -> impl TypedValueParser<Value = PairingSystem> {
    let values = PairingSystem::ALL.map(|system| {
        PossibleValue::new(system.as_str()).help(match system {
            PairingSystem::RoundRobin => "A round is a pair of games between each two engines",
            PairingSystem::Gauntlet => {
                "A round is a pair of games between the first engine and each of the others"
            }
            PairingSystem::Swiss => {
                "A round is a pair of games for each engine, against one with about as many points"
            }
        })
    });
    PossibleValuesParser::new(values).try_map(|name| name.parse::<PairingSystem>())
}
