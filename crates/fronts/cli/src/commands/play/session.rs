//! The arguments of `kalah play`, the game that it begins or resumes, and its players.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueHint};
use kalah::record::{Record, Tags};
use kalah::{
    BySide, ClockSetting, Game, GameEvent, Position, Referee, Side, Termination, TimeLimit,
};
use kalah_arena::{NamedProgram, StartupCheck};
use kalah_engine::SmartPlayer;
use kalah_players::{
    EngineFactory, GamePlayerSpec, PlayerSpec, escape_control, parse_and_shorten_player_name,
    quoted_path,
};
use kalah_record_files::{HistoryError, RecordFileError, Recorder, take_undone, text_file};
use kalah_text::{GamePrinter, Palette};
use kalah_tui::{PuzzleChoices, PuzzleDifficulty};

use super::kept_games::{GameKeeper, today};
use crate::args::position::StartOptions;
use crate::args::search::{BookOption, BookSearchOptions, SearchOptions, TablesOption};
use crate::args::values::{
    LabelsOption, parse_game_player, parse_positive_time, seed_or_random, whole_number_parser,
};
use crate::commands::program_start::print_silence;
use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::output_width;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
On a terminal, the board fills the screen: letters, arrows and the mouse sow, ? lists all keys, and
Esc opens a menu. In plain mode, type the label of a house, or one of the words undo, redo, hint,
help, save FILE, resign, swap, quit.

Examples:
  kalah play --board 3x2 --north first --south-name Marge
  kalah play --position '<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> n' --labels columns
  kalah play --south random --north smart:100ms --seed 7 --no-pause
  kalah play --south smart --north level:5 --nodes 20000 --seed 7
  kalah play --north level:3 --rules standard
  kalah play --north cmd=./mybot,proto=uki
  kalah play --record game.kgn
  kalah play --resume game.kgn
  kalah play --continue")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each flag of the command line is a bool"
)]
pub(crate) struct PlayArgs {
    #[command(flatten)]
    start: StartOptions,
    /// The player that begins as South: human, first, random, minimax:DEPTH, level:1 (weak) to
    /// level:10 (smart), or smart, which can have a time of its own, as in smart:100ms; DEPTH is at
    /// most 12, and each level of depth takes several times as long as the one before; or a
    /// program, as `kalah arena` accepts it: cmd='./mybot --fast',proto=uki [default: South's
    /// player of the game that is resumed, otherwise human]
    #[arg(long, value_name = "PLAYER", value_parser = parse_game_player)]
    south: Option<GamePlayerSpec>,
    /// The player that begins as North, likewise [default: North's player of the game that is
    /// resumed, otherwise smart]
    #[arg(long, value_name = "PLAYER", value_parser = parse_game_player)]
    north: Option<GamePlayerSpec>,
    /// The name of the player that begins as South
    #[arg(long, value_name = "NAME", value_parser = parse_and_shorten_player_name)]
    south_name: Option<String>,
    /// The name of the player that begins as North
    #[arg(long, value_name = "NAME", value_parser = parse_and_shorten_player_name)]
    north_name: Option<String>,
    /// The time of smart, level:10 and programs for each move [default: 5s; with --nodes or --depth
    /// that of programs alone]
    #[arg(long, value_name = "DURATION", value_parser = parse_positive_time)]
    time: Option<TimeLimit>,
    /// The maximum number of nodes of each search of smart, level:10, hints, margins and reviews;
    /// searches have one thread then, and without other limits games with the same seed are the
    /// same
    #[arg(long, value_name = "N", value_parser = whole_number_parser(1, u64::MAX))]
    nodes: Option<u64>,
    /// The maximum depth of these searches in turns, which prove nothing then, and have one thread,
    /// too
    #[arg(long, value_name = "TURNS", value_parser = whole_number_parser(1, u32::MAX))]
    depth: Option<u32>,
    #[command(flatten)]
    tables: TablesOption,
    #[command(flatten)]
    book: BookOption,
    /// The seed of the random choices of random and the levels [default: a random one]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(u64::MIN, u64::MAX))]
    seed: Option<u64>,
    #[command(flatten)]
    pub(super) labels: LabelsOption,
    /// Do not wait for ENTER between the turns of two programs
    #[arg(long)]
    pub(super) no_pause: bool,
    /// Use plain mode instead of the screen: lines of text. It is the default if input or output is
    /// not a terminal
    #[arg(long)]
    pub(super) plain: bool,
    /// Show a sowing on the screen at once instead of seed by seed
    #[arg(long)]
    pub(super) no_animation: bool,
    /// Play with clocks on the screen: the time of each player for the game, and the time that is
    /// added once a turn, as in 5m or 5m+3s; bonus turns add nothing
    #[arg(long, value_name = "TIME", value_hint = ValueHint::Other, conflicts_with = "plain")]
    pub(super) clock: Option<ClockSetting>,
    /// Draw the screen with ASCII characters, as in a locale that does not use UTF-8
    #[arg(long)]
    pub(super) ascii: bool,
    /// Append a record of the game to this file and update it after every ply
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    record: Option<PathBuf>,
    /// Resume the last game of this record file and continue its record
    #[arg(
        long,
        value_name = "FILE",
        value_hint = ValueHint::FilePath,
        conflicts_with_all = ["board", "position", "rules"]
    )]
    pub(super) resume: Option<PathBuf>,
    /// Continue the last unfinished game that was kept without --record
    #[arg(
        long = "continue",
        conflicts_with_all = ["board", "position", "rules", "record", "resume", "no_history"]
    )]
    pub(super) continue_last: bool,
    /// Keep nothing in the user's folder of program data: no history of games
    #[arg(long)]
    pub(super) no_history: bool,
    /// The puzzles of `kalah puzzle`.
    #[arg(skip)]
    pub(super) puzzles: PuzzleArguments,
}

/// The puzzles that the screen poses.
#[derive(Clone, Debug, Default)]
pub(crate) struct PuzzleArguments {
    /// The difficulty, `None` for the one that is remembered.
    pub(crate) difficulty: Option<PuzzleDifficulty>,
    pub(crate) choices: PuzzleChoices,
}

impl PlayArgs {
    /// Changes the arguments to those of puzzles from games that begin with `start`.
    pub(crate) fn for_puzzles(
        self,
        start: StartOptions,
        puzzles: PuzzleArguments,
        seed: Option<u64>,
        is_history_off: bool,
    ) -> Self {
        Self {
            start,
            puzzles,
            seed,
            no_history: is_history_off,
            ..self
        }
    }

    /// Returns whether nodes or the depth limit searches.
    fn has_search_limit(&self) -> bool {
        self.nodes.is_some() || self.depth.is_some()
    }

    /// Returns whether time limits the searches of built-in players, hints and reviews.
    pub(super) fn is_time_limited(&self) -> bool {
        self.time.is_some() || !self.has_search_limit()
    }

    /// Returns the time for a move, unless the player has a time of its own.
    pub(super) fn move_time(&self) -> Duration {
        self.time
            .map_or(SmartPlayer::DEFAULT_TIME_LIMIT, TimeLimit::get)
    }

    /// Returns whether the arguments begin a game that is not recorded before.
    pub(super) fn is_new_game(&self) -> bool {
        self.resume.is_none() && !self.continue_last
    }
}

/// The maximum time for a hint. The time for a move also limits it.
const MAX_HINT_TIME: Duration = Duration::from_secs(1);

/// The game to play and its players by the side on which each began.
pub(super) struct PlaySession<'a> {
    pub(super) arguments: &'a PlayArgs,
    pub(super) palette: Palette,
    pub(super) source: GameSource,
    pub(super) specs: BySide<GamePlayerSpec>,
    pub(super) names: BySide<String>,
}

impl PlaySession<'_> {
    pub(super) fn has_ended(&self) -> bool {
        self.source.record.ending().termination != Termination::Unfinished
    }

    /// Starts each program once, so that no game begins with one that does not start. A finished
    /// game asks no program.
    ///
    /// # Errors
    /// The message of `kalah arena` about the programs that do not start.
    pub(super) fn check_programs(&self) -> Result<(), CliError> {
        let program = |side: &Side| {
            let player = self.specs[*side].program()?;
            Some(NamedProgram {
                // The name of the player in the game can be that of the record.
                name: player.name(),
                program: player.program().clone(),
            })
        };
        let programs: Vec<NamedProgram> = Side::ALL.iter().filter_map(program).collect();
        if programs.is_empty() || self.has_ended() {
            return Ok(());
        }
        let position = self.source.game.position();
        let origin = Instant::now();
        let clock = || origin.elapsed();
        let shutdown = interrupt::listen();
        let check =
            StartupCheck::of_programs(&programs, position, &shutdown, &clock, &print_silence)?;
        check.into_slow_starts()?;
        Ok(())
    }

    pub(super) fn print_ending(&self) -> Result<(), CliError> {
        let referee = Referee::new(self.source.record.game(), BySide::default());
        let mut printer = self.printer();
        printer.print_header(&referee)?;
        Ok(printer.print_event(&referee, &GameEvent::Ended(self.source.record.ending()))?)
    }

    /// Creates the printer of the game to standard output.
    pub(super) fn printer(&self) -> GamePrinter<anstream::Stdout> {
        let names = BySide::from_fn(|side| &*self.names[side]);
        GamePrinter::new(anstream::stdout(), names)
            .labels(self.arguments.labels.labels)
            .palette(self.palette)
            .width(output_width())
    }

    pub(super) fn engine_factory(&self) -> Result<EngineFactory, CliError> {
        engine_factory(self.arguments, self.source.record.game().position())
    }

    /// Returns the seed of random choices: that of the arguments, or a random one.
    pub(super) fn seed(&self) -> u64 {
        seed_or_random(self.arguments.seed)
    }

    pub(super) fn hint_time_limit(&self) -> Duration {
        self.arguments.move_time().min(MAX_HINT_TIME)
    }
}

/// Returns a factory of engines with the resources of the machine, and with the tables and the
/// limits of the arguments. With limits an engine has one thread, because the result of more of
/// them depends on their order.
pub(super) fn engine_factory(
    arguments: &PlayArgs,
    position: &Position,
) -> Result<EngineFactory, CliError> {
    let options = BookSearchOptions {
        resources: SearchOptions {
            tables: arguments.tables.clone(),
            threads: (arguments.has_search_limit()).then_some(NonZeroUsize::MIN),
            ..SearchOptions::default()
        },
        book: arguments.book.clone(),
    };
    let factory = options.factory(position)?;
    Ok(factory.with_search_limits(arguments.nodes, arguments.depth))
}

/// The tags of the player specs, which `--south` and `--north` accept.
const PLAYER_TAGS: BySide<&str> = BySide {
    south: "SouthPlayer",
    north: "NorthPlayer",
};

/// The tags of the players' names.
const NAME_TAGS: BySide<&str> = BySide {
    south: Tags::SOUTH,
    north: Tags::NORTH,
};

/// Writes the players' specs and names to the tags of `record`.
pub(super) fn set_player_tags(
    record: &mut Record,
    specs: &BySide<GamePlayerSpec>,
    names: &BySide<String>,
) -> Result<(), CliError> {
    for side in Side::ALL {
        for (tag, value) in [
            (PLAYER_TAGS[side], specs[side].to_string()),
            (NAME_TAGS[side], names[side].clone()),
        ] {
            set_tag(record, tag, value)?;
        }
    }
    Ok(())
}

/// Sets a tag that does not contradict the game.
fn set_tag(record: &mut Record, name: &str, value: String) -> Result<(), CliError> {
    let set = record.set_tag(name, value);
    set.map_err(|reason| CliError::Runtime(reason.to_string()))
}

/// The player of a side in a record.
pub(super) enum RecordedPlayer {
    /// The record names none.
    Unknown,
    /// A person or a built-in player.
    Local(PlayerSpec),
    /// A program with this text. A record may come from a stranger, so that only the command line
    /// and the screen start programs.
    Program(String),
}

/// Returns the player that began on `side`, as the record names it.
pub(super) fn recorded_player(record: &Record, side: Side) -> Result<RecordedPlayer, CliError> {
    let tag = PLAYER_TAGS[side];
    let Some(recorded) = record.tags().get(tag) else {
        return Ok(RecordedPlayer::Unknown);
    };
    match parse_game_player(recorded) {
        Ok(GamePlayerSpec::Local(spec)) => Ok(RecordedPlayer::Local(spec)),
        Ok(GamePlayerSpec::Program(_)) => Ok(RecordedPlayer::Program(recorded.to_owned())),
        Err(reason) => {
            let option = side.as_str();
            Err(CliError::Runtime(format!(
                "tag {tag}: {reason}; --{option} PLAYER overrides it"
            )))
        }
    }
}

/// Returns the names of the players by the side on which each began: from the record, else the
/// default names.
pub(super) fn recorded_names(record: &Record, specs: &BySide<GamePlayerSpec>) -> BySide<String> {
    BySide::from_fn(|side| {
        let recorded = record.tags().get(NAME_TAGS[side]);
        recorded.map_or_else(|| specs[side].default_name(), str::to_owned)
    })
}

/// The game to play, with the games that precede it in its file.
pub(super) struct GameSource {
    preceding_games: Vec<Record>,
    pub(super) record: Record,
    /// The game of the record, with the plies that can be redone.
    pub(super) game: Game,
}

impl GameSource {
    /// Creates a new game, or reads the last one of the file that is to be resumed, or continues
    /// that of the history.
    pub(super) fn load(
        arguments: &PlayArgs,
        keeper: Option<&mut GameKeeper>,
    ) -> Result<Self, CliError> {
        if arguments.continue_last {
            let Some(keeper) = keeper else {
                let text = "--continue needs the history, which is switched off";
                return Err(CliError::Usage(text.to_owned()));
            };
            let (id, mut record) = keeper.last_unfinished()?;
            keeper.continue_game(id)?;
            let game = take_undone(&mut record).map_err(HistoryError::from)?;
            return Ok(Self {
                preceding_games: Vec::new(),
                record,
                game,
            });
        }
        let Some(path) = &arguments.resume else {
            let game = Game::new(arguments.start.to_position()?);
            let mut record = Record::from_game(&game);
            if let Some(date) = today() {
                set_tag(&mut record, Tags::DATE, date)?;
            }
            return Ok(Self {
                preceding_games: Vec::new(),
                record,
                game,
            });
        };
        let mut records = kalah_record_files::read(path)?;
        match records.pop() {
            Some(record) => Ok(Self {
                preceding_games: records,
                game: record.game(),
                record,
            }),
            None => Err(CliError::from(RecordFileError::NoGame(quoted_path(path)))),
        }
    }

    /// Returns the specs of the players by the side on which each began: from the arguments, else
    /// from the record, else a person as South and the engine as North. A program is always from
    /// the arguments.
    pub(super) fn resolve_players(
        &mut self,
        arguments: &PlayArgs,
    ) -> Result<BySide<GamePlayerSpec>, CliError> {
        let options = BySide::new(&arguments.south, &arguments.north);
        let mut specs = BySide::new(PlayerSpec::HUMAN.into(), PlayerSpec::SMART.into());
        for side in Side::ALL {
            if let Some(spec) = options[side] {
                specs[side] = spec.clone();
                continue;
            }
            match recorded_player(&self.record, side)? {
                RecordedPlayer::Unknown => {}
                RecordedPlayer::Local(spec) => specs[side] = spec.into(),
                RecordedPlayer::Program(text) => {
                    let text = escape_control(&text);
                    return Err(CliError::Runtime(format!(
                        "a record starts no programs, and {side} was one, {text}: give its player \
                         with --{option} PLAYER",
                        option = side.as_str(),
                    )));
                }
            }
        }
        let game = self.record.game();
        for side in Side::ALL {
            if let Err(reason) = specs[side].check_game(&game) {
                let option = side.as_str();
                return Err(CliError::Usage(format!("--{option}: {reason}")));
            }
        }
        Ok(specs)
    }

    /// Returns the names of the players by the side on which each began: from the arguments, else
    /// from the record, else the default names. Writes specs and names to the record.
    pub(super) fn resolve_names(
        &mut self,
        arguments: &PlayArgs,
        specs: &BySide<GamePlayerSpec>,
    ) -> Result<BySide<String>, CliError> {
        let options = BySide::new(&arguments.south_name, &arguments.north_name);
        let recorded = recorded_names(&self.record, specs);
        let names =
            BySide::from_fn(|side| options[side].as_ref().unwrap_or(&recorded[side]).clone());
        set_player_tags(&mut self.record, specs, &names)?;
        Ok(names)
    }

    /// Returns the recorder of the game, if it is to be recorded. The file then contains the game.
    pub(super) fn recorder(&self, arguments: &PlayArgs) -> Result<Option<Recorder>, CliError> {
        let recorder = match (&arguments.resume, &arguments.record) {
            (None, None) => return Ok(None),
            (None, Some(path)) => Recorder::append(path, self.record.clone())?,
            (Some(file), Some(path)) if !text_file::is_same_file(file, path) => {
                Recorder::append(path, self.record.clone())?
            }
            (Some(path), _) => Recorder::resume(path, &self.preceding_games, self.record.clone())?,
        };
        Ok(Some(recorder))
    }
}
