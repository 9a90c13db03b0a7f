//! Plain mode: a person at a terminal, prompted for each action in a line of text.

use std::error::Error;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::time::Duration;

use kalah::{ActionError, BySide, Game, Labels, Move, Player, PlayerAction, Position};
use kalah_players::{InputLine, LineReader, describe_too_long, display_path, escape_truncated};
use thiserror::Error;

use crate::commands::{AvailableCommands, HELP_WIDTH, InputCommand, parse_command, wrap};
use crate::describe::{EventDescriber, Hint, Notation};
use crate::palette::Palette;

/// A person who reads prompts on `W` and types lines on `R`.
///
/// A line is the label of a house or a command; `help` lists the commands. Where letters are the
/// labels, the number of a house's column is understood as well. After any other line the
/// output shows the error in one line and a new prompt. The end of the input leaves the game. Long
/// lines are rejected without being kept in memory.
///
/// ```
/// use std::time::Duration;
/// use kalah::{House, Move, Player, Position, Rules};
/// use kalah_text::HumanPlayer;
///
/// let mut output = Vec::new();
/// let mut marge = HumanPlayer::new("Marge", &b"seven\n3\n"[..], &mut output);
/// let start = Position::start(6, 4, Rules::CS32)?;
/// let mv = marge.choose_move(&start, Duration::MAX);
/// assert_eq!(mv, House::new(3).map(Move::Sow));
/// drop(marge);
/// assert_eq!(
///     String::from_utf8(output)?,
///     "South (Marge), your house (A to F, or help): \
///      `seven` is not a house: South's houses are A to F.\n\
///      South (Marge), your house (A to F, or help): "
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct HumanPlayer<'a, R, W> {
    name: String,
    input: LineReader<R>,
    output: W,
    labels: Labels,
    palette: Palette,
    echo: Echo,
    context: PromptContext,
    /// The width of the terminal, `None` without one.
    width: Option<usize>,
    hint_source: Option<HintSource<'a>>,
    save_handler: Option<SaveHandler<'a>>,
    error: Option<PromptError>,
}

/// The result of saving a game to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveOutcome {
    /// The file contains the game as it is now.
    Written,
    /// The file is the one in which the game is recorded after every ply.
    AlreadyRecorded,
}

/// The reason why a person cannot be asked for a move.
#[derive(Debug, Error)]
pub enum PromptError {
    /// The input cannot be read.
    #[error("cannot read the input: {0}")]
    Input(#[source] io::Error),
    /// The output cannot be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
}

/// The purpose for which a [`HumanPlayer`] is prompted, which decides about the commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PromptContext {
    /// A game.
    #[default]
    Game,
    /// A puzzle, which has no hints and is not saved. Moves cannot be undone.
    Puzzle,
}

/// Whether a [`HumanPlayer`] writes the lines that it reads to the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Echo {
    /// Off, for a terminal, which shows typed text itself.
    #[default]
    Off,
    /// On, so that the output of input from a file or a pipe reads like a session on a terminal.
    On,
}

type HintSource<'a> = Box<dyn FnMut(&Position) -> Option<Hint> + 'a>;
type SaveHandler<'a> = Box<dyn FnMut(&Game, &Path) -> Result<SaveOutcome, Box<dyn Error>> + 'a>;

impl<'a, R: BufRead, W: Write> HumanPlayer<'a, R, W> {
    /// Creates a person with letters as labels, without styles, echo, hints or saving.
    pub fn new(name: impl Into<String>, input: R, output: W) -> Self {
        Self {
            name: name.into(),
            input: LineReader::new(input),
            output,
            labels: Labels::default(),
            palette: Palette::PLAIN,
            echo: Echo::Off,
            context: PromptContext::Game,
            width: None,
            hint_source: None,
            save_handler: None,
            error: None,
        }
    }

    /// Sets the labels of the houses.
    #[must_use]
    pub fn labels(self, labels: Labels) -> Self {
        Self { labels, ..self }
    }

    /// Sets the styles.
    #[must_use]
    pub fn palette(self, palette: Palette) -> Self {
        Self { palette, ..self }
    }

    /// Sets whether lines are written to the output.
    #[must_use]
    pub fn echo(self, echo: Echo) -> Self {
        Self { echo, ..self }
    }

    /// Sets the purpose of the prompts.
    #[must_use]
    pub fn context(self, context: PromptContext) -> Self {
        Self { context, ..self }
    }

    /// Sets the width of the terminal, which breaks lines between words. Without one, only the list
    /// of commands has a width: 80 columns.
    #[must_use]
    pub fn width(self, width: Option<usize>) -> Self {
        Self { width, ..self }
    }

    /// Adds the source of hints.
    #[must_use]
    pub fn hint_source(self, source: impl FnMut(&Position) -> Option<Hint> + 'a) -> Self {
        Self {
            hint_source: Some(Box::new(source)),
            ..self
        }
    }

    /// Adds the function that saves the game so far to a file.
    #[must_use]
    pub fn save_handler(
        self,
        handler: impl FnMut(&Game, &Path) -> Result<SaveOutcome, Box<dyn Error>> + 'a,
    ) -> Self {
        Self {
            save_handler: Some(Box::new(handler)),
            ..self
        }
    }

    /// Returns and clears the input or output error because of which the person left the game.
    pub fn take_error(&mut self) -> Option<PromptError> {
        self.error.take()
    }

    /// Prompts until the person enters an action.
    fn request_action(&mut self, game: &Game) -> Result<PlayerAction, PromptError> {
        loop {
            if let Some(action) = self.try_request_action(game)? {
                return Ok(action);
            }
        }
    }

    /// Prompts once; `None` if the line is not an action.
    fn try_request_action(&mut self, game: &Game) -> Result<Option<PlayerAction>, PromptError> {
        let position = game.position();
        let name = escape_truncated(&self.name);
        let describer = EventDescriber {
            names: BySide::new(&*name, &*name),
            notation: Notation::new(position, self.labels),
            palette: self.palette,
        };
        let player = describer.player_label(position.to_move());
        self.prompt(&player, position)?;
        let reply = match self.read_command(position)? {
            None => {
                match self.context {
                    PromptContext::Game => {
                        writeln!(self.output, "End of input: {player} leaves the game.")?;
                    }
                    PromptContext::Puzzle => writeln!(self.output, "End of input.")?,
                }
                return Ok(Some(PlayerAction::Quit));
            }
            Some(Ok(command)) => match command {
                InputCommand::Move(mv) => return Ok(Some(PlayerAction::Move(mv))),
                InputCommand::Undo => return Ok(Some(PlayerAction::Undo)),
                InputCommand::Redo => return Ok(Some(PlayerAction::Redo)),
                InputCommand::Resign => {
                    if self.context == PromptContext::Game {
                        writeln!(self.output, "{player} resigns.")?;
                    }
                    return Ok(Some(PlayerAction::Resign));
                }
                InputCommand::Quit => {
                    if self.context == PromptContext::Game {
                        writeln!(self.output, "{player} leaves the game.")?;
                    }
                    return Ok(Some(PlayerAction::Quit));
                }
                InputCommand::Help => self.help_text(position),
                InputCommand::Hint => self.hint_text(position),
                InputCommand::Save(path) => self.save_game(game, &path),
            },
            Some(Err(reason)) => self.palette.problem(&format!("{reason}.")),
        };
        let reply = match self.width {
            Some(width) => wrap(&reply, width),
            None => reply,
        };
        writeln!(self.output, "{reply}")?;
        Ok(None)
    }

    fn prompt(&mut self, player: &str, position: &Position) -> Result<(), PromptError> {
        let row = match self.labels.row_ends(position.to_move(), position.houses()) {
            (first, last) if first == last => first,
            (first, last) => format!("{first} to {last}"),
        };
        let swap = if position.can_swap() { ", swap" } else { "" };
        write!(self.output, "{player}, your house ({row}{swap}, or help): ")?;
        Ok(self.output.flush()?)
    }

    /// Reads a line and returns its command or the message that rejects it; `None` at the end of
    /// the input.
    fn read_command(
        &mut self,
        position: &Position,
    ) -> Result<Option<Result<InputCommand, String>>, PromptError> {
        let line = match self.input.read() {
            Ok(line) => line,
            Err(error) => {
                // Ends the line of the prompt.
                writeln!(self.output)?;
                return Err(PromptError::Input(error));
            }
        };
        let text = match &line {
            InputLine::Text(text) => text,
            InputLine::TooLong(_) | InputLine::NotUtf8(_) => "...",
            InputLine::End => "",
        };
        // The end of the input does not end the line of the prompt on a terminal.
        match self.echo {
            Echo::On => writeln!(self.output, "{}", escape_truncated(text))?,
            Echo::Off if line == InputLine::End => writeln!(self.output)?,
            Echo::Off => {}
        }
        Ok(match line {
            InputLine::Text(text) => Some(parse_command(&text, position, self.labels)),
            InputLine::TooLong(_) => Some(Err(describe_too_long())),
            InputLine::NotUtf8(_) => Some(Err("the line is not UTF-8 text".to_owned())),
            InputLine::End => None,
        })
    }

    /// Returns the legal moves and the commands that work here.
    fn help_text(&self, position: &Position) -> String {
        let available = AvailableCommands {
            context: self.context,
            has_hints: self.hint_source.is_some(),
            has_saving: self.save_handler.is_some(),
        };
        available.help_text(position, self.labels, self.width.unwrap_or(HELP_WIDTH))
    }

    fn hint_text(&mut self, position: &Position) -> String {
        if self.context == PromptContext::Puzzle {
            return "Hints are off in puzzles.".to_owned();
        }
        match self
            .hint_source
            .as_mut()
            .and_then(|source| source(position))
        {
            Some(Hint { mv, reason }) => {
                let notation = Notation::new(position, self.labels);
                let mv = notation.describe_move(position.to_move(), mv);
                format!("Hint: {mv}, which {reason}.")
            }
            None => "No hint is available.".to_owned(),
        }
    }

    fn save_game(&mut self, game: &Game, path: &Path) -> String {
        match self.save_handler.as_mut().map(|save| save(game, path)) {
            Some(Ok(outcome)) => {
                let file = display_path(path);
                match outcome {
                    SaveOutcome::Written => format!("The game so far is saved in '{file}'."),
                    SaveOutcome::AlreadyRecorded => {
                        format!("The game is already recorded in '{file}' ply by ply.")
                    }
                }
            }
            Some(Err(reason)) => self.palette.problem(&format!("{reason}.")),
            None => match self.context {
                PromptContext::Game => "This game cannot be saved.".to_owned(),
                PromptContext::Puzzle => "Puzzles cannot be saved.".to_owned(),
            },
        }
    }
}

impl<R: BufRead, W: Write> Player for HumanPlayer<'_, R, W> {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_interactive(&self) -> bool {
        true
    }

    /// Prompts for a move outside a game, where undo and redo are refused; `None` if the person
    /// resigns or leaves.
    fn choose_move(&mut self, position: &Position, limit: Duration) -> Option<Move> {
        let game = Game::new(position.clone());
        loop {
            let refusal = match self.next_action(&game, limit) {
                PlayerAction::Move(mv) => return Some(mv),
                PlayerAction::NoMove | PlayerAction::Resign | PlayerAction::Quit => return None,
                PlayerAction::Undo => ActionError::NothingToUndo,
                PlayerAction::Redo => ActionError::NothingToRedo,
            };
            let refusal = self.palette.problem(&format!("{refusal}."));
            if let Err(error) = writeln!(self.output, "{refusal}") {
                self.error = Some(PromptError::Output(error));
                return None;
            }
        }
    }

    fn next_action(&mut self, game: &Game, _limit: Duration) -> PlayerAction {
        self.request_action(game).unwrap_or_else(|error| {
            self.error = Some(error);
            PlayerAction::Quit
        })
    }
}
