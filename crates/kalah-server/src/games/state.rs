use kalah::Side;
use kalah_api::{PerSide, PositionView};
use serde::{Deserialize, Serialize};

use crate::games::{ByPerson, Clock, FriendGame, Moment, Person};

/// All that is to be known of a game, for whoever looks at it. There is nothing secret in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateView {
    /// Which game.
    pub game: String,
    /// Its rules, as text.
    pub rules: String,
    /// The position before the first ply, as text.
    pub start: String,
    /// The choices made, the first one first.
    pub plies: Vec<String>,
    /// The position now.
    pub position: PositionView,
    /// Who is to move, as long as the game goes on.
    pub side_to_move: Side,
    /// Where the one who looks sits; nothing for those who watch.
    pub you: Option<Side>,
    /// The clock, if there is one.
    pub clock: Option<ClockView>,
    /// How it ended, once it has.
    pub over: Option<OverView>,
    /// Whether there will be another game.
    pub rematch: RematchView,
    /// Whether the person who sits there is connected.
    pub connected: PerSide<bool>,
}

/// A clock, as of the moment at which it is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockView {
    /// What each had at the start, in milliseconds.
    pub initial_ms: u64,
    /// What each turn adds, in milliseconds.
    pub increment_ms: u64,
    /// What South has left, in milliseconds.
    pub south_ms: u64,
    /// What North has left, in milliseconds.
    pub north_ms: u64,
    /// Whose time runs.
    pub running: Option<Side>,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverView {
    /// The word of a record's tag: `normal`, `resign` or `time`.
    pub termination: String,
    /// Who won; nothing for a tie.
    pub winner: Option<Side>,
}

/// Whether there will be another game between the same people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RematchView {
    /// Who has asked for it and waits for the other.
    pub offered_by: Option<Side>,
    /// The game, once both have asked for it.
    pub game: Option<String>,
}

impl StateView {
    /// A game as `person` sees it, or somebody who watches.
    pub fn new(
        game: &FriendGame,
        person: Option<Person>,
        connected: ByPerson<bool>,
        now: Moment,
    ) -> Self {
        let standing = game.standing();
        let swapped = game.game().is_swapped();
        let position = game.game().position();
        Self {
            game: game.id().to_string(),
            rules: position.rules().to_string(),
            start: game.game().start().to_string(),
            plies: game.choices(),
            position: PositionView::from(position),
            side_to_move: position.to_move(),
            you: person.map(|person| person.seat(swapped)),
            clock: standing
                .clock
                .map(|clock| ClockView::new(&clock, swapped, now)),
            over: standing.ended.map(|ended| OverView {
                termination: ended.termination.as_str().to_owned(),
                winner: ended.winner,
            }),
            rematch: RematchView {
                offered_by: standing
                    .rematch_offered_by()
                    .map(|person| person.seat(swapped)),
                game: standing.rematch.map(|id| id.to_string()),
            },
            connected: connected.seats(swapped).into(),
        }
    }
}

impl ClockView {
    /// A clock in a game in which the people have exchanged seats, or have not.
    pub fn new(clock: &Clock, swapped: bool, now: Moment) -> Self {
        let millis =
            |duration: std::time::Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let left = |side| millis(clock.left(Person::seated(side, swapped), now));
        Self {
            initial_ms: millis(clock.setting().initial()),
            increment_ms: millis(clock.setting().increment()),
            south_ms: left(Side::South),
            north_ms: left(Side::North),
            running: clock.running().map(|running| running.person.seat(swapped)),
        }
    }
}
