//! The command line: [`Cli`] with all commands, and the options and values that several commands
//! share. The arguments of a command stand in the file of the command.

pub(crate) mod completions;
pub(crate) mod help;
pub(crate) mod moves;
pub(crate) mod negative;
pub(crate) mod position;
pub(crate) mod recorded;
pub(crate) mod search;
pub(crate) mod tips;
mod unquoted;
pub(crate) mod values;

use clap::{Args, Parser, Subcommand};

use crate::commands::arena::ArenaArgs;
use crate::commands::book::BookArgs;
use crate::commands::bot::BotArgs;
use crate::commands::config::ConfigArgs;
use crate::commands::engine::EngineArgs;
use crate::commands::engine_client::EngineClientArgs;
use crate::commands::frame::FrameArgs;
use crate::commands::games::GamesArgs;
use crate::commands::help::HelpArgs;
use crate::commands::kgp::KgpArgs;
use crate::commands::man::ManArgs;
use crate::commands::mankalah::MankalahArgs;
use crate::commands::play::PlayArgs;
use crate::commands::positions::analyze::AnalyzeArgs;
use crate::commands::positions::bench::BenchArgs;
use crate::commands::positions::perft::PerftArgs;
use crate::commands::positions::puzzle::PuzzleArgs;
use crate::commands::positions::show::ShowArgs;
use crate::commands::positions::solve::SolveArgs;
use crate::commands::positions::tree::TreeArgs;
use crate::commands::prove::ProveArgs;
use crate::commands::records::export::ExportArgs;
use crate::commands::records::import::ImportArgs;
use crate::commands::records::replay::ReplayArgs;
use crate::commands::records::review::ReviewArgs;
use crate::commands::rules::RulesArgs;
use crate::commands::serve::ServeArgs;
use crate::commands::tables::TablesArgs;
use crate::version;

/// Longer lines of help are hard to read.
const MAX_HELP_WIDTH: usize = 100;

const EXAMPLES: &str = "\
Examples:
  kalah                                           choose an opponent and play
  kalah play --south random --north minimax:4     watch two programs play
  kalah show '<3,0,0,2,2,0,2,2,3> n'              draw a position
  kalah analyze 6x4 --time 5s                     rate every move
  kalah solve 6x4 --rules standard                prove the margin of a position
  kalah prove 5x3 --store 5x3.proof               keep the proof in a file
  kalah perft 6x4 6                               count sequences of plies
  kalah tree '<3,0,0,2,2,0,2,2,3> n' 2            draw a minimax tree
  kalah replay game.kgn                           replay a recorded game
  kalah review game.kgn                           print the cost of each ply
  kalah import server.log --out games.kgn         convert a log to game records
  kalah export standard.kgn --format openspiel    convert a record for OpenSpiel
  kalah puzzle                                    find the only move that wins
  kalah frame 6                                   print Yale's board structure
  kalah rules                                     explain the rule sets
  kalah tables build --seeds 20                   build an endgame table
  kalah book check 4x3.book                       check an opening book
  kalah serve --open                              play in the browser
  kalah games tournament.kgn                      list the games of a file
  kalah games list                                list the games of the server
  kalah export --out played.kgn                   export the games of the server
  kalah engine                                    run the engine protocol
  kalah engine-client --help                      let a program play in a room
  kalah kgp connect kalah.example.org             let a program play on a server
  kalah kgp serve                                 run such a server
  kalah mankalah host ./one ./two                 run a game of two agents
  kalah arena --engine smart --engine cmd=./bot   compare two programs
  kalah bot new python mybot                      write a bot to begin with
  kalah bot check cmd=./bot                       check a program of your own
  kalah bench                                     measure the search
  kalah bench tables                              measure the build of a table
  kalah completions bash                          print a completion script
  kalah config                                    show the defaults of options
  kalah help topics                               list the documents

A position needs quotes, because a shell treats `<` as a redirection: '<houses a side, South's
store, North's store, South's houses, North's houses> s'. Rows are in sowing order, and the side to
move is s or n. 6x4 is the start with 6 houses a side and 4 seeds in each house.

Exit codes:
  0              the command has succeeded, also if its output is closed early
  1              the command has failed while it ran
  2              the arguments are invalid
  3              margins of a proof or a book depend on unsearched leaves
  129, 130, 143  SIGHUP, Ctrl-C or SIGTERM has ended it before it was complete

Standard error has the reason after `error: `, except after SIGHUP, which a terminal sends when it
is closed. Analyses, proofs, reviews and tournaments print or keep their results so far. A server or
a KGP client goes on until a signal ends it, and its exit code is 0 then.";

/// Play Kalah, and analyze its positions and games.
///
/// Without a command, `kalah` asks for the players, the rules and the board, and suggests a game
/// against `level:2` with 6 houses a side and 4 seeds in each house, under the rules `cs32`.
/// Without a screen, this game starts at once.
#[derive(Clone, Debug, Parser)]
#[command(name = "kalah", disable_help_subcommand = true, version = version::VERSION, long_version = version::LONG_VERSION.as_str(),
    after_help = EXAMPLES, max_term_width = MAX_HELP_WIDTH)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

impl Cli {
    /// Returns whether the configuration matters. It does not for documents of the program, which
    /// also help to mend it.
    pub(crate) const fn uses_config(&self) -> bool {
        !matches!(
            self.command,
            Some(Command::Rules(_) | Command::Completions(_) | Command::Man(_) | Command::Help(_))
        )
    }
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum Command {
    /// Play a game, or watch two programs play
    Play(Box<PlayArgs>),
    /// Draw a position and list its legal moves
    Show(ShowArgs),
    /// Find the margin of every move of a position, exactly or within a time limit
    Analyze(AnalyzeArgs),
    /// Prove the margin of a position
    Solve(SolveArgs),
    /// Prove the margin of a position in a file that keeps the proof
    Prove(Box<ProveArgs>),
    /// Count the sequences of plies from a position
    Perft(PerftArgs),
    /// Draw the minimax tree of a position with its values
    Tree(TreeArgs),
    /// Replay a recorded game, ply by ply
    Replay(ReplayArgs),
    /// Review a recorded game: what each move cost and why, and better moves
    Review(ReviewArgs),
    /// Convert logs and move lists of other programs to game records
    Import(ImportArgs),
    /// Export the games that the server has stored, or convert game records for other programs
    Export(ExportArgs),
    /// Solve puzzles: find the only move that wins, or that saves a tie
    Puzzle(PuzzleArgs),
    /// Print Yale's structure of a board: each pit, its next pit and its opposite pit
    Frame(FrameArgs),
    /// Explain the rule sets
    Rules(RulesArgs),
    /// Build and use endgame tables: the exact margins of all positions with few seeds
    Tables(TablesArgs),
    /// Build and check opening books: the exact margins of all positions of the first plies
    Book(BookArgs),
    /// Serve the page for playing in a browser, on this machine or to others
    Serve(Box<ServeArgs>),
    /// List the games of a record file; list, show, end, delete and rename those of the server
    Games(GamesArgs),
    /// Run the engine protocol on standard input and output
    Engine(EngineArgs),
    /// Let a program play in a room of a server, against people and other programs
    EngineClient(Box<EngineClientArgs>),
    /// Play in the Kalah Game Protocol
    Kgp(Box<KgpArgs>),
    /// Play in the protocol of Manchester's COMP34120, as an agent or as the host
    Mankalah(MankalahArgs),
    /// Run games between programs and estimate their strength
    Arena(Box<ArenaArgs>),
    /// Write a bot to begin with, and check a program of your own
    Bot(Box<BotArgs>),
    /// Measure the speed of this program on this machine
    Bench(BenchArgs),
    /// Show the defaults of options, and where they are set
    Config(ConfigArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Write manual pages
    Man(ManArgs),
    /// Print the help of a command, or a document of this program
    Help(HelpArgs),
}

#[derive(Clone, Copy, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah completions bash > ~/.local/share/bash-completion/completions/kalah
  kalah completions zsh")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}
