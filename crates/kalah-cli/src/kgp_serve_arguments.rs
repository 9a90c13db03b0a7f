use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use kalah::Rules;
use kalah_players::{PlayerSpec, TimeLimit};
use kalah_protocols::kgp::Mode;
use kalah_server::ListenAddress;

use crate::arguments::{parse_board, whole_number_parser};
use crate::program_arguments::parse_program_player;
use crate::serve_arguments::parse_address;
use crate::{EngineArguments, TypedSetup};

/// `kalah kgp serve`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Clients that want to play meet each other, sides drawn by lot; who has waited for --wait meets
one of ours. Those of one token do not meet. A state that is not answered in time loses the
game, and so does an answer against the rules. A game ends when a store has more than half of
all seeds. Clients that have come to be asked about the rules are asked one thing after
another.

Where clients can come is printed once they can. Ctrl-C ends the games, which are kept
unfinished, and says goodbye to everybody.

Examples:
  kalah kgp serve
  kalah kgp serve --addr 0.0.0.0:2671 --ws 0.0.0.0:2672 --board 8x8 --out games
  kalah kgp serve --opponent level:3 --opponent smart:1s --time 2s
  kalah kgp serve --clients-only --games 100 --out games")]
pub struct KgpServeArguments {
    /// Where to listen for clients over TCP; port 0 is any that is free
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:2671", value_parser = parse_address)]
    pub addr: ListenAddress,
    /// Listen here too, for clients over a WebSocket
    #[arg(long, value_name = "HOST:PORT", value_parser = parse_address)]
    pub ws: Option<ListenAddress>,
    /// The start of all games
    #[arg(long, value_name = "MxN", default_value = "6x4", value_parser = parse_board)]
    pub board: TypedSetup,
    /// The rules; most clients know no others
    #[arg(long, value_name = "PRESET", default_value_t = Rules::STANDARD)]
    pub rules: Rules,
    /// The time for each state, also for those of ours who keep one
    #[arg(long, value_name = "DURATION", default_value = "5s")]
    pub time: TimeLimit,
    /// What clients may come for
    #[arg(long, value_name = "MODE", default_value = "both")]
    pub play: KgpServeMode,
    /// Who of ours plays, level:5 if nobody is named; it can be given several times: first, random, minimax:DEPTH, level:1 (weak) to level:10,
    /// or smart, also with its own time, such as smart:100ms
    #[arg(long = "opponent", value_name = "PLAYER", value_parser = parse_program_player)]
    pub opponents: Vec<PlayerSpec>,
    /// Let clients meet nobody but each other
    #[arg(long, conflicts_with = "opponents")]
    pub clients_only: bool,
    /// How long a client waits for another one before it meets one of ours
    #[arg(long, value_name = "DURATION", default_value = "5s")]
    pub wait: TimeLimit,
    /// End after so many games
    #[arg(long, value_name = "N", value_parser = whole_number_parser(NonZeroU64::MIN, NonZeroU64::MAX))]
    pub games: Option<NonZeroU64>,
    /// The most clients at the same time
    #[arg(long, value_name = "N", default_value = "500", value_parser = whole_number_parser(NonZeroU32::MIN, MAX_CLIENTS))]
    pub clients: NonZeroU32,
    /// Write a record of each game into this folder, a file a game
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// Keep the games that end here too, where `kalah serve --data DIR` shows and reviews them; no other
    /// server can have the folder meanwhile
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub data: Option<PathBuf>,
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub engine: EngineArguments,
}

/// More have no file to each connection.
const MAX_CLIENTS: NonZeroU32 = NonZeroU32::new(100_000).expect("not zero");

/// What clients may come for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KgpServeMode {
    /// To play
    Freeplay,
    /// To be asked about the rules
    Verify,
    /// For either
    Both,
}

impl KgpServeMode {
    /// The only mode, unless there are both.
    pub(crate) fn single_mode(self) -> Option<Mode> {
        match self {
            Self::Freeplay => Some(Mode::Freeplay),
            Self::Verify => Some(Mode::Verify),
            Self::Both => None,
        }
    }
}
