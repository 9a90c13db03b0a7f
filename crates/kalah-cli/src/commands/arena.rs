//! `kalah arena`: tournaments of programs, as `kalah-arena` settles them.

mod adjudicator;
mod balanced;
mod clock;
mod fault;
mod folder;
mod json;
mod kgp_child;
mod mankalah;
mod match_game;
mod own;
mod plan;
mod players;
mod program;
mod progress;
mod report;
mod results;
mod running_test;
mod seat;
mod settings;
mod text;
mod uki;

use std::io::Write;
use std::num::NonZeroUsize;

use kalah_arena::Results;

use super::{tell_stderr, write_json};
use crate::interrupt::Interrupt;
use crate::shell_word::resume_option;
use crate::shown::whole_path;
use crate::{ArenaArguments, Failure, machine};
use folder::Folder;
use json::Document;
use plan::Plan;
use players::Players;
use progress::Progress;
use report::Report;
use results::{Summary, games_of};
use running_test::RunningTest;

pub(super) fn run(arguments: &ArenaArguments, output: &mut dyn Write) -> Result<(), Failure> {
    let (folder, plan, games) = match &arguments.resume {
        Some(path) => {
            let (folder, plan, games) = Folder::resume(path)?;
            (Some(folder), plan, games)
        }
        None => (None, Plan::new(arguments)?, Vec::new()),
    };
    let interrupt = Interrupt::listen();
    if plan.entrants.iter().any(plan::Entrant::is_program) {
        players::check(&plan, &interrupt)?;
    }
    // Nothing is made for a tournament that cannot begin.
    let folder = match folder {
        Some(folder) => folder,
        None => Folder::create(arguments.out.as_deref(), &plan)?,
    };
    let resume = format!("kalah arena {}", resume_option(folder.path()));
    if !arguments.quiet {
        let place = whole_path(folder.path());
        let (finished, all) = (games.len(), games_of(&plan));
        tell_stderr(&format!("{finished} of {all} games are in '{place}'"));
    }
    let progress = Progress::new(arguments.quiet, games_of(&plan), games.len() as u64);
    let concurrency = (arguments.concurrency).map_or_else(concurrency, NonZeroUsize::get);
    let players = Players::new(&plan, &folder, &progress, games, &interrupt);
    let played = players.play(concurrency);
    progress.end();
    let games = played.map_err(|failure| with_hint(failure, &resume))?;

    let summary = Summary::new(&plan, &games);
    // What has been played is told though the disk may be full.
    let report = folder.report(&Report::of(&summary).html());
    let results: Results = games.iter().collect();
    let is_decided = (summary.sprt.as_ref()).is_some_and(RunningTest::is_decided);
    let is_complete = is_decided || plan.tournament.due(&results).is_empty();
    if arguments.json {
        write_json(output, &Document::new(&summary, folder.path(), is_complete))?;
    } else {
        output.write_all(text::told(&summary).as_bytes())?;
    }
    output.flush()?;
    let report = report?;
    if !arguments.quiet {
        tell_stderr(&format!("the report is '{}'", whole_path(&report)));
    }
    if is_complete {
        return Ok(());
    }
    Err(Failure::Interrupted(format!(
        "broken off; go on by: {resume}"
    )))
}

/// Games at a time where nobody says how many: in a game one player thinks at a time, and somebody has to watch.
fn concurrency() -> usize {
    (machine::threads().get() - 1).max(1)
}

/// A failure with what to type when it is mended.
fn with_hint(failure: Failure, resume: &str) -> Failure {
    match failure {
        Failure::Work(words) => Failure::Work(format!("{words}; go on by: {resume}")),
        other => other,
    }
}
