use clap::{Args, Subcommand};
use kalah_players::{TimeLimit, parse_player_name};

use crate::{KgpAddress, KgpServeArguments, ProgramArguments};

/// `kalah kgp`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah kgp connect kalah.example.org --name Lisa
  kalah kgp serve --out games
  kalah kgp child --time 1s --tables none")]
pub struct KgpArguments {
    /// What to do.
    #[command(subcommand)]
    pub command: KgpCommand,
}

/// What `kalah kgp` can do.
#[derive(Clone, Debug, Subcommand)]
pub enum KgpCommand {
    /// Play on a server, in all games that it starts
    Connect(Box<KgpConnectArguments>),
    /// Let clients play each other and ours
    Serve(Box<KgpServeArguments>),
    /// Answer states on standard input, as the child process of a client such as kgpc
    Child(KgpChildArguments),
}

/// `kalah kgp child`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A state is told in whole numbers with blanks or line ends between: houses a side, South's store,
North's store, South's houses, North's houses, both rows in sowing order. South is to move. The
answer is a line with the number of the house to sow, from 0. So it goes on until the input ends.

Examples:
  kalah kgp child
  kalah kgp child --player level:3 --seed 7
  kalah kgp child --time 1s --tables none")]
pub struct KgpChildArguments {
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub program: ProgramArguments,
    /// The time that smart and level:10 have for each answer; most servers wait 5s
    #[arg(long, value_name = "DURATION", default_value = "4500ms")]
    pub time: TimeLimit,
}

/// `kalah kgp connect`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
It plays until Ctrl-C, or until the server says goodbye. Every state is answered at once and then
ever better, until the answer is proven to be best or the time is over. A connection that is lost is
tried again, after ever longer pauses of up to a minute; one that never was is not.

Examples:
  kalah kgp connect kalah.example.org --name Lisa --token secret
  kalah kgp connect tcp://localhost:2671 --player level:5
  kalah kgp connect ws://localhost:8080/socket --verify")]
pub struct KgpConnectArguments {
    /// The server: HOST, HOST:PORT, or a whole URL such as `tcp://localhost:2671` or
    /// `ws://localhost/socket`
    #[arg(value_name = "URL")]
    pub server: KgpAddress,
    /// What the server shows as the name
    #[arg(long, value_name = "NAME", value_parser = parse_player_name)]
    pub name: Option<String>,
    /// The secret by which the server knows that it is you again
    #[arg(long, value_name = "TOKEN")]
    pub token: Option<String>,
    /// Be asked about the rules instead of playing
    #[arg(long)]
    pub verify: bool,
    #[command(flatten)]
    #[expect(missing_docs, reason = "documented at its type")]
    pub program: ProgramArguments,
    /// The time that smart and level:10 have for each answer; most servers wait 5s
    #[arg(long, value_name = "DURATION", default_value = "4500ms")]
    pub time: TimeLimit,
}
