//! `kalah kgp`.

use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use kalah::Rules;
use kalah_players::{PlayerSpec, TimeLimit, parse_player_name};
use kalah_protocols::kgp::Mode;
use kalah_server::ListenAddress;
use kalah_server::kgp::{KgpAddress, ParseKgpAddressError};

use super::search::{ProgramOptions, SearchOptions};
use super::serve::parse_address;
use super::values::{TypedSetup, parse_board, parse_program_player, whole_number_parser};

/// The maximum of `--clients`: a process can hardly have more open files.
const MAX_CLIENTS: NonZeroU32 = NonZeroU32::new(100_000).expect("not zero");

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah kgp connect kalah.example.org --name Lisa
  kalah kgp serve --out games
  kalah kgp child --time 1s --tables none")]
pub(crate) struct KgpArgs {
    #[command(subcommand)]
    pub(crate) command: KgpCommand,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum KgpCommand {
    /// Play all games that a server starts
    Connect(Box<KgpConnectArgs>),
    /// Run a server on which clients play each other and built-in players
    Serve(Box<KgpServeArgs>),
    /// Choose moves on standard input and output, as the child process of a client such as kgpc
    Child(KgpChildArgs),
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A state is a sequence of whole numbers, separated by blanks or line ends: houses per side, South's
store, North's store, South's houses, North's houses, both rows in sowing order. South is to move.
The reply is a line with the number of the house to sow, from 0. The command ends with its input.

Examples:
  kalah kgp child
  kalah kgp child --player level:3 --seed 7
  kalah kgp child --time 1s --tables none")]
pub(crate) struct KgpChildArgs {
    #[command(flatten)]
    pub(crate) program: ProgramOptions,
    /// The time of smart and level:10 for each move; most servers wait 5s
    #[arg(long, value_name = "DURATION", default_value = "4500ms")]
    pub(crate) time: TimeLimit,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The command plays until Ctrl-C or until the server says goodbye. It sends a move for each state at
once, and then better moves until the best move is proven or the time is over. It reconnects a lost
connection after increasing pauses of up to a minute, but only if the server has greeted it before.

Examples:
  kalah kgp connect kalah.example.org --name Lisa --token secret
  kalah kgp connect tcp://localhost:2671 --player level:5
  kalah kgp connect ws://localhost:8080/socket --verify")]
pub(crate) struct KgpConnectArgs {
    /// The server: HOST, HOST:PORT, or a URL such as `tcp://localhost:2671` or
    /// `ws://localhost/socket`
    #[arg(value_name = "URL", value_parser = parse_server)]
    pub(crate) server: KgpAddress,
    /// The name that the server shows
    #[arg(long, value_name = "NAME", value_parser = parse_player_name)]
    pub(crate) name: Option<String>,
    /// The secret by which the server recognizes you
    #[arg(long, value_name = "TOKEN")]
    pub(crate) token: Option<String>,
    /// Let the server test the rules instead of playing
    #[arg(long)]
    pub(crate) verify: bool,
    #[command(flatten)]
    pub(crate) program: ProgramOptions,
    /// The time of smart and level:10 for each move; most servers wait 5s
    #[arg(long, value_name = "DURATION", default_value = "4500ms")]
    pub(crate) time: TimeLimit,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Clients that play are paired with each other and get random sides. A client that has waited for
--wait plays a built-in player. Clients with the same token do not play each other. A client that
sends no move in time, or an illegal one, loses the game. A game ends when a store has more than
half of all seeds. Clients that verify the rules get one problem after another.

The addresses are printed when clients can connect. Connections and games are logged on standard
error. Ctrl-C stops all games, which are kept as unfinished, and sends goodbye to all clients.

Examples:
  kalah kgp serve
  kalah kgp serve --addr 0.0.0.0:2671 --ws 0.0.0.0:2672 --board 8x8 --out games
  kalah kgp serve --opponent level:3 --opponent smart:1s --time 2s
  kalah kgp serve --clients-only --games 100 --out games")]
pub(crate) struct KgpServeArgs {
    /// The address for clients over TCP; port 0 selects a free port
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:2671", value_parser = parse_address)]
    pub(crate) addr: ListenAddress,
    /// Also accept clients over a WebSocket at this address
    #[arg(long, value_name = "HOST:PORT", value_parser = parse_address)]
    pub(crate) ws: Option<ListenAddress>,
    /// The start of all games
    #[arg(long, value_name = "MxN", default_value = "6x4", value_parser = parse_board)]
    pub(crate) board: TypedSetup,
    /// The rules; most clients know no others
    #[arg(long, value_name = "PRESET", default_value_t = Rules::STANDARD)]
    pub(crate) rules: Rules,
    /// The time for each state, also of built-in players that use a clock
    #[arg(long, value_name = "DURATION", default_value = "5s")]
    pub(crate) time: TimeLimit,
    /// The modes that clients can request
    #[arg(long, value_name = "MODE", default_value = "both")]
    pub(crate) play: KgpServeMode,
    /// The built-in players, one for each use of this option, level:5 by default: first, random,
    /// minimax:DEPTH, level:1 (weak) to level:10, or smart, also with its own time, such as
    /// smart:100ms
    #[arg(long = "opponent", value_name = "PLAYER", value_parser = parse_program_player)]
    pub(crate) opponents: Vec<PlayerSpec>,
    /// Let clients play only each other
    #[arg(long, conflicts_with = "opponents")]
    pub(crate) clients_only: bool,
    /// The time that a client waits for another one before it plays a built-in player
    #[arg(long, value_name = "DURATION", default_value = "5s")]
    pub(crate) wait: TimeLimit,
    /// End after this number of games
    #[arg(long, value_name = "N", value_parser = whole_number_parser(NonZeroU64::MIN, NonZeroU64::MAX))]
    pub(crate) games: Option<NonZeroU64>,
    /// The maximum number of clients at the same time
    #[arg(long, value_name = "N", default_value = "500", value_parser = whole_number_parser(NonZeroU32::MIN, MAX_CLIENTS))]
    pub(crate) clients: NonZeroU32,
    /// Write a record of each game to a file of its own in this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,
    /// Also store finished games in this folder, where `kalah serve --data DIR` shows and reviews
    /// them; only one server can use a folder at a time
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) engine: SearchOptions,
}

/// The modes that a server supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KgpServeMode {
    /// Playing games
    Freeplay,
    /// Testing the rules
    Verify,
    /// Both modes
    Both,
}

impl KgpServeMode {
    /// Returns the only mode, or `None` for both.
    pub(crate) fn single_mode(self) -> Option<Mode> {
        match self {
            Self::Freeplay => Some(Mode::Freeplay),
            Self::Verify => Some(Mode::Verify),
            Self::Both => None,
        }
    }
}

/// Parses the address of a server. clap quotes the input itself.
fn parse_server(text: &str) -> Result<KgpAddress, String> {
    let expected = ParseKgpAddressError::EXPECTED_FORMAT;
    text.parse().map_err(|_| format!("expected {expected}"))
}
