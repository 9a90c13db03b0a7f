//! `kalah arena feedback`: a page for the author of each engine of a tournament.

mod mistakes;
mod reviews;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use kalah::{Side, TimeLimit};
use kalah_arena::{
    ArenaSummary, Contestant, Feedback, FinishedGame, Mistake, SkippedFeedback, StoredTournament,
};
use kalah_engine::{AnalysisGoal, Limits};
use kalah_players::display_path;
use kalah_protocols::ENGINE_PROTOCOLS;
use serde::Serialize;

use self::mistakes::{biggest_mistakes, choose_games};
use self::reviews::{GameMistakes, review_games};
use super::report::parse_page;
use crate::args::search::BookSearchOptions;
use crate::args::values::{parse_positive_time, whole_number_parser};
use crate::batch::{BatchEngines, BatchSearchOptions, KeptTables};
use crate::error::CliError;
use crate::output::messages::write_json;

/// The default of `--nodes`: a review of a game of 6x4 then takes less than a second.
const DEFAULT_NODES: u64 = 20_000;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The page of an engine has its results, its faults with the position and the legal moves, its biggest
mistakes with the better move and the reason, and its games on a board. A mistake is a move that is
proven to cost seeds. The same move or fault in the same position is shown once, with the number of
its games. The page of an engine that takes no part has the reason. With --nodes alone and one thread for each game, as by default, the result is
always the same. No program is started, and another process can play the tournament meanwhile.

Examples:
  kalah arena feedback mine
  kalah arena feedback mine --out pages --games 20 --nodes 100000
  kalah arena feedback mine --json")]
pub(super) struct ArenaFeedbackArgs {
    /// The folder of the tournament
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// The folder for the pages [default: `feedback` in that of the tournament]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "json")]
    out: Option<PathBuf>,
    /// Review this many games of each engine, those that it lost first
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole_number_parser(1, usize::MAX))]
    games: usize,
    /// Show this many mistakes of each engine
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole_number_parser(1, usize::MAX))]
    mistakes: usize,
    /// The maximum time for each position of a game
    #[arg(long, value_name = "DURATION", value_parser = parse_positive_time)]
    time: Option<TimeLimit>,
    /// The maximum number of nodes for each position [default: 20000 without --time]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(1, u64::MAX))]
    nodes: Option<u64>,
    /// The address of a page of `kalah serve`, to which the games link for analyses
    #[arg(long, value_name = "URL", conflicts_with = "json", value_parser = parse_page)]
    page: Option<String>,
    #[command(flatten)]
    search: BookSearchOptions,
    #[command(flatten)]
    jobs: BatchSearchOptions,
    /// Print the data of all pages as one JSON document, and write no page
    #[arg(long)]
    json: bool,
}

/// The value of `--json`.
#[derive(Serialize)]
struct AllFeedback<T, S> {
    contestants: Vec<T>,
    /// The contestants that take no part.
    skipped: Vec<S>,
}

impl ArenaFeedbackArgs {
    /// Returns the limits for each position.
    fn limits(&self) -> Limits {
        let default_nodes = self.time.is_none().then_some(DEFAULT_NODES);
        Limits {
            time: self.time.map(TimeLimit::get),
            nodes: self.nodes.or(default_nodes),
            goal: AnalysisGoal::AllMargins,
            ..Limits::default()
        }
    }
}

pub(super) fn run(arguments: &ArenaFeedbackArgs, output: &mut dyn Write) -> Result<(), CliError> {
    arguments.search.resources.tables.check()?;
    let tournament = StoredTournament::read(&arguments.folder, ENGINE_PROTOCOLS)?;
    let games = games_in_order(&tournament);
    let chosen = choose_games(&games, arguments.games);
    let limits = arguments.limits();
    let kept = KeptTables::for_limits(limits);
    let engines = BatchEngines::new(&arguments.search, &arguments.jobs, kept);
    let reviewed = review_games(&chosen, limits, &engines)?;
    let mistakes = MistakesByContestant::new(&chosen, reviewed, arguments.mistakes);
    let summary = ArenaSummary::new(&tournament.config, &tournament.games);
    let contestants = tournament.config.tournament.active();
    let feedback = contestants.map(|contestant| {
        let (mistakes, reviewed) = mistakes.of(contestant);
        Feedback::new(&summary, contestant, mistakes, reviewed)
    });
    let skipped = SkippedFeedback::all(&tournament.config);
    if arguments.json {
        let contestants = feedback.map(|one| one.to_json()).collect();
        let skipped = skipped.map(|one| one.to_json()).collect();
        let all = AllFeedback {
            contestants,
            skipped,
        };
        write_json(output, &all)?;
        return Ok(());
    }
    let page = arguments.page.as_deref();
    let pages = feedback.map(|one| (one.file_name(), one.to_html(page)));
    let pages = pages.chain(skipped.map(|one| (one.file_name(), one.to_html())));
    let default_folder = tournament.path.join("feedback");
    let folder = arguments.out.as_ref().unwrap_or(&default_folder);
    fs::create_dir_all(folder).map_err(|error| {
        CliError::Runtime(format!("cannot create '{}': {error}", display_path(folder)))
    })?;
    for (name, page) in pages {
        let file = folder.join(name);
        kalah_files::replace(&file, page.as_bytes()).map_err(|error| {
            CliError::Runtime(format!("cannot write '{}': {error}", display_path(&file)))
        })?;
        writeln!(output, "{}", display_path(&file))?;
    }
    output.flush()?;
    Ok(())
}

/// Returns the games that count, in the order of the schedule.
fn games_in_order(tournament: &StoredTournament) -> Vec<&FinishedGame> {
    let games = tournament.games.iter();
    let mut games: Vec<_> = games
        .filter(|game| tournament.config.counts(game))
        .collect();
    games.sort_by_key(|game| (game.encounter.pair, game.leg));
    games
}

/// The biggest mistakes of each contestant, and the number of its games that were reviewed.
#[derive(Default)]
struct MistakesByContestant(BTreeMap<Contestant, (Vec<Mistake>, usize)>);

impl MistakesByContestant {
    /// Collects the mistakes in the reviewed `games`, which are in the order of the schedule, and
    /// keeps at most `max` of each contestant.
    fn new(games: &[&FinishedGame], reviewed: Vec<GameMistakes>, max: usize) -> Self {
        let mut all = Self::default();
        for (game, mistakes) in games.iter().zip(reviewed) {
            let players = game.players();
            for side in Side::ALL {
                let entry = all.0.entry(players[side]).or_default();
                entry.0.extend_from_slice(&mistakes[side]);
                entry.1 += 1;
            }
        }
        for (mistakes, _) in all.0.values_mut() {
            *mistakes = biggest_mistakes(std::mem::take(mistakes), max);
        }
        all
    }

    fn of(&self, contestant: Contestant) -> (&[Mistake], usize) {
        let entry = self.0.get(&contestant);
        entry.map_or((&[], 0), |(mistakes, games)| (mistakes, *games))
    }
}
