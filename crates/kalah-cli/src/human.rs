use std::error::Error;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Duration;

use kalah::{ActionError, BySide, Game, Labels, Move, Player, PlayerAction, Position};
use kalah_players::{InputLine, display_path, escape_truncated};

use crate::said::InputCommand;
use crate::{CliError, EventDescriber, Hint, Notation, Palette};

/// A person who is asked on `W` and answers on `R`.
///
/// The answer is a house, named as the labels in use show it, or a word; `help` lists the words.
/// Whatever else comes is answered in one line, and the person is asked again; at the end of the
/// input the person leaves the game. A line is never kept in memory beyond the length of an answer.
///
/// ```
/// use std::time::Duration;
/// use kalah::{House, Move, Player, Position, Rules};
/// use kalah_cli::Human;
///
/// let mut output = Vec::new();
/// let mut marge = Human::new("Marge", &b"seven\n3\n"[..], &mut output);
/// let start = Position::start(6, 4, Rules::CS32)?;
/// let choice = marge.choose_move(&start, Duration::MAX);
/// assert_eq!(choice, House::new(3).map(Move::Sow));
/// drop(marge);
/// assert_eq!(
///     String::from_utf8(output)?,
///     "South (Marge), your house (1 to 6, or help): \
///      `seven` is not a house: South's houses are 1 to 6.\n\
///      South (Marge), your house (1 to 6, or help): "
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Human<'a, R, W> {
    name: String,
    input: R,
    output: W,
    labels: Labels,
    palette: Palette,
    echo: Echo,
    hint_source: Option<HintSource<'a>>,
    save_handler: Option<SaveHandler<'a>>,
    error: Option<CliError>,
}

/// Whether a [`Human`] writes down what it reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Echo {
    /// It does not: a terminal shows what is typed.
    #[default]
    Off,
    /// It does, so that what is written reads like a game also where no terminal is.
    On,
}

/// Where a game is after somebody has asked to save it to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveOutcome {
    /// In the file, as it is now.
    Written,
    /// In the file, which has been keeping it ply by ply anyway.
    AlreadyRecorded,
}

type HintSource<'a> = Box<dyn FnMut(&Position) -> Option<Hint> + 'a>;
type SaveHandler<'a> = Box<dyn FnMut(&Game, &Path) -> Result<SaveOutcome, Box<dyn Error>> + 'a>;

/// The words that a person can say, and what they do.
const COMMAND_HELP: [(&str, &str); 8] = [
    ("undo", "take back to your last decision"),
    ("redo", "make again what was taken back"),
    ("hint", "ask the engine what to do"),
    ("save FILE", "add the game so far to the games of FILE"),
    ("swap", "exchange sides, where the rules have it"),
    ("resign", "give the game up"),
    ("quit", "leave the game unfinished"),
    ("help", "this list"),
];

impl<'a, R: BufRead, W: Write> Human<'a, R, W> {
    /// A person of that name, asked for column numbers, who knows no hints and saves nothing.
    pub fn new(name: impl Into<String>, input: R, output: W) -> Self {
        Self {
            name: name.into(),
            input,
            output,
            labels: Labels::Columns,
            palette: Palette::PLAIN,
            echo: Echo::Off,
            hint_source: None,
            save_handler: None,
            error: None,
        }
    }

    /// With houses named so.
    #[must_use]
    pub fn labels(self, labels: Labels) -> Self {
        Self { labels, ..self }
    }

    /// With colours.
    #[must_use]
    pub fn palette(self, palette: Palette) -> Self {
        Self { palette, ..self }
    }

    /// With what is read written down, or not.
    #[must_use]
    pub fn echo(self, echo: Echo) -> Self {
        Self { echo, ..self }
    }

    /// With somebody to ask for hints.
    #[must_use]
    pub fn hint_source(self, source: impl FnMut(&Position) -> Option<Hint> + 'a) -> Self {
        Self {
            hint_source: Some(Box::new(source)),
            ..self
        }
    }

    /// With a way to save the game so far to a file.
    #[must_use]
    pub fn save_handler(
        self,
        saver: impl FnMut(&Game, &Path) -> Result<SaveOutcome, Box<dyn Error>> + 'a,
    ) -> Self {
        Self {
            save_handler: Some(Box::new(saver)),
            ..self
        }
    }

    /// Why the person had to leave the game, if reading or writing failed.
    pub fn take_error(&mut self) -> Option<CliError> {
        self.error.take()
    }

    /// Asks until there is an answer.
    fn request_action(&mut self, game: &Game) -> Result<PlayerAction, CliError> {
        loop {
            if let Some(answer) = self.try_request_action(game)? {
                return Ok(answer);
            }
        }
    }

    /// Asks once; `None` if the person is to be asked again.
    fn try_request_action(&mut self, game: &Game) -> Result<Option<PlayerAction>, CliError> {
        let position = game.position();
        let name = escape_truncated(&self.name);
        let words = EventDescriber {
            names: BySide::new(&*name, &*name),
            naming: Notation::new(position, self.labels),
            palette: self.palette,
        };
        let who = words.player_label(position.to_move());
        self.prompt(&who, position)?;
        let reply = match self.read_command(position)? {
            None => {
                writeln!(self.output, "End of input: {who} leaves the game.")?;
                return Ok(Some(PlayerAction::Quit));
            }
            Some(Ok(said)) => match said {
                InputCommand::Move(mv) => return Ok(Some(PlayerAction::Move(mv))),
                InputCommand::Undo => return Ok(Some(PlayerAction::Undo)),
                InputCommand::Redo => return Ok(Some(PlayerAction::Redo)),
                InputCommand::Resign => {
                    writeln!(self.output, "{who} resigns.")?;
                    return Ok(Some(PlayerAction::Resign));
                }
                InputCommand::Quit => {
                    writeln!(self.output, "{who} leaves the game.")?;
                    return Ok(Some(PlayerAction::Quit));
                }
                InputCommand::Help => help_text(&words.naming.format_legal_moves(position)),
                InputCommand::Hint => self.hint_text(position),
                InputCommand::Save(path) => self.save_game(game, &path),
            },
            Some(Err(reason)) => self.palette.problem(&format!("{reason}.")),
        };
        writeln!(self.output, "{reply}")?;
        Ok(None)
    }

    fn prompt(&mut self, who: &str, position: &Position) -> Result<(), CliError> {
        let row = match self.labels.row_ends(position.to_move(), position.houses()) {
            (first, last) if first == last => first,
            (first, last) => format!("{first} to {last}"),
        };
        let swap = if position.can_swap() { ", swap" } else { "" };
        write!(self.output, "{who}, your house ({row}{swap}, or help): ")?;
        Ok(self.output.flush()?)
    }

    /// What the person says, or what is wrong with it; `None` at the end of the input.
    fn read_command(
        &mut self,
        position: &Position,
    ) -> Result<Option<Result<InputCommand, String>>, CliError> {
        let line = match InputLine::read(&mut self.input) {
            Ok(line) => line,
            Err(error) => {
                // What follows has a line of its own.
                writeln!(self.output)?;
                return Err(CliError::Input(error));
            }
        };
        let text = match &line {
            InputLine::Text(text) => text,
            InputLine::TooLong | InputLine::NotUtf8 => "...",
            InputLine::End => "",
        };
        // The end of the input ends no line on a terminal either.
        match self.echo {
            Echo::On => writeln!(self.output, "{}", escape_truncated(text))?,
            Echo::Off if line == InputLine::End => writeln!(self.output)?,
            Echo::Off => {}
        }
        Ok(match line {
            InputLine::Text(text) => Some(parse_command(&text, position, self.labels)),
            InputLine::TooLong => Some(Err("this line is too long for an answer".to_owned())),
            InputLine::NotUtf8 => Some(Err("this line is not UTF-8 text".to_owned())),
            InputLine::End => None,
        })
    }

    fn hint_text(&mut self, position: &Position) -> String {
        match self.hint_source.as_mut().and_then(|hint| hint(position)) {
            Some(Hint { mv, reason }) => {
                let mv = Notation::new(position, self.labels).describe_move(position.to_move(), mv);
                format!("Hint: {mv}, which {reason}.")
            }
            None => "There is nobody to ask for a hint.".to_owned(),
        }
    }

    fn save_game(&mut self, game: &Game, path: &Path) -> String {
        match self.save_handler.as_mut().map(|save| save(game, path)) {
            Some(Ok(saved)) => {
                let file = display_path(path);
                match saved {
                    SaveOutcome::Written => format!("The game so far is saved in '{file}'."),
                    SaveOutcome::AlreadyRecorded => {
                        format!("The game is saved in '{file}' already, ply by ply.")
                    }
                }
            }
            Some(Err(reason)) => self.palette.problem(&format!("{reason}.")),
            None => "There is no way to save this game.".to_owned(),
        }
    }
}

/// What a line says that may be output now, or what is wrong with it.
fn parse_command(line: &str, position: &Position, labels: Labels) -> Result<InputCommand, String> {
    let said = InputCommand::parse(line, position.to_move(), labels, position.houses());
    let said = said.map_err(|reason| reason.to_string())?;
    if let InputCommand::Move(mv) = said {
        position.check_legal(mv).map_err(|reason| {
            let naming = Notation::new(position, labels);
            let moves = naming.format_legal_moves(position);
            format!("{}: choose {moves}", naming.describe_illegal_move(reason))
        })?;
    }
    Ok(said)
}

fn help_text(moves: &str) -> String {
    let heading = format!("Type the house that you want to sow, {moves}, or a word:");
    let words = COMMAND_HELP.map(|(word, meaning)| format!("  {word:9}  {meaning}"));
    format!("{heading}\n{}", words.join("\n"))
}

impl<R: BufRead, W: Write> Player for Human<'_, R, W> {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_interactive(&self) -> bool {
        true
    }

    /// Asks outside a game, where nothing can be taken back; `None` if the person gives up.
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
                self.error = Some(CliError::Output(error));
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
