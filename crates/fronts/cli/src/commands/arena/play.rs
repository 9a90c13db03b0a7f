//! `kalah arena` with engines or with `--resume`: playing a tournament.

use std::env;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use kalah::{Quoted, Rules, TimeLimit, format_count, format_number, strip_byte_order_mark};
use kalah_arena::{
    Adjudication, AdjudicationOption, ArenaConfig, ArenaOptions, ArenaSummary, Extension,
    FinishedGame, NamedProgram, OpeningsOption, ResignRule, RunDir, RunError, RunnerContext,
    SlowStart, SprtParam, StartupCheck, Tournament, TournamentFormat, TournamentRunner,
    default_rules, html_report, parse_engines_file, results_json, summary_text,
};
use kalah_net::raise_fd_limit;
use kalah_players::{
    ContestantSpec, MemorySize, ParseContestantSpecError, Shutdown, TimeControl, available_threads,
    display_path, escape_control,
};
use kalah_protocols::ENGINE_PROTOCOLS;
use kalah_record_files::text_file;

use super::progress::ArenaProgress;
use super::start_check::{StartCheckOptions, current_folder_text, start_warnings, with_folder_tip};
use crate::args::position::{TypedSetup, parse_board};
use crate::args::values::{MAX_THREADS, parse_rules, whole_number_parser};
use crate::commands::program_start::print_silence;
use crate::error::CliError;
use crate::interrupt;
use crate::output::keys::KeyReader;
use crate::output::messages::{path_option, print_stderr, print_warning, write_json};
use crate::output::progress::output_width;
use crate::version::VERSION;

#[derive(Clone, Debug, Args)]
pub(super) struct ArenaPlayArgs {
    /// A contestant of the tournament, at least twice: first, random, minimax:DEPTH, level:1 to
    /// level:10, smart, smart:100ms, or cmd='COMMAND',proto=uki|kgp-child|mankalah; also with
    /// name=NAME, with time=TIME or nodes=N in the place of --time, for programs with
    /// dir=FOLDER, in which they run, and limits='memory=300MB cpu=60s', and option.NAME=VALUE for
    /// uki
    #[arg(
        long = "engine",
        value_name = "ENGINE",
        required_unless_present_any = ["resume", "engines_file"],
        conflicts_with = "resume",
        value_parser = parse_contestant
    )]
    engines: Vec<ContestantSpec>,
    /// Contestants in a file, before those of --engine: [[engine]] tables of TOML with cmd or
    /// player, and name, id, proto, dir, env, time, nodes, limits and options; with --resume, those
    /// that the tournament does not have are added
    #[arg(long = "engines", value_name = "FILE", value_hint = ValueHint::FilePath)]
    engines_file: Option<PathBuf>,
    /// Number of rounds; in each one, opponents play a pair of games [default: 10, or 5000 with
    /// --sprt]; with --resume, more than before
    #[arg(long, value_name = "N", value_parser = whole_number_parser(1, Tournament::MAX_ROUNDS))]
    rounds: Option<usize>,
    /// Format of the tournament
    #[arg(
        long,
        value_name = "FORMAT",
        value_parser = format_parser(),
        default_value = TournamentFormat::RoundRobin.as_str(),
        conflicts_with = "resume"
    )]
    tournament: TournamentFormat,
    /// Start with M houses a side and N seeds in each [default: 6x4, or 7x7 if a contestant speaks
    /// mankalah]
    #[arg(long, value_name = "MxN", value_parser = parse_board, conflicts_with = "resume")]
    board: Option<TypedSetup>,
    /// Rules [default: cs32, or those of the protocols: standard for kgp-child, mankalah for
    /// mankalah]
    #[arg(long, value_name = "PRESET", conflicts_with = "resume", value_parser = parse_rules)]
    rules: Option<Rules>,
    /// Time for each move, 1s, for a game and once a turn, 10s+0.1s, or number of positions to
    /// search for each move, nodes=10000
    #[arg(
        long,
        value_name = "TIME",
        default_value = "1s",
        conflicts_with = "resume"
    )]
    time: TimeControl,
    /// Tolerated delay of an answer
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "50ms",
        conflicts_with = "resume"
    )]
    grace: TimeLimit,
    /// Openings: a file, balanced:K for the K openings of the board's list with margins nearest to
    /// zero, plies:N for all openings of N plies, random:N for openings of N random plies, or
    /// start [default: balanced if the board has a list, else plies:2, or plies:1 under rules with
    /// a swap; start if a contestant speaks mankalah]
    #[arg(
        long,
        value_name = "FILE|balanced:K",
        value_hint = ValueHint::FilePath,
        conflicts_with = "resume"
    )]
    openings: Option<OpeningsOption>,
    /// Adjudicate games with at most N seeds in the houses by their proven margin [default: a
    /// quarter of all seeds, at most 12]
    #[arg(long, value_name = "seeds=N", conflicts_with_all = ["resume", "play_out"])]
    adjudicate: Option<Adjudication>,
    /// Play all games to their end
    #[arg(long, conflicts_with = "resume")]
    play_out: bool,
    /// End a game as lost when both contestants have estimated in their last M moves that one of
    /// them loses it by at least N seeds, M being 3 by default
    #[arg(long, value_name = "seeds=N,moves=M", conflicts_with_all = ["resume", "play_out"])]
    resign: Option<ResignRule>,
    /// Stop the tournament of two contestants as soon as it is decided whether the first one is
    /// stronger by elo0 or by elo1 [default: elo0=0 elo1=10 alpha=0.05 beta=0.05]
    #[arg(long, value_name = "KEY=NUMBER", num_args = 0..=4, conflicts_with = "resume")]
    sprt: Option<Vec<SprtParam>>,
    /// Seed of the shuffled openings and of the random decisions of built-in players: with --time
    /// nodes=N their games are the same again
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        value_parser = whole_number_parser(u64::MIN, u64::MAX),
        conflicts_with = "resume"
    )]
    seed: u64,
    /// Memory of each built-in player that searches
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "64MiB",
        conflicts_with = "resume"
    )]
    memory: MemorySize,
    /// Number of games at the same time [default: one less than the number of processors]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(NonZeroUsize::MIN, MAX_THREADS))]
    concurrency: Option<NonZeroUsize>,
    /// Folder of the tournament [default: a new one, arena-DATE-N]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "resume")]
    out: Option<PathBuf>,
    /// Resume the tournament in this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    resume: Option<PathBuf>,
    /// With --resume, add a contestant, which plays against all others in all rounds
    #[arg(
        long,
        value_name = "ENGINE",
        requires = "resume",
        conflicts_with = "engines",
        value_parser = parse_contestant
    )]
    add: Vec<ContestantSpec>,
    /// With --resume, play the games of a contestant again with another program; the old ones do
    /// not count
    #[arg(
        long,
        value_names = ["NAME", "ENGINE"],
        num_args = 2,
        requires = "resume",
        conflicts_with = "engines"
    )]
    replace: Vec<String>,
    #[command(flatten)]
    starts: StartCheckOptions,
    /// Keep what programs receive and write, with times, and their standard error, in a log for
    /// each game; with --resume, for each one from now on
    #[arg(long)]
    log: bool,
    #[command(flatten)]
    output: OutputOptions,
}

#[derive(Clone, Debug, Args)]
struct OutputOptions {
    /// Print all results at the end as one JSON document
    #[arg(long)]
    json: bool,
    /// Print only the results and errors
    #[arg(long)]
    quiet: bool,
}

pub(super) fn run(arguments: &ArenaPlayArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let shutdown = interrupt::listen();
    let start = Instant::now();
    let clock = move || start.elapsed();
    let PreparedTournament {
        run_dir,
        config,
        games,
        slow_starts,
    } = open(arguments, &shutdown, &clock)?;
    if let Some(missing_lock) = run_dir.missing_lock() {
        print_warning(&escape_control(&missing_lock.to_string()));
    }
    if !arguments.output.quiet {
        for warning in start_warnings(&config, &slow_starts) {
            print_warning(&escape_control(&warning));
        }
    }
    let concurrency = concurrency(arguments, &config);
    let finished = games.iter().filter(|game| config.counts(game)).count();
    let resume_command = resume_command(run_dir.path());
    if !arguments.output.quiet {
        let path = display_path(run_dir.path());
        let planned = format_count(config.planned_games(), "game");
        let finished = format_number(u64::try_from(finished).unwrap_or(u64::MAX));
        print_stderr(&format!("{finished} of {planned} are in '{path}'"));
    }
    let progress = ArenaProgress::new(arguments.output.quiet, config.planned_games(), finished);
    let progress = Arc::new(progress);
    let is_paused = Arc::new(AtomicBool::new(false));
    let keys = start_keys(&progress, &is_paused);
    let is_paused = || is_paused.load(Ordering::Relaxed);
    let context = RunnerContext {
        shutdown: &shutdown,
        clock: &clock,
        now: &SystemTime::now,
        observer: &|games| progress.game_finished(&config, games),
        paused: &|| progress.note_pause(),
    };
    let mut runner =
        TournamentRunner::new(&config, &run_dir, games, context).with_pause(&is_paused);
    if config.has_logs {
        runner = runner.with_logs(Arc::new(clock));
    }
    let result = runner.run(concurrency);
    drop(keys);
    progress.finish();
    let games = result
        .map_err(|error| CliError::Runtime(format!("{error}; resume with: {resume_command}")))?;

    let summary = ArenaSummary::new(&config, &games).with_slow_starts(&slow_starts);
    // The results are printed even if the report cannot be written.
    let report = run_dir.write_report(&html_report(&summary, None));
    if arguments.output.json {
        write_json(output, &results_json(&summary, run_dir.path()))?;
    } else {
        output.write_all(summary_text(&summary, output_width()).as_bytes())?;
    }
    output.flush()?;
    let report = report?;
    if !arguments.output.quiet {
        print_stderr(&format!("the report is '{}'", display_path(&report)));
    }
    if summary.is_complete() {
        return Ok(());
    }
    Err(CliError::Interrupted(format!(
        "interrupted; resume with: {resume_command}"
    )))
}

/// A tournament whose programs start, and its folder.
struct PreparedTournament {
    run_dir: RunDir,
    config: ArenaConfig,
    games: Vec<FinishedGame>,
    slow_starts: Vec<SlowStart>,
}

/// Creates or resumes the tournament.
fn open(
    arguments: &ArenaPlayArgs,
    shutdown: &Shutdown,
    clock: &(dyn Fn() -> Duration + Sync),
) -> Result<PreparedTournament, CliError> {
    let report_silence = |program: &NamedProgram, time: Duration| {
        if !arguments.output.quiet {
            print_silence(program, time);
        }
    };
    let check =
        |config: &ArenaConfig| (arguments.starts).check(config, shutdown, clock, &report_silence);
    if let Some(path) = &arguments.resume {
        let (run_dir, config, games) = RunDir::resume(path, ENGINE_PROTOCOLS)?;
        let (stored_versions, had_logs) = (config.versions.len(), config.has_logs);
        let extension = extension(arguments, &config)?;
        let is_extended = !extension.is_empty();
        let config = if is_extended {
            config.extended(&extension).map_err(RunError::from)?
        } else {
            config
        };
        let config = if (games.len() as u64) < config.planned_games() {
            config.played_by(VERSION)
        } else {
            config
        };
        let config = if arguments.log {
            config.with_logs_after(games.len())
        } else {
            config
        };
        let is_changed =
            is_extended || config.versions.len() > stored_versions || config.has_logs != had_logs;
        // A contestant that does not start leaves the tournament as it was.
        let slow_starts = check(&config)?.into_slow_starts();
        let slow_starts = slow_starts.map_err(|error| with_folder_tip(error, &config))?;
        return Ok(PreparedTournament {
            run_dir: if is_changed {
                run_dir.store_config(&config)?
            } else {
                run_dir
            },
            config,
            games,
            slow_starts,
        });
    }
    let config = ArenaConfig::new(&options(arguments)?)?;
    // No folder is created for a tournament that cannot begin.
    let StartupCheck {
        slow_starts,
        faults,
    } = check(&config)?;
    let config = arguments.starts.apply(config, faults)?;
    let config = ArenaConfig {
        has_logs: arguments.log,
        ..config.played_by(VERSION)
    };
    Ok(PreparedTournament {
        run_dir: create_run_dir(arguments, &config)?,
        config,
        games: Vec::new(),
        slow_starts,
    })
}

/// The key that pauses a tournament and continues it.
const PAUSE_KEY: char = 'p';

/// Reads the key that pauses the tournament, if its progress is shown on a terminal.
fn start_keys(progress: &Arc<ArenaProgress>, is_paused: &Arc<AtomicBool>) -> Option<KeyReader> {
    if !progress.is_live() {
        return None;
    }
    let (live, is_paused) = (Arc::clone(progress), Arc::clone(is_paused));
    let keys = KeyReader::start(move |key| {
        if key.eq_ignore_ascii_case(&PAUSE_KEY) {
            let was_paused = is_paused.fetch_xor(true, Ordering::Relaxed);
            live.note_pause_key(!was_paused);
        }
    })?;
    progress.show_pause_key(false);
    Some(keys)
}

fn parse_contestant(text: &str) -> Result<ContestantSpec, ParseContestantSpecError> {
    let spec = ContestantSpec::parse(text, ENGINE_PROTOCOLS)?;
    Ok(with_absolute_folder(spec))
}

/// Returns a contestant whose program runs in the same folder if the tournament is resumed in
/// another one.
fn with_absolute_folder(spec: ContestantSpec) -> ContestantSpec {
    match env::current_dir() {
        Ok(folder) => spec.with_absolute_folder(&folder),
        // Without a current folder, the folder that was given remains.
        Err(_) => spec,
    }
}

/// Converts the arguments that change a tournament.
fn extension(arguments: &ArenaPlayArgs, config: &ArenaConfig) -> Result<Extension, CliError> {
    let mut replaced = Vec::new();
    for pair in arguments.replace.chunks_exact(2) {
        let spec = parse_contestant(&pair[1]);
        let spec = spec.map_err(|error| CliError::Usage(format!("--replace: {error}")))?;
        if replaced.iter().any(|(name, _)| *name == pair[0]) {
            let name = Quoted::new(&pair[0]);
            return Err(CliError::Usage(format!(
                "--replace: {name} is replaced twice"
            )));
        }
        replaced.push((pair[0].clone(), spec));
    }
    let mut extension = Extension {
        added: arguments.add.clone(),
        replaced,
        rounds: arguments.rounds,
    };
    if let Some(file) = &arguments.engines_file {
        let contestants = read_engines_file(file)?;
        let added = extension.add_from_file(config, contestants);
        added.map_err(RunError::from)?;
    }
    Ok(extension)
}

/// Reads the contestants of a file of engines.
fn read_engines_file(file: &Path) -> Result<Vec<ContestantSpec>, CliError> {
    let path = display_path(file);
    let text = text_file::read(file)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let engines = parse_engines_file(strip_byte_order_mark(&text), folder, ENGINE_PROTOCOLS);
    let engines = engines.map_err(|reason| {
        let message = format!("'{path}', {reason}");
        CliError::Runtime(escape_control(&message))
    })?;
    Ok(engines.into_iter().map(with_absolute_folder).collect())
}

/// Converts the arguments of a new tournament.
fn options(arguments: &ArenaPlayArgs) -> Result<ArenaOptions, CliError> {
    let mut contestants = match &arguments.engines_file {
        Some(file) => read_engines_file(file)?,
        None => Vec::new(),
    };
    contestants.extend_from_slice(&arguments.engines);
    let start = match &arguments.board {
        Some(board) => {
            let rules = arguments
                .rules
                .unwrap_or_else(|| default_rules(&contestants));
            Some(board.playable_setup(rules)?)
        }
        None => None,
    };
    Ok(ArenaOptions {
        contestants: Some(contestants),
        format: Some(arguments.tournament),
        rounds: arguments.rounds,
        seed: Some(arguments.seed),
        start,
        rules: arguments.rules,
        openings: arguments.openings.clone(),
        time_control: Some(arguments.time),
        grace: Some(arguments.grace.get()),
        adjudication: Some(match arguments.adjudicate {
            _ if arguments.play_out => AdjudicationOption::Never,
            Some(adjudication) => AdjudicationOption::Custom(adjudication),
            None => AdjudicationOption::Default,
        }),
        resign: arguments.resign,
        sprt: arguments.sprt.clone(),
        memory: Some(arguments.memory),
        started_in: current_folder_text(),
    })
}

fn create_run_dir(arguments: &ArenaPlayArgs, config: &ArenaConfig) -> Result<RunDir, CliError> {
    let Some(path) = &arguments.out else {
        return Ok(RunDir::create_dated(SystemTime::now(), config)?);
    };
    RunDir::create(path, config).map_err(|error| match error {
        RunError::AlreadyExists(_) => {
            CliError::Runtime(format!("{error}; resume with: {}", resume_command(path)))
        }
        error => error.into(),
    })
}

/// The number of open files that the programs of a game take: a pipe for each standard stream.
const FILES_PER_PROGRAM: usize = 3;
/// The maximum number of programs of a game.
const MAX_PROGRAMS_PER_GAME: usize = 2;

/// Returns the number of games at the same time, which the limit of open files can lower.
fn concurrency(arguments: &ArenaPlayArgs, config: &ArenaConfig) -> NonZeroUsize {
    let wanted = arguments.concurrency.unwrap_or_else(default_concurrency);
    let programs = config.contestants.iter();
    let programs = programs.filter(|contestant| contestant.spec.protocol().is_some());
    let files = FILES_PER_PROGRAM * programs.count().min(MAX_PROGRAMS_PER_GAME);
    if files == 0 {
        return wanted;
    }
    let games = raise_fd_limit(wanted.get().saturating_mul(files)) / files;
    let games = NonZeroUsize::new(games).unwrap_or(NonZeroUsize::MIN);
    if games < wanted && !arguments.output.quiet {
        print_warning(&format!(
            "only {} at a time instead of {wanted}: the limit of open files is too low",
            format_count(games.get() as u64, "game")
        ));
    }
    games
}

/// Returns the default number of games at the same time. One player of a game thinks at a time, and
/// one processor remains for the arena.
fn default_concurrency() -> NonZeroUsize {
    NonZeroUsize::new(available_threads().get() - 1).unwrap_or(NonZeroUsize::MIN)
}

/// Returns the command that resumes the tournament in the folder `path`.
pub(super) fn resume_command(path: &Path) -> String {
    format!("kalah arena {}", path_option("--resume", path))
}

fn format_parser() -> impl TypedValueParser<Value = TournamentFormat> {
    let values = TournamentFormat::ALL.map(|format| {
        PossibleValue::new(format.as_str()).help(match format {
            TournamentFormat::RoundRobin => {
                "A round is a pair of games between each two contestants"
            }
            TournamentFormat::Gauntlet => {
                "A round is a pair of games between the first contestant and each of the others"
            }
            TournamentFormat::Swiss => {
                "A round is a pair of games for each contestant, against one with about as many \
                 points"
            }
        })
    });
    PossibleValuesParser::new(values).try_map(|name| name.parse::<TournamentFormat>())
}
