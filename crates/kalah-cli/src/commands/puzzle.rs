use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, IsTerminal as _, Write};
use std::iter;
use std::time::Duration;

use indicatif::ProgressBar;
use kalah::record::format_plies;
use kalah::{BySide, Game, Labels, Player as _, PlayerAction};
use kalah_engine::{Bounds, GameValue, Puzzle, PuzzleGenerator};
use serde::Serialize;

use super::{game_value_name, write_json};
use crate::findings::{MoveJson, moves_json};
use crate::words::format_count;
use crate::{CliError, Drawing, Echo, Human, Notation, Palette, PuzzleArguments, StdinLines};

/// `kalah puzzle --json`.
#[derive(Serialize)]
struct PuzzleJson {
    position: String,
    rules: String,
    side: &'static str,
    /// What the answer makes of the game: `win` or `tie`.
    result: &'static str,
    answer: String,
    depth: u32,
    moves: Vec<MoveJson>,
    line: String,
}

/// What a person is called who solves puzzles.
const SOLVER_NAME: &str = "you";

pub(super) fn run(
    arguments: &PuzzleArguments,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let start = arguments.board.playable(arguments.rules.rules)?;
    let seed = (arguments.seed).unwrap_or_else(|| RandomState::new().build_hasher().finish());
    let mut puzzles = PuzzleGenerator::new(start, seed).with_min_depth(arguments.least_depth);
    let puzzles = iter::from_fn(|| with_spinner(|| puzzles.next())).take(arguments.count);
    let found = if arguments.json {
        write_puzzles(puzzles, output)?
    } else {
        let mut table = PuzzleSession {
            labels: arguments.labels.labels,
            palette,
            input: StdinLines::new(),
            output,
        };
        table.run_all(puzzles, arguments.count, seed)?
    };
    if found < arguments.count {
        let told = match found {
            0 => "no puzzle".to_owned(),
            found => format!(
                "no more than {}",
                format_count(u64::try_from(found).unwrap_or(u64::MAX), "puzzle")
            ),
        };
        let reason =
            format!("{told} came up in many games: fewer turns, or another board, may have more");
        return Err(CliError::Runtime(reason));
    }
    Ok(())
}

/// Says on a terminal that puzzles are looked for, as long as they are.
fn with_spinner<T>(look: impl FnOnce() -> T) -> T {
    let bar = ProgressBar::new_spinner().with_message("Looking for a puzzle");
    bar.enable_steady_tick(TICK);
    let found = look();
    bar.finish_and_clear();
    found
}

/// How often that is shown anew.
const TICK: Duration = Duration::from_millis(200);

/// Writes puzzles for programs, and returns how many there were.
fn write_puzzles(
    puzzles: impl Iterator<Item = Puzzle>,
    output: &mut dyn Write,
) -> Result<usize, CliError> {
    let mut found = 0;
    for puzzle in puzzles {
        write_json(output, &PuzzleJson::from_puzzle(&puzzle))?;
        output.flush()?;
        found += 1;
    }
    Ok(found)
}

/// Where a person sits over puzzles.
struct PuzzleSession<'a> {
    labels: Labels,
    palette: Palette,
    input: StdinLines,
    output: &'a mut dyn Write,
}

/// How somebody has dealt with a puzzle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PuzzleOutcome {
    /// Solved at the first try.
    Solved,
    /// Solved after something else, or not.
    NotSolved,
    /// Got up and left.
    Quit,
}

impl PuzzleSession<'_> {
    /// Poses puzzles until there are no more or the person leaves. Returns how many of `count` need not be found any
    /// more.
    fn run_all(
        &mut self,
        puzzles: impl Iterator<Item = Puzzle>,
        count: usize,
        seed: u64,
    ) -> Result<usize, CliError> {
        let (mut posed, mut solved) = (0, 0);
        for puzzle in puzzles {
            posed += 1;
            let rules = puzzle.position.rules();
            writeln!(
                self.output,
                "Puzzle {posed} of {count}, rules {rules} (--seed {seed})\n"
            )?;
            let dealt = self.run_one(&puzzle)?;
            if dealt == PuzzleOutcome::Quit {
                self.print_score(solved, posed - 1)?;
                return Ok(count);
            }
            solved += usize::from(dealt == PuzzleOutcome::Solved);
            writeln!(self.output)?;
        }
        self.print_score(solved, posed)?;
        Ok(posed)
    }

    fn print_score(&mut self, solved: usize, posed: usize) -> Result<(), CliError> {
        if posed > 0 {
            writeln!(self.output, "Solved at the first try: {solved} of {posed}")?;
        }
        Ok(())
    }

    fn run_one(&mut self, puzzle: &Puzzle) -> Result<PuzzleOutcome, CliError> {
        let Self {
            labels, palette, ..
        } = *self;
        let position = &puzzle.position;
        let side = position.to_move();
        let mut drawing = Drawing::new(position).labels(labels).palette(palette);
        // Yale's labels say already which row is whose.
        if labels != Labels::Yale {
            drawing = drawing.names(BySide::new("South", "North"));
        }
        writeln!(self.output, "{drawing}\n")?;
        let asked = match puzzle.value {
            GameValue::Win => "one move wins, and every other does not",
            GameValue::Tie | GameValue::Loss => "one move saves a tie, and every other loses",
        };
        let turns = format_count(puzzle.depth.get().into(), "turn");
        writeln!(
            self.output,
            "{} to move: {asked}. Looking {turns} ahead finds it.",
            palette.name(side, &side.to_string())
        )?;
        let naming = Notation::new(position, labels);
        let made = |mv| {
            let bounds = puzzle.report.bounds_of(mv);
            format!(
                "{}, which {}",
                naming.describe_move(side, mv),
                bounds.map_or_else(String::new, describe_bounds)
            )
        };
        let game = Game::new(position.clone());
        let mut dealt = PuzzleOutcome::Solved;
        loop {
            match self.request_action(&game)? {
                PlayerAction::Move(mv) if mv == puzzle.solution => break,
                PlayerAction::Move(mv) => {
                    let wrong = format!("Not {}.", made(mv));
                    writeln!(self.output, "{}", palette.problem(&wrong))?;
                    dealt = PuzzleOutcome::NotSolved;
                }
                PlayerAction::Undo | PlayerAction::Redo => {
                    writeln!(self.output, "There is nothing to take back.")?;
                }
                PlayerAction::Resign | PlayerAction::NoMove => {
                    dealt = PuzzleOutcome::NotSolved;
                    break;
                }
                PlayerAction::Quit => return Ok(PuzzleOutcome::Quit),
            }
        }
        let right = format!("It is {}.", made(puzzle.solution));
        writeln!(self.output, "{}", palette.good(&right))?;
        writeln!(
            self.output,
            "Line: {}",
            naming.format_line(&puzzle.report.line)
        )?;
        Ok(dealt)
    }

    fn request_action(&mut self, game: &Game) -> Result<PlayerAction, CliError> {
        let echo = if io::stdin().is_terminal() {
            Echo::Off
        } else {
            Echo::On
        };
        let mut person = Human::new(SOLVER_NAME, &mut self.input, &mut *self.output)
            .labels(self.labels)
            .palette(self.palette)
            .echo(echo);
        let answer = person.next_action(game, Duration::MAX);
        person.take_error().map_or(Ok(answer), Err)
    }
}

/// `wins by 6`, `makes a tie`, `loses`: the margin where it is proven.
fn describe_bounds(bounds: Bounds) -> String {
    let by = if bounds.is_exact() {
        format!(" by {}", bounds.lower.seeds().abs())
    } else {
        String::new()
    };
    match GameValue::from_bounds(bounds) {
        Some(GameValue::Win) => format!("wins{by}"),
        Some(GameValue::Loss) => format!("loses{by}"),
        Some(GameValue::Tie) | None => "makes a tie".to_owned(),
    }
}

impl PuzzleJson {
    fn from_puzzle(puzzle: &Puzzle) -> Self {
        let Puzzle {
            position,
            solution: answer,
            value: verdict,
            depth,
            report,
        } = puzzle;
        let side = position.to_move();
        Self {
            position: position.to_string(),
            rules: position.rules().to_string(),
            side: side.as_str(),
            result: game_value_name(*verdict),
            answer: answer.text(side),
            depth: depth.get(),
            moves: moves_json(side, &report.moves),
            line: format_plies(&report.line),
        }
    }
}
