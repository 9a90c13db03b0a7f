//! The player of a command line and the threads, memory and endgame tables of its search, with the
//! engines and players that are built from these options.

use std::fs;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, ValueHint};
use kalah::{Move, Player, Position, TimeLimit, Variant};
use kalah_book::BookSet;
use kalah_engine::{AnalysisGoal, Limits, Network};
use kalah_players::{
    EngineFactory, MemorySize, PlayerSpec, available_threads, clamp_to_free_memory,
};
use kalah_tables::ChecksumPolicy;

use super::values::{
    MAX_THREADS, parse_positive_time, parse_program_player, seed_or_random, whole_number_parser,
};
use crate::error::CliError;
use crate::files::book_file::read_book;
use crate::files::table_folder::TableSource;
use crate::output::messages::print_warning;

/// The options `--tables` and `--trust`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct TablesOption {
    /// The folder with endgame tables, or `none` to read no file [default: the folder of
    /// `kalah tables build`]
    #[arg(long, value_name = "DIR|none", value_hint = ValueHint::DirPath, value_parser = table_source_parser())]
    pub(crate) tables: Option<TableSource>,
    /// Use the tables of this folder without comparing them with their checksums first
    #[arg(long, requires = "tables")]
    pub(crate) trust: bool,
}

impl TablesOption {
    /// Checks that the folder exists. A command that opens its tables later calls this at its
    /// start.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the folder does not exist, or is a file.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        self.tables.as_ref().map_or(Ok(()), TableSource::check)
    }

    /// Returns whether tables are compared with their checksums before their first use.
    pub(crate) fn checksum_policy(&self) -> ChecksumPolicy {
        if self.trust {
            ChecksumPolicy::Trust
        } else {
            ChecksumPolicy::Verify
        }
    }
}

fn table_source_parser() -> impl TypedValueParser<Value = TableSource> {
    PathBufValueParser::new().map(TableSource::from)
}

/// The option `--network`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct NetworkOption {
    /// The file of the network that estimates positions [default: the network of the program]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = network_parser())]
    pub(crate) network: Option<Arc<Network>>,
}

/// The option `--book`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct BookOption {
    /// A book of `kalah book build`, which precedes those of the program, or `none` to use no book
    /// [default: the books of the program]
    #[arg(long, value_name = "FILE|none", value_hint = ValueHint::FilePath, value_parser = book_parser())]
    pub(crate) book: Option<BookSet>,
}

impl BookOption {
    /// Returns the books of the command line.
    fn books(&self) -> BookSet {
        self.book.clone().unwrap_or_else(BookSet::embedded)
    }
}

/// Reads the file of a book, unless the text is `none`.
fn book_parser() -> impl TypedValueParser<Value = BookSet> {
    PathBufValueParser::new().try_map(|path| {
        if path.as_os_str() == "none" {
            return Ok::<_, String>(BookSet::default());
        }
        Ok(BookSet::embedded().with_book(read_book(&path)?))
    })
}

/// The resources of a search that answers from books where they have the position.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct BookSearchOptions {
    #[command(flatten)]
    pub(crate) resources: SearchOptions,
    #[command(flatten)]
    pub(crate) book: BookOption,
}

impl BookSearchOptions {
    /// Returns a factory as [`SearchOptions::factory`] does, whose engines have the books.
    ///
    /// # Errors
    /// As [`SearchOptions::factory`].
    pub(crate) fn factory(&self, position: &Position) -> Result<EngineFactory, CliError> {
        Ok((self.resources.factory(position)?).with_books(self.book.books()))
    }
}

/// The resources of a search.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SearchOptions {
    /// Threads of the search; more than the machine has do not help [default: all of the machine]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(NonZeroUsize::MIN, MAX_THREADS))]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Memory of the search, such as 512MiB or 16GiB [default: a quarter of the machine's memory,
    /// at most 1GiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<MemorySize>,
    #[command(flatten)]
    pub(crate) network: NetworkOption,
    #[command(flatten)]
    pub(crate) tables: TablesOption,
}

impl SearchOptions {
    /// Returns a factory of engines without books, for games that go on from `position`.
    ///
    /// Prints a warning if the memory of the command line is more than the free memory.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the folder with tables cannot be read.
    pub(crate) fn factory(&self, position: &Position) -> Result<EngineFactory, CliError> {
        let variant = Variant::from_position(position);
        let policy = self.tables.checksum_policy();
        let tables = TableSource::open_cache(self.tables.tables.as_ref(), policy, variant)?;
        let threads = self.threads.unwrap_or_else(available_threads);
        let memory = self.memory.map(clamp_with_warning);
        let memory = memory.unwrap_or_else(|| EngineFactory::default().memory());
        let factory = EngineFactory::new(threads, memory, tables).with_books(BookSet::default());
        Ok(match &self.network.network {
            Some(network) => factory.with_network(Arc::clone(network)),
            None => factory,
        })
    }
}

/// The limits of a search.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct LimitOptions {
    /// Stop after this time; the best move is proven first [default: stop when all is proven]
    #[arg(long, value_name = "DURATION", value_parser = parse_positive_time)]
    pub(crate) time: Option<TimeLimit>,
    /// Stop after this many nodes; with `--threads 1` and no other limit, the result is always the
    /// same
    #[arg(long, value_name = "N", value_parser = whole_number_parser(1, u64::MAX))]
    pub(crate) nodes: Option<u64>,
}

impl LimitOptions {
    /// Returns the limits of a search for `goal`.
    pub(crate) fn limits(self, goal: AnalysisGoal) -> Limits {
        Limits {
            time: self.time.map(TimeLimit::get),
            nodes: self.nodes,
            goal,
            ..Limits::default()
        }
    }
}

/// Reads the file of a network.
fn network_parser() -> impl TypedValueParser<Value = Arc<Network>> {
    PathBufValueParser::new().try_map(|path| {
        let bytes = fs::read(path).map_err(|reason| reason.to_string())?;
        let network = Network::parse(&bytes).map_err(|reason| reason.to_string())?;
        Ok::<_, String>(Arc::new(network))
    })
}

/// Returns `requested`, or less and prints a warning if the machine has less free memory.
pub(crate) fn clamp_with_warning(requested: MemorySize) -> MemorySize {
    let usable = clamp_to_free_memory(requested);
    if usable < requested {
        print_warning(&format!(
            "{requested} of memory are not available: the search uses {usable}"
        ));
    }
    usable
}

/// The built-in player of a command that plays without a person, and the resources of its search.
#[derive(Clone, Debug, Args)]
pub(crate) struct ProgramOptions {
    /// The player: first, random, minimax:DEPTH, level:1 (weak) to level:10 (smart), or smart,
    /// which can have a time of its own, as in smart:100ms
    #[arg(long, value_name = "PLAYER", default_value_t = PlayerSpec::SMART, value_parser = parse_program_player)]
    pub(crate) player: PlayerSpec,
    /// The seed of the random choices of random and the levels [default: a random one]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(u64::MIN, u64::MAX))]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) search: BookSearchOptions,
}

/// The player of the command line, built again when the variant of the positions changes.
pub(crate) struct PlayerCache {
    options: ProgramOptions,
    seed: u64,
    /// The player of the last move, and the variant of its tables.
    player: Option<(Variant, Box<dyn Player + Send>)>,
}

impl PlayerCache {
    /// Returns a cache without a player. The first move builds one.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the folder of `--tables` does not exist.
    pub(crate) fn new(options: &ProgramOptions) -> Result<Self, CliError> {
        options.search.resources.tables.check()?;
        Ok(Self {
            options: options.clone(),
            seed: seed_or_random(options.seed),
            player: None,
        })
    }

    /// Returns the move of the player within `limit`, or within the player's own time if that is
    /// less; `None` if the game is over.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the folder with tables cannot be read.
    pub(crate) fn choose_move(
        &mut self,
        position: &Position,
        limit: Duration,
    ) -> Result<Option<Move>, CliError> {
        let own_limit = self.options.player.time_limit;
        let limit = own_limit.map_or(limit, |own| own.get().min(limit));
        Ok(self.player(position)?.choose_move(position, limit))
    }

    fn player(&mut self, position: &Position) -> Result<&mut dyn Player, CliError> {
        let variant = Variant::from_position(position);
        let player = match self.player.take() {
            Some((player_variant, player)) if player_variant == variant => player,
            _ => self.new_player(position)?,
        };
        let (_, player) = self.player.insert((variant, player));
        Ok(player.as_mut())
    }

    fn new_player(&self, position: &Position) -> Result<Box<dyn Player + Send>, CliError> {
        let engines = self.options.search.factory(position)?;
        let spec = self.options.player;
        spec.build_player(&spec.default_name(), self.seed, &engines)
            .ok_or_else(|| {
                CliError::Usage("expected a program such as smart or level:3, not human".to_owned())
            })
    }
}
