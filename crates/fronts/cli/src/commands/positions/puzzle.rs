//! `kalah puzzle`.

use std::io::{self, IsTerminal as _, Write};
use std::iter;
use std::time::{Duration, SystemTime};

use clap::Args;
use kalah::{BySide, Game, Labels, Move, Player as _, PlayerAction, Position, format_count};
use kalah_api::PuzzleView;
use kalah_engine::{GameValue, Puzzle, PuzzleGenerator, PuzzleTheme};
use kalah_text::{
    BoardDrawing, Echo, HumanPlayer, Notation, Palette, PromptContext, describe_bounds,
};
use kalah_tui::{
    FirstGame, Profile as _, PuzzleChoices, PuzzleDifficulty, PuzzleProgress, PuzzleStep,
};
use serde::Serialize;

use crate::args::position::StartOptions;
use crate::args::values::{LabelsOption, seed_or_random, whole_number_parser};
use crate::commands::play::plain::StdinLines;
use crate::commands::play::{PlayArgs, PuzzleArguments};
use crate::error::CliError;
use crate::output::messages::{output_width, write_program_json};
use crate::output::progress::spinner;
use crate::profile::ProfileFile;

/// The greatest minimum of moves to find: `docs/analysis.md` has no puzzle with more.
const MAX_MOVES: u8 = 9;

/// The number of puzzles as lines of text.
const DEFAULT_COUNT: usize = 5;

/// Parses the name of a difficulty.
fn parse_difficulty(name: &str) -> Result<PuzzleDifficulty, String> {
    PuzzleDifficulty::from_name(&name.to_lowercase()).ok_or_else(|| {
        let names = PuzzleDifficulty::ALL.map(PuzzleDifficulty::as_str);
        format!("expected {}", names.join(", "))
    })
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
On a terminal, the puzzles fill the screen: letters and the mouse sow, F9 shows the answer, T and Enter
pose the next one, and Ctrl-P chooses the puzzle of the day, the difficulty and the theme. With
--plain, --count or --json, and without a terminal, they are lines of text.

A puzzle is a position in which exactly one move wins or, where no move wins, exactly one saves a
tie: this is proven. Find the move and type its house. After a wrong move you can try again, but only
puzzles without a wrong move count as solved, and change your rating by the formula of Elo. In a
puzzle of several moves the opponent answers with a best move, and again exactly one move keeps the
result.

At the prompt, type a house to sow, or a command:

  resign  show the answer
  quit    end the puzzles
  help    list the houses and these commands

Hints, undo and saving are off in puzzles.

A theme of `--theme` says what the answer is about. A puzzle can have several themes, or none:

  capture      the answer captures seeds
  bonus-chain  it makes at least two bonus turns in one turn
  starve       it ends the game because the opponent's row is empty
  save-seeds   it prevents a capture
  last-seeds   the houses hold at most one seed each on average
  only-move    all other moves lose

The positions come from games between players of medium strength on the chosen board. The depth of a
puzzle is the number of turns to look ahead for its move: at this depth, and at every larger one up
to 6, the player minimax finds it. The rating, from 800 (easy) to 2400 (hard), is computed from the
depth, the number of legal moves, the seeds by which the second best move is worse, and whether a
greedy move fails. It is not measured with people.

The puzzle of the day (UTC) is the same as on the page: on 6x4 with the rules `standard`, harder from
Monday to Sunday.

Examples:
  kalah puzzle
  kalah puzzle --board 6x6 --min-depth 4 --count 10
  kalah puzzle --theme bonus-chain --moves 2
  kalah puzzle --daily
  kalah puzzle --difficulty hard --plain
  kalah puzzle --rules standard --seed 7 --json
  kalah puzzle --nodes 1000000 --moves 3")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each flag of the command line is a bool"
)]
pub(crate) struct PuzzleArgs {
    #[command(flatten)]
    start: StartOptions,
    /// How many puzzles to pose as lines of text [default: 5]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(1, usize::MAX))]
    count: Option<usize>,
    /// The difficulty: adaptive (near your rating), easy (rated up to 1100), medium (1100 to 1500),
    /// hard (1500 to 1900) or expert [default: the last one on the screen; any for scripts and with
    /// --seed]
    #[arg(long, value_parser = parse_difficulty)]
    difficulty: Option<PuzzleDifficulty>,
    /// Only puzzles of at least this depth: the turns to look ahead, from 1 (easy) to 6 (hard)
    #[arg(long, value_name = "TURNS", default_value_t = 1, value_parser = whole_number_parser(1, PuzzleGenerator::MAX_DEPTH))]
    min_depth: u32,
    /// Only puzzles with this theme: capture, bonus-chain, starve, save-seeds, last-seeds or
    /// only-move
    #[arg(long)]
    theme: Option<PuzzleTheme>,
    /// Only puzzles with at least this many moves to find, from 1 to 9
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole_number_parser(1, MAX_MOVES))]
    moves: u8,
    /// The maximum number of nodes for the proof of each position of a game; positions that take
    /// more are no puzzles
    #[arg(long, value_name = "N", default_value_t = PuzzleGenerator::DEFAULT_MAX_NODES, value_parser = whole_number_parser(1, u64::MAX))]
    nodes: u64,
    /// Pose only the puzzle of the day, which is the same for all players
    #[arg(long, conflicts_with_all = ["board", "position", "rules", "count", "min_depth", "theme", "moves", "nodes", "seed", "difficulty"])]
    daily: bool,
    /// The seed of the puzzles: with the same options it gives the same puzzles [default: a random
    /// one]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(u64::MIN, u64::MAX))]
    seed: Option<u64>,
    #[command(flatten)]
    labels: LabelsOption,
    /// Use lines of text instead of the screen, as without a terminal, with --count and with --json
    #[arg(long)]
    plain: bool,
    /// Keep no rating, no streak and no history
    #[arg(long)]
    no_history: bool,
    /// Print one line of JSON for each puzzle, with its answer
    #[arg(long)]
    json: bool,
}

const SECONDS_PER_DAY: u64 = 24 * 60 * 60;

impl PuzzleArgs {
    /// Returns the number of puzzles.
    fn count(&self) -> usize {
        if self.daily {
            1
        } else {
            self.count.unwrap_or(DEFAULT_COUNT)
        }
    }

    /// Returns whether the puzzles are those of the screen.
    pub(crate) fn is_for_screen(&self) -> bool {
        let is_text = self.plain || self.json || self.count.is_some();
        !is_text && kalah_tui::is_screen_supported()
    }

    /// Returns the labels of the houses.
    pub(crate) fn labels(&self) -> Labels {
        self.labels.labels
    }

    /// Returns the arguments of the game behind the puzzles on the screen, and its opening.
    pub(crate) fn on_screen(&self, play: PlayArgs) -> (PlayArgs, FirstGame) {
        let puzzles = PuzzleArguments {
            difficulty: self.difficulty,
            choices: PuzzleChoices {
                theme: self.theme,
                min_depth: self.min_depth,
                min_moves: self.moves.into(),
                max_nodes: Some(self.nodes),
                ..PuzzleChoices::default()
            },
        };
        let opening = if self.daily {
            FirstGame::DailyPuzzle
        } else {
            FirstGame::Puzzles
        };
        let play = play.for_puzzles(self.start.clone(), puzzles, self.seed, self.no_history);
        (play, opening)
    }

    /// Returns the puzzles, and their seed unless the day decides. Without `--difficulty` they have
    /// the `usual` one, if there is one.
    fn puzzles(
        &self,
        own_rating: i32,
        usual: Option<PuzzleDifficulty>,
    ) -> Result<(PuzzleIterator, Option<u64>), CliError> {
        if self.daily {
            return Ok((
                Box::new(iter::once_with(|| Puzzle::daily(today())).flatten()),
                None,
            ));
        }
        let seed = seed_or_random(self.seed);
        let mut generator = PuzzleGenerator::new(self.start.to_position()?, seed)
            .with_min_depth(self.min_depth)
            .with_min_moves(usize::from(self.moves))
            .with_max_nodes(self.nodes);
        if let Some(theme) = self.theme {
            generator = generator.with_theme(theme);
        }
        if let Some(difficulty) = self.difficulty.or(usual) {
            generator = generator.with_ratings(difficulty.ratings(own_rating));
        }
        Ok((Box::new(generator), Some(seed)))
    }
}

/// Puzzles that are generated one by one.
type PuzzleIterator = Box<dyn Iterator<Item = Puzzle>>;

/// Returns the number of days since 1970-01-01, in UTC.
pub(crate) fn today() -> u32 {
    let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let days = since_epoch.map_or(0, |time| time.as_secs() / SECONDS_PER_DAY);
    u32::try_from(days).unwrap_or(u32::MAX)
}

/// The name of the player at the terminal.
const SOLVER_NAME: &str = "you";

pub(crate) fn run(
    arguments: &PuzzleArgs,
    output: &mut dyn Write,
    palette: Palette,
) -> Result<(), CliError> {
    // A script has no rating.
    let is_switched_off = arguments.no_history || arguments.json || !io::stdin().is_terminal();
    let (profile, data, notice) = ProfileFile::open(is_switched_off);
    // The puzzles of a seed do not depend on the person.
    let is_personal = profile.is_some() && arguments.seed.is_none();
    let usual = is_personal.then(|| data.preferences().difficulty);
    let (mut generated, seed) = arguments.puzzles(data.puzzles().rating, usual)?;
    let count = arguments.count();
    let puzzles = iter::from_fn(|| {
        let spinner = spinner("Generating a puzzle");
        let puzzle = generated.next();
        spinner.finish_and_clear();
        puzzle
    });
    let puzzles = puzzles.take(count);
    let (found, has_quit) = if arguments.json {
        (write_puzzles(puzzles, seed, output)?, false)
    } else {
        let mut session = PuzzleSession {
            labels: arguments.labels.labels,
            palette,
            input: StdinLines::new(),
            output,
            posed: 0,
            solved: 0,
            profile,
            day: arguments.daily.then(today),
        };
        if let Some(notice) = notice {
            writeln!(session.output, "{notice}")?;
        }
        session.print_progress(data.puzzles())?;
        let has_quit = session.run(puzzles, count, seed)?;
        (session.posed, has_quit)
    };
    if found == count || has_quit {
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
        "{found}: try a smaller --min-depth or --moves, more --nodes, or another --board"
    )))
}

/// The JSON of a puzzle.
#[derive(Serialize)]
struct PuzzleJson {
    #[serde(flatten)]
    puzzle: PuzzleView,
    /// The seed of all puzzles of the command; `None` for the puzzle of the day.
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
}

/// Writes puzzles as JSON, and returns their number.
fn write_puzzles(
    puzzles: impl Iterator<Item = Puzzle>,
    seed: Option<u64>,
    output: &mut dyn Write,
) -> Result<usize, CliError> {
    let mut count = 0;
    for puzzle in puzzles {
        let puzzle = PuzzleView::from(&puzzle);
        write_program_json(output, &PuzzleJson { puzzle, seed })?;
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
    /// The profile of the person at the terminal, unless it is switched off.
    profile: Option<ProfileFile>,
    /// The day, if the puzzle is that of a day.
    day: Option<u32>,
}

/// The result of one puzzle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PuzzleOutcome {
    /// The first try for each move was the answer.
    Solved,
    /// Some try was another move.
    NotSolved,
    /// The user resigned.
    Resigned,
    /// The user quit.
    Quit,
}

impl PuzzleSession<'_> {
    /// Poses puzzles until there are no more or the user quits. Returns whether the user has quit.
    fn run(
        &mut self,
        puzzles: impl Iterator<Item = Puzzle>,
        count: usize,
        seed: Option<u64>,
    ) -> Result<bool, CliError> {
        for (number, puzzle) in (1..).zip(puzzles) {
            let rules = puzzle.position.rules();
            let title = match seed {
                Some(seed) => format!("Puzzle {number} of {count}, rules {rules} (--seed {seed})"),
                None => format!("Puzzle of the day, rules {rules}"),
            };
            writeln!(self.output, "{title}\n")?;
            let outcome = self.pose(&puzzle)?;
            if outcome == PuzzleOutcome::Quit {
                self.print_score()?;
                return Ok(true);
            }
            self.posed += 1;
            self.solved += usize::from(outcome == PuzzleOutcome::Solved);
            self.count(&puzzle, outcome)?;
            writeln!(self.output)?;
        }
        self.print_score()?;
        Ok(false)
    }

    /// Counts a puzzle for the progress of the person, and prints it.
    fn count(&mut self, puzzle: &Puzzle, outcome: PuzzleOutcome) -> Result<(), CliError> {
        let day = self.day;
        let first_try = PuzzleStep::FirstTry {
            rating: puzzle.rating,
            is_solved: outcome == PuzzleOutcome::Solved,
            day,
        };
        let day_ended = day.map(|day| PuzzleStep::DayEnded {
            day,
            is_solved: outcome < PuzzleOutcome::Resigned,
        });
        let Some(profile) = &mut self.profile else {
            return Ok(());
        };
        for step in [Some(first_try), day_ended].into_iter().flatten() {
            let progress = profile.count_puzzle(step);
            let progress = progress.map_err(|reason| CliError::Runtime(reason.to_string()))?;
            if matches!(step, PuzzleStep::FirstTry { .. }) {
                let line = progress_line(progress);
                writeln!(self.output, "{line}")?;
            }
        }
        Ok(())
    }

    /// Prints the progress before the first puzzle, if it is kept.
    fn print_progress(&mut self, progress: PuzzleProgress) -> Result<(), CliError> {
        if self.profile.is_some() {
            writeln!(self.output, "{}", progress_line(progress))?;
        }
        Ok(())
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
        let position = &puzzle.position;
        let notation = Notation::new(position, self.labels);
        self.print_task(puzzle)?;
        let bounds = puzzle.report.move_bounds();
        let describe = |mv| {
            let bounds = bounds.iter().find(|&&(other, _)| other == mv);
            let result = bounds.map_or_else(String::new, |&(_, bounds)| describe_bounds(bounds));
            format!(
                "{}, which {result}",
                notation.describe_move(position.to_move(), mv)
            )
        };
        let mut game = Game::new(position.clone());
        let mut outcome = self.pose_move(&game, puzzle.solution, &describe)?;
        if outcome == PuzzleOutcome::Quit {
            return Ok(outcome);
        }
        let message = format!("It is {}.", describe(puzzle.solution));
        writeln!(self.output, "{}", self.palette.good(&message))?;
        let plies = puzzle.solution_plies();
        let to_find = puzzle.indices_to_find();
        for pair in to_find.windows(2) {
            let &[last, next] = pair else {
                continue;
            };
            if outcome == PuzzleOutcome::Resigned {
                break;
            }
            let played = &plies[last..next];
            for &(_, mv) in played {
                // The plies of a puzzle are legal.
                let _ = game.play(mv);
            }
            let drawing = draw_board(game.position(), self.labels, self.palette);
            writeln!(self.output, "\n{drawing}")?;
            writeln!(
                self.output,
                "\nAfter {}: again exactly one move keeps the result.",
                notation.format_line(played)
            )?;
            let (side, solution) = plies[next];
            let name = |mv| notation.describe_move(side, mv);
            let found = self.pose_move(&game, solution, &name)?;
            if found == PuzzleOutcome::Quit {
                return Ok(found);
            }
            outcome = outcome.max(found);
            let message = format!("It is {}.", name(solution));
            writeln!(self.output, "{}", self.palette.good(&message))?;
        }
        let line = notation.format_line(&puzzle.report.line);
        writeln!(self.output, "Line: {line}")?;
        Ok(outcome)
    }

    /// Reads moves until the solution is played, or the user resigns or quits.
    fn pose_move(
        &mut self,
        game: &Game,
        solution: Move,
        describe: &dyn Fn(Move) -> String,
    ) -> Result<PuzzleOutcome, CliError> {
        let palette = self.palette;
        let mut outcome = PuzzleOutcome::Solved;
        loop {
            match self.request_action(game)? {
                PlayerAction::Move(mv) if mv == solution => return Ok(outcome),
                PlayerAction::Move(mv) => {
                    let message = format!("Not {}.", describe(mv));
                    writeln!(self.output, "{}", palette.problem(&message))?;
                    outcome = PuzzleOutcome::NotSolved;
                }
                PlayerAction::Undo | PlayerAction::Redo => {
                    writeln!(self.output, "Undo is off in puzzles: type another house.")?;
                }
                PlayerAction::Resign | PlayerAction::NoMove => return Ok(PuzzleOutcome::Resigned),
                PlayerAction::Quit => return Ok(PuzzleOutcome::Quit),
            }
        }
    }

    fn print_task(&mut self, puzzle: &Puzzle) -> Result<(), CliError> {
        let palette = self.palette;
        let side = puzzle.position.to_move();
        let drawing = draw_board(&puzzle.position, self.labels, palette);
        writeln!(self.output, "{drawing}\n")?;
        let task = match puzzle.value {
            GameValue::Win => "exactly one move wins",
            GameValue::Tie | GameValue::Loss => "exactly one move saves a tie, all others lose",
        };
        let turns = format_count(puzzle.depth.get().into(), "turn");
        let moves = match puzzle.moves_to_find() {
            1 => String::new(),
            moves => format!(" There are {moves} moves to find."),
        };
        let name = palette.name(side, &side.to_string());
        writeln!(
            self.output,
            "{name} to move: {task}. A search of {turns} finds it. Rating {}.{moves}",
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
            .width(output_width())
            .context(PromptContext::Puzzle);
        let action = player.next_action(game, Duration::MAX);
        player
            .take_error()
            .map_or(Ok(action), |error| Err(error.into()))
    }
}

/// Returns the rating and the streak: `Your rating: 1010, streak 3 (best 7)`.
fn progress_line(progress: PuzzleProgress) -> String {
    let PuzzleProgress {
        rating,
        streak,
        best_streak,
        ..
    } = progress;
    format!("Your rating: {rating}, streak {streak} (best {best_streak})")
}

/// Returns the drawing of a position.
fn draw_board(position: &Position, labels: Labels, palette: Palette) -> BoardDrawing<'_> {
    let drawing = BoardDrawing::new(position).labels(labels).palette(palette);
    // Yale's labels contain the side.
    if labels == Labels::Yale {
        drawing
    } else {
        drawing.names(BySide::new("South", "North"))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct PuzzleCommand {
        #[command(flatten)]
        arguments: PuzzleArgs,
    }

    #[test]
    fn usual_difficulty_holds_without_another_one() {
        const OWN_RATING: i32 = 1200;

        for (words, difficulty) in [
            (
                &["puzzle", "--seed", "1"] as &[&str],
                PuzzleDifficulty::Adaptive,
            ),
            (
                &["puzzle", "--seed", "1", "--difficulty", "easy"],
                PuzzleDifficulty::Easy,
            ),
        ] {
            let arguments = PuzzleCommand::parse_from(words).arguments;
            let usual = Some(PuzzleDifficulty::Adaptive);
            let (puzzles, _) = arguments.puzzles(OWN_RATING, usual).expect("puzzles");
            let ratings = difficulty.ratings(OWN_RATING);
            let found: Vec<_> = puzzles.take(3).map(|puzzle| puzzle.rating).collect();
            assert!(
                found.iter().all(|rating| ratings.contains(rating)),
                "{found:?}"
            );
        }
    }
}
