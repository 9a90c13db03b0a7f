//! `kalah puzzle`.

use std::io::{self, IsTerminal as _, Write};
use std::iter;
use std::time::Duration;

use clap::Args;
use kalah::{BySide, Game, Labels, Player as _, PlayerAction, format_count};
use kalah_api::PuzzleView;
use kalah_engine::{GameValue, Puzzle, PuzzleGenerator};
use kalah_text::{
    BoardDrawing, Echo, HumanPlayer, Notation, Palette, PromptContext, describe_bounds,
};

use crate::args::values::{LabelsOption, StartOptions, seed_or_random, whole_number_parser};
use crate::commands::play::plain::StdinLines;
use crate::error::CliError;
use crate::output::messages::write_json;
use crate::output::progress::spinner;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
It is proven that exactly one move of a puzzle wins or, where no move wins, that exactly one saves a
tie. The positions come from games between players of medium strength. The depth of a puzzle is the
number of turns to look ahead for its move: at this depth, and at every larger one up to 6, the
player minimax finds it.

The rating, from 800 to 2400, is computed from the depth, the number of moves, the seeds by which
the second best move is worse, and whether a greedy move fails. It is not measured with people.

At the prompt, type a house to sow, or a command:

  resign  show the answer
  quit    end the puzzles
  help    list the houses and these commands

Hints, undo and saving are off in puzzles.

Examples:
  kalah puzzle
  kalah puzzle --board 6x6 --min-depth 4 --count 10
  kalah puzzle --rules standard --seed 7 --json")]
pub(crate) struct PuzzleArgs {
    #[command(flatten)]
    start: StartOptions,
    /// The number of puzzles
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = whole_number_parser(1, usize::MAX))]
    count: usize,
    /// The minimum depth of a puzzle in turns, from 1 to 6
    #[arg(long, value_name = "TURNS", default_value_t = 1, value_parser = whole_number_parser(1, PuzzleGenerator::MAX_DEPTH))]
    min_depth: u32,
    /// The seed of the puzzles: the same seed gives the same puzzles [default: a random one]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(u64::MIN, u64::MAX))]
    seed: Option<u64>,
    #[command(flatten)]
    labels: LabelsOption,
    /// Print one line of JSON for each puzzle, with its answer
    #[arg(long)]
    json: bool,
}

/// The name of the player at the terminal.
const SOLVER_NAME: &str = "you";

pub(crate) fn run(
    arguments: &PuzzleArgs,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    let start = arguments.start.to_position()?;
    let seed = seed_or_random(arguments.seed);
    let mut generator = PuzzleGenerator::new(start, seed).with_min_depth(arguments.min_depth);
    let puzzles = iter::from_fn(|| {
        let spinner = spinner("Generating a puzzle");
        let puzzle = generator.next();
        spinner.finish_and_clear();
        puzzle
    });
    let puzzles = puzzles.take(arguments.count);
    let (found, has_quit) = if arguments.json {
        (write_puzzles(puzzles, output)?, false)
    } else {
        let mut session = PuzzleSession {
            labels: arguments.labels.labels,
            palette,
            input: StdinLines::new(),
            output,
            posed: 0,
            solved: 0,
        };
        let has_quit = session.run(puzzles, arguments.count, seed)?;
        (session.posed, has_quit)
    };
    if found == arguments.count || has_quit {
        return Ok(());
    }
    let games = PuzzleGenerator::MAX_GAMES_WITHOUT_PUZZLE;
    let found = match found {
        0 => format!("found no puzzle in {games} games"),
        found => {
            let puzzles = format_count(found as u64, "puzzle");
            format!("found only {puzzles}, and no other one in {games} games")
        }
    };
    Err(CliError::Runtime(format!(
        "{found}: try a smaller --min-depth, or another --board"
    )))
}

/// Writes puzzles as JSON, and returns their number.
fn write_puzzles(
    puzzles: impl Iterator<Item = Puzzle>,
    output: &mut dyn Write,
) -> Result<usize, CliError> {
    let mut count = 0;
    for puzzle in puzzles {
        write_json(output, &PuzzleView::from(&puzzle))?;
        output.flush()?;
        count += 1;
    }
    Ok(count)
}

/// An interactive session of puzzles.
struct PuzzleSession<'a> {
    labels: Labels,
    palette: Palette,
    input: StdinLines,
    output: &'a mut dyn Write,
    /// The number of puzzles whose answer was shown.
    posed: usize,
    /// The number of puzzles that were solved at the first try.
    solved: usize,
}

/// The result of one puzzle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PuzzleOutcome {
    /// The first move was the answer.
    Solved,
    /// The first move was another one, or the user resigned.
    NotSolved,
    /// The user quit.
    Quit,
}

impl PuzzleSession<'_> {
    /// Poses puzzles until there are no more or the user quits. Returns whether the user has quit.
    fn run(
        &mut self,
        puzzles: impl Iterator<Item = Puzzle>,
        count: usize,
        seed: u64,
    ) -> Result<bool, CliError> {
        for (number, puzzle) in (1..).zip(puzzles) {
            let rules = puzzle.position.rules();
            writeln!(
                self.output,
                "Puzzle {number} of {count}, rules {rules} (--seed {seed})\n"
            )?;
            let outcome = self.pose(&puzzle)?;
            if outcome == PuzzleOutcome::Quit {
                self.print_score()?;
                return Ok(true);
            }
            self.posed += 1;
            self.solved += usize::from(outcome == PuzzleOutcome::Solved);
            writeln!(self.output)?;
        }
        self.print_score()?;
        Ok(false)
    }

    fn print_score(&mut self) -> Result<(), CliError> {
        let Self { posed, solved, .. } = *self;
        if posed > 0 {
            writeln!(self.output, "Solved at the first try: {solved} of {posed}")?;
        }
        Ok(())
    }

    /// Prints a puzzle and reads moves until the answer is shown or the user quits.
    fn pose(&mut self, puzzle: &Puzzle) -> Result<PuzzleOutcome, CliError> {
        let palette = self.palette;
        let position = &puzzle.position;
        let side = position.to_move();
        self.print_task(puzzle)?;
        let notation = Notation::new(position, self.labels);
        let describe = |mv| {
            let bounds = puzzle.report.bounds_of(mv);
            let result = bounds.map_or_else(String::new, describe_bounds);
            format!("{}, which {result}", notation.describe_move(side, mv))
        };
        let game = Game::new(position.clone());
        let mut outcome = PuzzleOutcome::Solved;
        loop {
            match self.request_action(&game)? {
                PlayerAction::Move(mv) if mv == puzzle.solution => break,
                PlayerAction::Move(mv) => {
                    let message = format!("Not {}.", describe(mv));
                    writeln!(self.output, "{}", palette.problem(&message))?;
                    outcome = PuzzleOutcome::NotSolved;
                }
                PlayerAction::Undo | PlayerAction::Redo => {
                    writeln!(self.output, "Undo is off in puzzles: type another house.")?;
                }
                PlayerAction::Resign | PlayerAction::NoMove => {
                    outcome = PuzzleOutcome::NotSolved;
                    break;
                }
                PlayerAction::Quit => return Ok(PuzzleOutcome::Quit),
            }
        }
        let message = format!("It is {}.", describe(puzzle.solution));
        writeln!(self.output, "{}", palette.good(&message))?;
        let line = notation.format_line(&puzzle.report.line);
        writeln!(self.output, "Line: {line}")?;
        Ok(outcome)
    }

    fn print_task(&mut self, puzzle: &Puzzle) -> Result<(), CliError> {
        let Self {
            labels, palette, ..
        } = *self;
        let side = puzzle.position.to_move();
        let mut drawing = BoardDrawing::new(&puzzle.position)
            .labels(labels)
            .palette(palette);
        // Yale's labels contain the side.
        if labels != Labels::Yale {
            drawing = drawing.names(BySide::new("South", "North"));
        }
        writeln!(self.output, "{drawing}\n")?;
        let task = match puzzle.value {
            GameValue::Win => "exactly one move wins",
            GameValue::Tie | GameValue::Loss => "exactly one move saves a tie, all others lose",
        };
        let turns = format_count(puzzle.depth.get().into(), "turn");
        let name = palette.name(side, &side.to_string());
        writeln!(
            self.output,
            "{name} to move: {task}. A search of {turns} finds it. Rating {}.",
            puzzle.rating
        )?;
        Ok(())
    }

    fn request_action(&mut self, game: &Game) -> Result<PlayerAction, CliError> {
        let echo = if io::stdin().is_terminal() {
            Echo::Off
        } else {
            Echo::On
        };
        let mut player = HumanPlayer::new(SOLVER_NAME, &mut self.input, &mut *self.output)
            .labels(self.labels)
            .palette(self.palette)
            .echo(echo)
            .context(PromptContext::Puzzle);
        let action = player.next_action(game, Duration::MAX);
        player
            .take_error()
            .map_or(Ok(action), |error| Err(error.into()))
    }
}
