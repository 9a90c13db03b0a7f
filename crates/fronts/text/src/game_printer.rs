//! Plain mode: a game in progress as lines of text.

use std::io::{self, Write};
use std::time::Duration;

use kalah::{
    BySide, Ending, Game, GameEvent, Labels, Player, Referee, Side, TimedPlayer, format_count,
};
use kalah_players::{escape_control, escape_truncated};

use crate::board::BoardDrawing;
use crate::commands::wrap;
use crate::describe::{EventDescriber, Notation};
use crate::palette::Palette;

/// Prints a game while it is played: the board before every move, every move in words, and the
/// result as the last line. [`Referee::run`] calls [`GamePrinter::print_event`] for every event;
/// [`print_game`] is a shorter way.
#[derive(Debug)]
pub struct GamePrinter<W> {
    output: W,
    options: PrintOptions,
    board_status: BoardStatus,
}

/// The name of a player without one in a record.
const UNNAMED: &str = "?";
const SIDE_NAMES: BySide<&str> = BySide::new("South", "North");

/// The form of the output.
#[derive(Debug)]
struct PrintOptions {
    /// The names of the players by the side on which each began.
    names: BySide<String>,
    labels: Labels,
    palette: Palette,
    /// The width of the terminal, `None` without one.
    width: Option<usize>,
}

/// Whether the output shows the current board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BoardStatus {
    Drawn,
    Changed,
}

impl<W: Write> GamePrinter<W> {
    /// Creates a printer to `output` with letters and without styles. `names` are those of
    /// the players by the side on which each began; a swap moves them with the players. A player
    /// with an empty name or `?`, as in records, is called by the side.
    pub fn new(output: W, names: BySide<&str>) -> Self {
        Self {
            output,
            options: PrintOptions {
                names: BySide::from_fn(|side| escape_truncated(names[side])),
                labels: Labels::default(),
                palette: Palette::PLAIN,
                width: None,
            },
            board_status: BoardStatus::Changed,
        }
    }

    /// Sets the labels of the houses.
    #[must_use]
    pub fn labels(mut self, labels: Labels) -> Self {
        self.options.labels = labels;
        self
    }

    /// Sets the styles.
    #[must_use]
    pub fn palette(mut self, palette: Palette) -> Self {
        self.options.palette = palette;
        self
    }

    /// Sets the width of the terminal, which breaks lines between words.
    #[must_use]
    pub fn width(mut self, width: Option<usize>) -> Self {
        self.options.width = width;
        self
    }

    /// Prints a line with the players and the rules.
    ///
    /// # Errors
    /// Returns the error of the output.
    pub fn print_header(&mut self, referee: &Referee) -> io::Result<()> {
        let describer = self.options.describer(referee);
        let [south, north] = Side::ALL.map(|side| describer.player_label(side));
        let rules = referee.position().rules();
        let text = format!("{south} plays {north} under the rules {rules}.");
        self.write_line(&text)
    }

    /// Prints a line that is not an event of the game, such as a comment in its record.
    ///
    /// # Errors
    /// Returns the error of the output.
    pub fn print_line(&mut self, text: &str) -> io::Result<()> {
        self.write_line(&escape_control(text))
    }

    /// Prints a line with a command for a shell, which is not broken, so that it can be copied.
    ///
    /// # Errors
    /// Returns the error of the output.
    pub fn print_command(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{}", escape_control(text))
    }

    /// Writes a line, which a terminal breaks between words.
    fn write_line(&mut self, text: &str) -> io::Result<()> {
        match self.options.width {
            Some(width) => writeln!(self.output, "{}", wrap(text, width)),
            None => writeln!(self.output, "{text}"),
        }
    }

    /// Names the player that began on the side `started_as`, who replaces another one.
    pub fn rename(&mut self, started_as: Side, name: &str) {
        self.options.names[started_as] = escape_truncated(name);
    }

    /// Prints that the program on `side` has failed, for a reason in words.
    ///
    /// # Errors
    /// Returns the error of the output.
    pub fn print_failure(&mut self, referee: &Referee, side: Side, reason: &str) -> io::Result<()> {
        let describer = self.options.describer(referee);
        let player = describer.player_label(side);
        let reason = describer.palette.problem(&escape_control(reason));
        self.write_line(&format!("{player} has failed: {reason}"))?;
        self.output.flush()
    }

    /// Prints that the program on `side` is searching for a move.
    ///
    /// # Errors
    /// Returns the error of the output.
    pub fn print_thinking(&mut self, referee: &Referee, side: Side) -> io::Result<()> {
        let player = self.options.describer(referee).player_label(side);
        self.write_line(&format!("{player} is thinking ..."))?;
        self.output.flush()
    }

    /// Prints an event of the referee's game.
    ///
    /// # Errors
    /// Returns the error of the output.
    pub fn print_event(&mut self, referee: &Referee, event: &GameEvent) -> io::Result<()> {
        let describer = self.options.describer(referee);
        let shows_board = matches!(event, GameEvent::ToMove(_) | GameEvent::Ended(_));
        if shows_board && self.board_status == BoardStatus::Changed {
            writeln!(self.output, "\n{}\n", self.options.drawing(referee))?;
            self.board_status = BoardStatus::Drawn;
        }
        let text = match event {
            GameEvent::ToMove(_) => return self.output.flush(),
            GameEvent::Played { side, result } => describer.describe_move_result(*side, result),
            GameEvent::Undone(plies) => format!("Undone: {}.", format_count(*plies as u64, "move")),
            GameEvent::Redone(plies) => format!("Redone: {}.", format_count(*plies as u64, "move")),
            GameEvent::Refused { side, reason } => {
                let player = describer.player_label(*side);
                let refusal = describer.describe_refusal(*reason);
                format!("{player}: {}.", describer.palette.problem(&refusal))
            }
            GameEvent::Ended(ending) => describer.describe_result(ending, referee.position()),
        };
        if matches!(
            event,
            GameEvent::Played { .. } | GameEvent::Undone(_) | GameEvent::Redone(_)
        ) {
            self.board_status = BoardStatus::Changed;
        }
        self.write_line(&text)?;
        self.output.flush()
    }
}

impl PrintOptions {
    /// Returns the names of the players by the side on which they are now.
    fn current_names(&self, referee: &Referee) -> BySide<&str> {
        BySide::from_fn(|side| {
            match self.names[referee.game().player_on(side).started_as].as_str() {
                "" | UNNAMED => SIDE_NAMES[side],
                name => name,
            }
        })
    }

    fn describer(&self, referee: &Referee) -> EventDescriber<'_> {
        EventDescriber {
            names: self.current_names(referee),
            notation: Notation::new(referee.position(), self.labels),
            palette: self.palette,
        }
    }

    fn drawing<'a>(&'a self, referee: &'a Referee) -> BoardDrawing<'a> {
        BoardDrawing::new(referee.position())
            .names(self.current_names(referee))
            .labels(self.labels)
            .palette(self.palette)
    }
}

/// Plays `game` to its end and prints it on `output`. Each player has `limit` for each move.
///
/// ```
/// use std::time::Duration;
/// use kalah::{BySide, Game, Position, Rules};
/// use kalah_text::print_game;
/// use kalah_engine::FirstMovePlayer;
///
/// let game = Game::new(Position::start(1, 1, Rules::CS32)?);
/// let (mut bart, mut homer) = (FirstMovePlayer::new("Bart"), FirstMovePlayer::new("Homer"));
/// let mut output = Vec::new();
/// print_game(game, BySide::new(&mut bart, &mut homer), Duration::from_secs(5), &mut output)?;
/// assert!(String::from_utf8(output)?.ends_with("\nTie 1-1\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns the error of the output, at which the game stops.
pub fn print_game(
    game: Game,
    players: BySide<&mut dyn Player>,
    limit: Duration,
    output: impl Write,
) -> io::Result<Ending> {
    let BySide { south, north } = players;
    let interactive = BySide::new(south.is_interactive(), north.is_interactive());
    let mut printer = GamePrinter::new(output, BySide::new(south.name(), north.name()));
    let mut referee = Referee::new(game, interactive);
    let timed = |player| TimedPlayer { player, limit };
    let players = BySide::new(timed(south), timed(north));
    referee.run(players, |referee, event| {
        printer.print_event(referee, event)
    })
}

#[cfg(test)]
mod tests {
    use kalah::{Position, Rules};

    use super::*;

    #[test]
    fn terminal_breaks_lines_between_words_and_commands_nowhere() {
        let start = Position::start(6, 4, Rules::CS32).expect("a start");
        let referee = Referee::new(Game::new(start), BySide::new(false, false));
        let mut output = Vec::new();
        let names = BySide::new("Marge", "Homer");
        let mut printer = GamePrinter::new(&mut output, names).width(Some(30));
        printer.print_header(&referee).expect("a line");
        let command = "kalah play --resume 'a long name.kgn'";
        printer.print_command(command).expect("a line");
        let output = String::from_utf8(output).expect("text");
        assert_eq!(
            output.lines().collect::<Vec<_>>(),
            [
                "South (Marge) plays North",
                "(Homer) under the rules cs32.",
                command
            ]
        );
    }
}
