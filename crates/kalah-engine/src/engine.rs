use std::time::Duration;

use kalah::{Choice, Gain, Position, Side};

use crate::search::{Found, Search, Stop};
use crate::transposition::{Key, TranspositionTable};
use crate::{Certainty, Limits, Report};

/// Analyses positions, and remembers what it has found between analyses.
///
/// An iterative-deepening alpha-beta search: one turn deep, then two, until a limit is reached or
/// every line that matters has been followed to the end of the game.
///
/// ```
/// use std::time::Duration;
/// use kalah::{Margin, Position, Rules};
/// use kalah_engine::{Certainty, Engine, Limits};
///
/// let start = Position::start(3, 3, Rules::CS32)?;
/// let report = Engine::new().analyse(&start, Limits::default(), &|| Duration::ZERO);
/// assert_eq!(report.margin, Margin::new(2));
/// assert_eq!(report.certainty, Certainty::Exact);
/// # Ok::<(), kalah::SetupError>(())
/// ```
pub struct Engine {
    table: TranspositionTable,
}

/// Entries of the transposition table: 32 MiB. More finds a little more in five seconds on 6x4, but
/// its pages cost a short search more time than they save.
const TABLE_ENTRIES: usize = 1 << 21;

/// The most plies of a line that are reported.
const MOST_LINE_PLIES: usize = 64;

impl Engine {
    /// An engine that has seen nothing yet. Its memory, 32 MiB at most, is taken as it is needed.
    pub fn new() -> Self {
        Self {
            table: TranspositionTable::new(TABLE_ENTRIES),
        }
    }

    /// Looks for the best choice in `position` within `limits`; `clock` tells the time since any
    /// fixed moment and is looked at often.
    ///
    /// There is a choice in the report unless the game is over, however tight the limits.
    pub fn analyse(
        &mut self,
        position: &Position,
        limits: Limits,
        clock: &dyn Fn() -> Duration,
    ) -> Report {
        let start = clock();
        let stop = Stop {
            clock,
            deadline: limits.time.and_then(|time| start.checked_add(time)),
            nodes: limits.nodes.unwrap_or(u64::MAX),
        };
        let mut report = Report {
            choice: position.choices().next(),
            margin: position.lead(),
            certainty: Certainty::Estimate,
            depth: 0,
            nodes: 0,
            time: Duration::ZERO,
            line: Vec::new(),
        };
        let mut search = Search::new(&mut self.table, position, stop);
        for depth in 1..=limits.depth.unwrap_or(u32::MAX) {
            let finished = search.root(position, depth);
            if let Some((choice, gain)) = search.best() {
                report.choice = Some(choice);
                report.margin = position.margin(Gain::new(gain));
            }
            match finished {
                Err(_stopped) => break,
                Ok(Found { resolved, .. }) => {
                    report.depth = depth;
                    if resolved {
                        report.certainty = Certainty::Exact;
                        break;
                    }
                }
            }
        }
        report.nodes = search.nodes();
        report.time = clock().saturating_sub(start);
        report.line = self.line(position, report.choice);
        report
    }

    /// The plies that the table expects, from `choice` on.
    fn line(&self, position: &Position, choice: Option<Choice>) -> Vec<(Side, Choice)> {
        let game = Key::of_game(position.houses(), position.rules());
        let mut position = position.clone();
        let mut line = Vec::new();
        let mut next = choice;
        while let Some(choice) = next {
            let side = position.to_move();
            if line.len() == MOST_LINE_PLIES || position.play(choice).is_err() {
                break;
            }
            line.push((side, choice));
            let entry = self.table.get(game.of_position(&position));
            next = entry.and_then(|entry| entry.house).map(Choice::Sow);
        }
        line
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}
