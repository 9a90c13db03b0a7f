//! `kalah arena`: tournaments of programs, as `kalah-arena` settles them.

mod adjudicator;
mod balanced;
mod clock;
mod folder;
mod json;
mod match_game;
mod plan;
mod players;
mod progress;
mod report;
mod results;
mod running_test;
mod settings;
mod text;

use std::io::Write;
use std::num::NonZeroUsize;

use kalah_arena::Results;
use kalah_players::display_path;

use super::{print_stderr, write_json};
use crate::interrupt;
use crate::shell_word::resume_option;
use crate::{ArenaArguments, CliError};
use folder::RunDir;
use json::ResultsJson;
use plan::ArenaConfig;
use players::TournamentRunner;
use progress::ArenaProgress;
use report::HtmlReport;
use results::{ArenaSummary, planned_games};
use running_test::RunningSprt;

pub(super) fn run(arguments: &ArenaArguments, output: &mut dyn Write) -> Result<(), CliError> {
    let (folder, plan, games) = match &arguments.resume {
        Some(path) => {
            let (folder, plan, games) = RunDir::resume(path)?;
            (Some(folder), plan, games)
        }
        None => (None, ArenaConfig::new(arguments)?, Vec::new()),
    };
    let interrupt = interrupt::listen();
    if plan
        .contestants
        .iter()
        .any(plan::ContestantConfig::is_program)
    {
        players::check_contestants(&plan, &interrupt)?;
    }
    // Nothing is made for a tournament that cannot begin.
    let folder = match folder {
        Some(folder) => folder,
        None => RunDir::create(arguments.out.as_deref(), &plan)?,
    };
    let resume = format!("kalah arena {}", resume_option(folder.path()));
    if !arguments.quiet {
        let place = display_path(folder.path());
        let (finished, all) = (games.len(), planned_games(&plan));
        print_stderr(&format!("{finished} of {all} games are in '{place}'"));
    }
    let progress = ArenaProgress::new(arguments.quiet, planned_games(&plan), games.len() as u64);
    let concurrency = (arguments.concurrency).map_or_else(default_concurrency, NonZeroUsize::get);
    let players = TournamentRunner::new(&plan, &folder, &progress, games, &interrupt);
    let played = players.run(concurrency);
    progress.finish();
    let games = played.map_err(|failure| with_resume_hint(failure, &resume))?;

    let summary = ArenaSummary::new(&plan, &games);
    // What has been played is told though the disk may be full.
    let report = folder.write_report(&HtmlReport::from_summary(&summary).render());
    let results: Results = games.iter().collect();
    let is_decided = (summary.sprt.as_ref()).is_some_and(RunningSprt::is_decided);
    let is_complete = is_decided || plan.tournament.due_encounters(&results).is_empty();
    if arguments.json {
        write_json(
            output,
            &ResultsJson::new(&summary, folder.path(), is_complete),
        )?;
    } else {
        output.write_all(text::summary_text(&summary).as_bytes())?;
    }
    output.flush()?;
    let report = report?;
    if !arguments.quiet {
        print_stderr(&format!("the report is '{}'", display_path(&report)));
    }
    if is_complete {
        return Ok(());
    }
    Err(CliError::Interrupted(format!(
        "broken off; go on by: {resume}"
    )))
}

/// Games at a time where nobody says how many: in a game one player thinks at a time, and somebody has to watch.
fn default_concurrency() -> usize {
    (kalah_players::available_threads().get() - 1).max(1)
}

/// A failure with what to type when it is mended.
fn with_resume_hint(failure: CliError, resume: &str) -> CliError {
    match failure {
        CliError::Runtime(words) => CliError::Runtime(format!("{words}; go on by: {resume}")),
        other => other,
    }
}
