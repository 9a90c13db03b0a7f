//! The description of a stored game, as lists and exports print it: its columns of CSV, which are
//! also its keys of JSON, and its state as text.

use kalah::record::{Tags, format_plies};
use kalah::{ByPlayer, BySide, Ending, Game, Labels, Move, Outcome, PlayerId, Side, csv_cell};
use kalah_store::{PlayerName, StoredEnding, StoredGame, Timestamp};
use kalah_text::{EventDescriber, Notation, Palette};
use serde::Serialize;

/// The name of a player without a name.
pub(super) const UNNAMED: &str = "?";

/// The description of a game in lists and exports. Sides are those at the end, after a swap;
/// `south` and `north` are the names of the players by the sides on which they started.
#[derive(Clone, Debug, Serialize)]
pub(super) struct GameDescription {
    pub(super) id: String,
    /// Times in UTC as in RFC 3339.
    pub(super) created: Option<String>,
    pub(super) changed: Option<String>,
    pub(super) south: Option<String>,
    pub(super) north: Option<String>,
    pub(super) rules: String,
    /// The start, `MxN` or a position.
    pub(super) board: String,
    pub(super) clock: Option<String>,
    pub(super) plies: usize,
    pub(super) state: GameStage,
    /// Whether the players have exchanged their sides.
    pub(super) is_swapped: bool,
    /// The side to move, unless the game has ended.
    pub(super) to_move: Option<Side>,
    pub(super) termination: Option<&'static str>,
    pub(super) winner: Option<Side>,
    /// The final stores of a game that was played to its end.
    pub(super) south_seeds: Option<u16>,
    pub(super) north_seeds: Option<u16>,
    /// South's margin of such a game.
    pub(super) margin: Option<i32>,
    pub(super) takebacks: u32,
    /// The code of the room to which the game belongs.
    pub(super) room: Option<String>,
    /// The moves as in a record, without numbers.
    pub(super) moves: String,
}

/// The stage of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum GameStage {
    /// A seat is free.
    Waiting,
    /// Both players have joined.
    Running,
    /// The game has ended.
    Ended,
}

impl GameStage {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Ended => "ended",
        }
    }

    fn of(game: &StoredGame) -> Self {
        let joined = &game.state.joined;
        if game.state.ending.is_some() {
            Self::Ended
        } else if PlayerId::ALL.into_iter().all(|player| joined[player]) {
            Self::Running
        } else {
            Self::Waiting
        }
    }
}

impl GameDescription {
    /// The columns of CSV.
    pub(super) const COLUMNS: [&str; 20] = [
        "id",
        "created",
        "changed",
        "south",
        "north",
        "rules",
        "board",
        "clock",
        "plies",
        "state",
        "is_swapped",
        "to_move",
        "termination",
        "winner",
        "south_seeds",
        "north_seeds",
        "margin",
        "takebacks",
        "room",
        "moves",
    ];

    /// Describes a stored game, of which `game` is the replay.
    pub(super) fn new(stored: &StoredGame, game: &Game) -> Self {
        let [south, north] = PlayerId::ALL;
        let name = |player| {
            stored.state.names[player]
                .as_ref()
                .map(PlayerName::to_string)
        };
        let moves: Vec<(Side, Move)> = (game.plies().iter())
            .map(|ply| (ply.side, ply.mv))
            .collect();
        let ending = stored.state.ending;
        let seeds = |side| game.outcome().map(|outcome| outcome.stores[side].get());
        Self {
            id: stored.id.to_string(),
            created: stored.created.to_text(),
            changed: stored.state.changed_at.to_text(),
            south: name(south),
            north: name(north),
            rules: stored.rules.clone(),
            board: board_text(game),
            clock: stored.state.clock.map(|clock| clock.setting().to_string()),
            plies: moves.len(),
            state: GameStage::of(stored),
            is_swapped: game.is_swapped(),
            to_move: ending.is_none().then(|| game.position().to_move()),
            termination: ending.map(|ending| ending.termination.as_str()),
            winner: ending.and_then(|ending| ending.winner),
            south_seeds: seeds(Side::South),
            north_seeds: seeds(Side::North),
            margin: game
                .outcome()
                .map(|outcome| outcome.margin(Side::South).seeds()),
            takebacks: stored.state.takeback_count,
            room: stored.room.as_ref().map(|room| room.code.to_string()),
            moves: format_plies(&moves),
        }
    }

    /// Returns the cells of CSV, in the order of [`Self::COLUMNS`].
    pub(super) fn cells(&self) -> [String; Self::COLUMNS.len()] {
        let text = |text: &Option<String>| csv_cell(text.as_deref().unwrap_or_default());
        let number =
            |number: Option<i32>| number.map_or_else(String::new, |number| number.to_string());
        let side = |side: Option<Side>| side.map_or("", Side::as_str).to_owned();
        [
            csv_cell(&self.id),
            text(&self.created),
            text(&self.changed),
            text(&self.south),
            text(&self.north),
            csv_cell(&self.rules),
            csv_cell(&self.board),
            text(&self.clock),
            self.plies.to_string(),
            self.state.as_str().to_owned(),
            self.is_swapped.to_string(),
            side(self.to_move),
            self.termination.unwrap_or_default().to_owned(),
            side(self.winner),
            number(self.south_seeds.map(i32::from)),
            number(self.north_seeds.map(i32::from)),
            number(self.margin),
            self.takebacks.to_string(),
            text(&self.room),
            csv_cell(&self.moves),
        ]
    }
}

/// Returns the start of a game, `MxN` or a position.
fn board_text(game: &Game) -> String {
    let tags = Tags::from_start(game.start());
    tags.get(Tags::POSITION).unwrap_or_default().to_owned()
}

/// Returns a time for people: the day and the minute, in UTC.
pub(super) fn minute_text(time: Timestamp) -> String {
    /// The length of `2026-03-01T18:30`.
    const LENGTH: usize = 16;
    match time.to_text() {
        Some(text) => text[..LENGTH].replace('T', " "),
        None => UNNAMED.to_owned(),
    }
}

/// Returns the names of the players by the sides on which they are now.
pub(super) fn current_names<'a>(stored: &'a StoredGame, game: &Game) -> BySide<&'a str> {
    let names = ByPlayer::from_fn(|player| {
        let name = stored.state.names[player].as_ref();
        name.map_or(UNNAMED, PlayerName::as_str)
    });
    names.by_side(game.is_swapped())
}

/// Returns the state of a game in words: that a seat is free, whose turn it is, or how it ended.
pub(super) fn state_text(stored: &StoredGame, game: &Game, palette: Palette) -> String {
    let position = game.position();
    let describer = EventDescriber {
        names: current_names(stored, game),
        notation: Notation::new(position, Labels::Letters),
        palette,
    };
    let to_move = describer.player_label(position.to_move());
    match (GameStage::of(stored), stored.state.ending) {
        (_, Some(ending)) => describe_end(&describer, game, ending),
        (GameStage::Waiting, None) => "waiting for a player".to_owned(),
        (_, None) => format!("{to_move} to move"),
    }
}

fn describe_end(describer: &EventDescriber<'_>, game: &Game, ending: StoredEnding) -> String {
    let outcome = game.outcome();
    let result = describer.describe_result(
        &Ending {
            termination: ending.termination,
            winner: ending.winner,
            outcome,
        },
        game.position(),
    );
    let margin = |(outcome, winner): (Outcome, Side)| outcome.margin(winner).seeds();
    match outcome.zip(ending.winner).map(margin) {
        Some(margin) => format!("{result}, margin {margin}"),
        None => result,
    }
}

#[cfg(test)]
mod tests {
    use kalah::{ByPlayer, Rules, Termination};
    use kalah_store::{GameId, GameState, PlayerToken};

    use super::*;

    fn stored(name: &str) -> StoredGame {
        let created = Timestamp::from_millis(0);
        StoredGame {
            id: GameId::from([0xfb; 16]),
            created,
            rules: Rules::MANKALAH.to_string(),
            start: "1x1".to_owned(),
            spectator_scores: false,
            room: None,
            tokens: ByPlayer::from_fn(|_| PlayerToken::random().hash()),
            plies: vec!["A".to_owned()],
            state: GameState {
                names: ByPlayer::new(name.parse().ok(), None),
                ending: Some(StoredEnding {
                    termination: Termination::Normal,
                    winner: None,
                }),
                ..GameState::new(created, None)
            },
        }
    }

    fn describe(stored: &StoredGame) -> GameDescription {
        GameDescription::new(stored, &stored.replay().expect("a game"))
    }

    #[test]
    fn columns_are_the_keys_of_json() {
        let description = describe(&stored("Ann"));
        let json = serde_json::to_value(&description).expect("JSON");
        let object = json.as_object().expect("an object");
        assert_eq!(object.len(), GameDescription::COLUMNS.len());
        for (column, cell) in GameDescription::COLUMNS.iter().zip(description.cells()) {
            let value = match &object[*column] {
                serde_json::Value::Null => String::new(),
                serde_json::Value::String(text) => csv_cell(text),
                value => value.to_string(),
            };
            assert_eq!(cell, value, "{column}");
        }
    }

    #[test]
    fn cells_are_no_formulas_and_can_be_read_back() {
        for name in [
            "=1+2",
            "+49",
            "-x",
            "@SUM(A1)",
            "'=1",
            "' quoted",
            "Ann, \"Bob\"",
            "x=1",
        ] {
            let cell = &describe(&stored(name)).cells()[3];
            assert!(!cell.starts_with(['=', '+', '-', '@']), "{cell}");
            assert_eq!(cell.strip_prefix('\'').unwrap_or(cell), name);
        }
        // The id begins with a dash.
        assert!(describe(&stored("Ann")).cells()[0].starts_with("'-"));
    }

    #[test]
    fn margin_of_a_tie_is_a_number() {
        let description = describe(&stored("Ann"));
        assert_eq!(
            (description.margin, description.south_seeds),
            (Some(0), Some(1))
        );
    }
}
