use std::time::Duration;

use kalah::{CaptureNeeds, Choice, Ends, Gain, Opening, Position, Rules, Side};

use crate::any_houses::AnyHouses;
use crate::endgames::NoEndgames;
use crate::houses::Houses;
use crate::packed::Packed;
use crate::search::{Found, Search, Window};
use crate::stop::{SharedStop, Stop, StopLimits};
use crate::transposition::{SharedTranspositions, Transpositions};
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
    /// Bytes that it may remember positions in.
    memory: usize,
    /// What it remembers, and of which game.
    remembered: Option<(Remembered, Transpositions)>,
}

/// What the keys of remembered positions do not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Remembered {
    houses: u8,
    ends: Ends,
    capture: CaptureNeeds,
    keys: Keys,
}

/// Keys of one position that mean different ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keys {
    Exact,
    Hashed,
}

/// Memory that an engine takes where nobody says otherwise, in bytes. More finds a little more in
/// five seconds on 6x4, but its pages cost a short search more time than they save.
const DEFAULT_MEMORY: usize = 32 << 20;

/// The most plies of a line that are reported.
const MOST_LINE_PLIES: usize = 64;

impl Engine {
    /// An engine that has seen nothing yet. Its memory, 32 MiB at most, is taken as it is needed.
    pub fn new() -> Self {
        Self {
            memory: DEFAULT_MEMORY,
            remembered: None,
        }
    }

    /// The same engine with another amount of memory for positions, in bytes; it forgets all.
    #[must_use]
    pub fn with_memory(self, bytes: usize) -> Self {
        Self {
            memory: bytes,
            remembered: None,
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
        let in_play: u32 = Side::ALL.map(|side| position.row(side).into()).iter().sum();
        let packs = in_play <= u8::MAX.into();
        if Packed::<u64>::of(position).is_some() {
            self.analyse_as::<Packed<u64>>(position, Keys::Exact, limits, clock)
        } else if packs && position.houses() <= 7 {
            self.analyse_as::<AnyHouses<u64>>(position, Keys::Exact, limits, clock)
        } else if Packed::<u128>::of(position).is_some() {
            self.analyse_as::<Packed<u128>>(position, Keys::Hashed, limits, clock)
        } else {
            self.analyse_as::<AnyHouses<u128>>(position, Keys::Hashed, limits, clock)
        }
    }

    fn analyse_as<H: Houses>(
        &mut self,
        position: &Position,
        keys: Keys,
        limits: Limits,
        clock: &dyn Fn() -> Duration,
    ) -> Report {
        let start = clock();
        let stop_limits = StopLimits {
            deadline: limits
                .time
                .and_then(|time| start.checked_add(time))
                .map(|deadline| (deadline, clock)),
            flag: None,
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
        let (Some(game), Some(houses)) = (H::game(position), H::of(position)) else {
            unreachable!("asked for houses that can be seen");
        };
        if position.is_over() {
            report.certainty = Certainty::Exact;
            return report;
        }
        let transpositions = self.transpositions(position, keys).share();
        let shared = SharedStop::default();
        let stop = Stop::new(stop_limits, &shared);
        let mut search = Search::<H, _>::new(&game, transpositions, &NoEndgames, stop);
        let in_play = Side::ALL
            .map(|side| i32::from(position.row(side)))
            .iter()
            .sum();
        // Nobody gains more than all seeds in play, except by a swap, which moves the stores too.
        let most = match position.opening() {
            Opening::Past => in_play,
            Opening::PlyOne | Opening::PlyTwo => 2 * i32::from(position.total()),
        };
        let window = Window {
            alpha: -most - 1,
            beta: most + 1,
        };
        for depth in 1..=limits.depth.unwrap_or(u32::MAX) {
            let finished = search.root(&houses, in_play, depth, window);
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
        drop(search);
        report.nodes = shared.nodes();
        report.time = clock().saturating_sub(start);
        report.line = line::<H>(&game, transpositions, position, report.choice);
        report
    }

    /// What is remembered of the game that `position` is of; of any other game, nothing any more.
    fn transpositions(&mut self, position: &Position, keys: Keys) -> &mut Transpositions {
        let Rules { ends, capture, .. } = position.rules();
        let wanted = Remembered {
            houses: position.houses(),
            ends,
            capture,
            keys,
        };
        if self
            .remembered
            .as_ref()
            .is_some_and(|(of, _)| *of != wanted)
        {
            // Given back before as much is taken again.
            self.remembered = None;
        }
        let memory = self.memory;
        let (_, transpositions) = self
            .remembered
            .get_or_insert_with(|| (wanted, Transpositions::new(memory, wanted.houses.into())));
        transpositions
    }
}

/// The plies that the memory expects, from `choice` on.
fn line<H: Houses>(
    game: &H::Game,
    transpositions: SharedTranspositions,
    position: &Position,
    choice: Option<Choice>,
) -> Vec<(Side, Choice)> {
    let mut position = position.clone();
    let mut line = Vec::new();
    let mut next = choice;
    while let Some(choice) = next {
        let side = position.to_move();
        if line.len() == MOST_LINE_PLIES || position.play(choice).is_err() {
            break;
        }
        line.push((side, choice));
        let known = H::of(&position).filter(H::tell_all).and_then(|houses| {
            let in_play = Side::ALL.map(|side| i32::from(position.row(side)));
            transpositions.get(houses.key(game), in_play.iter().sum())
        });
        next = known.and_then(|known| known.house).map(Choice::Sow);
    }
    line
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}
