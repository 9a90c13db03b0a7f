use std::io::{self, Write};
use std::time::Duration;

use kalah::{BySide, Ending, Game, GameEvent, Labels, Player, Referee, Side, TimedPlayer};
use kalah_players::{escape_control, escape_truncated};

use crate::{Drawing, EventDescriber, Notation, Palette};

/// Tells a game as it is played: the board before every decision, every sowing in words, and the
/// result as the last line. It is handed to [`Referee::run`]; [`print_game`] is the short way.
#[derive(Debug)]
pub struct GamePrinter<W> {
    output: W,
    options: PrintOptions,
    board_status: BoardStatus,
}

/// How a game is output.
#[derive(Debug)]
struct PrintOptions {
    /// By the side on which each began.
    names: BySide<String>,
    labels: Labels,
    palette: Palette,
}

/// Whether the board has been drawn since something changed on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BoardStatus {
    Drawn,
    Changed,
}

impl<W: Write> GamePrinter<W> {
    /// Tells on `output`, column numbers for houses, without colours. `names` are the players' by
    /// the side on which each began; after a swap they follow the players.
    pub fn new(output: W, names: BySide<&str>) -> Self {
        Self {
            output,
            options: PrintOptions {
                names: BySide::from_fn(|side| escape_truncated(names[side])),
                labels: Labels::Columns,
                palette: Palette::PLAIN,
            },
            board_status: BoardStatus::Changed,
        }
    }

    /// With houses named so.
    #[must_use]
    pub fn labels(mut self, labels: Labels) -> Self {
        self.options.labels = labels;
        self
    }

    /// With colours.
    #[must_use]
    pub fn palette(mut self, palette: Palette) -> Self {
        self.options.palette = palette;
        self
    }

    /// Says who plays, and by which rules.
    ///
    /// # Errors
    /// What writing fails with.
    pub fn print_header(&mut self, referee: &Referee) -> io::Result<()> {
        let words = self.options.describer(referee);
        let [south, north] = Side::ALL.map(|side| words.player_label(side));
        let rules = referee.position().rules();
        writeln!(
            self.output,
            "{south} plays {north} under the rules {rules}."
        )
    }

    /// Writes a line that is no event of the game, such as a comment in its record.
    ///
    /// # Errors
    /// What writing fails with.
    pub fn print_line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{}", escape_control(text))
    }

    /// Says that the program on `side` has been asked, for those who would wonder why nothing happens.
    ///
    /// # Errors
    /// What writing fails with.
    pub fn print_thinking(&mut self, referee: &Referee, side: Side) -> io::Result<()> {
        let who = self.options.describer(referee).player_label(side);
        writeln!(self.output, "{who} is thinking ...")?;
        self.output.flush()
    }

    /// Tells what has happened in the referee's game.
    ///
    /// # Errors
    /// What writing fails with.
    pub fn print_event(&mut self, referee: &Referee, event: &GameEvent) -> io::Result<()> {
        let words = self.options.describer(referee);
        let draws = matches!(event, GameEvent::ToMove(_) | GameEvent::Ended(_));
        if draws && self.board_status == BoardStatus::Changed {
            writeln!(self.output, "\n{}\n", self.options.drawing(referee))?;
            self.board_status = BoardStatus::Drawn;
        }
        match event {
            GameEvent::ToMove(_) => {}
            GameEvent::Played {
                side,
                result: played,
            } => {
                self.board_status = BoardStatus::Changed;
                writeln!(self.output, "{}", words.describe_played(*side, played))?;
            }
            GameEvent::Undone(plies) => {
                self.board_status = BoardStatus::Changed;
                writeln!(self.output, "Taken back: {}.", format_plies(*plies))?;
            }
            GameEvent::Redone(plies) => {
                self.board_status = BoardStatus::Changed;
                writeln!(self.output, "Made again: {}.", format_plies(*plies))?;
            }
            GameEvent::Refused { side, reason } => {
                let reason = words.palette.problem(&words.describe_refusal(*reason));
                writeln!(self.output, "{}: {reason}.", words.player_label(*side))?;
            }
            GameEvent::Ended(ending) => {
                writeln!(
                    self.output,
                    "{}",
                    words.describe_result(ending, referee.position())
                )?;
            }
        }
        self.output.flush()
    }
}

impl PrintOptions {
    /// Those who sit on each side now.
    fn current_names(&self, referee: &Referee) -> BySide<&str> {
        BySide::from_fn(|side| self.names[referee.game().player_on(side).started_as].as_str())
    }

    fn describer(&self, referee: &Referee) -> EventDescriber<'_> {
        EventDescriber {
            names: self.current_names(referee),
            naming: Notation::new(referee.position(), self.labels),
            palette: self.palette,
        }
    }

    fn drawing<'a>(&'a self, referee: &'a Referee) -> Drawing<'a> {
        Drawing::new(referee.position())
            .names(self.current_names(referee))
            .labels(self.labels)
            .palette(self.palette)
    }
}

/// Has two players play `game` to its end, each with `limit` for an answer, and tells it on `output`.
///
/// ```
/// use std::time::Duration;
/// use kalah::{BySide, Game, Position, Rules};
/// use kalah_cli::print_game;
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
/// What writing fails with, which stops the game where it is.
pub fn print_game(
    game: Game,
    players: BySide<&mut dyn Player>,
    limit: Duration,
    output: impl Write,
) -> io::Result<Ending> {
    let BySide { south, north } = players;
    let interactive = BySide::new(south.is_interactive(), north.is_interactive());
    let mut teller = GamePrinter::new(output, BySide::new(south.name(), north.name()));
    let mut referee = Referee::new(game, interactive);
    let seat = |player| TimedPlayer { player, limit };
    let seats = BySide::new(seat(south), seat(north));
    referee.run(seats, |referee, event| teller.print_event(referee, event))
}

fn format_plies(plies: usize) -> String {
    match plies {
        1 => "1 ply".to_owned(),
        _ => format!("{plies} plies"),
    }
}
