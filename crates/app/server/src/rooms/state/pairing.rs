//! The pairings and standings of a room, which `kalah-pairing` computes from its members and games.

use kalah::{BySide, PlayerId, Position, Side};
use kalah_arena::{GameScore, Openings};
use kalah_pairing::{
    EntrantId, GamesPerPairing, Ladder, PlayedGame, RoomRecord, round_robin_round, swiss_round,
};
use kalah_store::{MemberStatus, RoomFormat};

use crate::rooms::state::room::Room;
use crate::rooms::state::room_game::GameSnapshot;

/// Whether the leader can start the next round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextRound {
    /// The next round can begin.
    Ready,
    /// Games of this round have not ended, or have not begun.
    RunningGames,
    /// Fewer than two members are in the room.
    TooFewMembers,
    /// All members have met each other in a round robin.
    AllMet,
}

/// The pairs of a round, by the numbers of the members.
#[derive(Clone, Debug)]
pub(crate) struct RoundPairs {
    /// The pairs by side.
    pub(crate) pairs: Vec<BySide<u32>>,
    /// The member without an opponent, who is given the points of a win.
    pub(crate) bye: Option<u32>,
}

/// Returns whether the leader can start the next round.
pub(crate) fn next_round(room: &Room) -> NextRound {
    if room.running_games().next().is_some() || !room.due_second_games().is_empty() {
        NextRound::RunningGames
    } else if room.active_count() < 2 {
        NextRound::TooFewMembers
    } else if room.settings().format == RoomFormat::RoundRobin && pair(room).is_none() {
        NextRound::AllMet
    } else {
        NextRound::Ready
    }
}

/// Pairs the active members for the next round; `None` if a round robin is complete.
pub(crate) fn pair(room: &Room) -> Option<RoundPairs> {
    let record = record(room);
    let round = match room.settings().format {
        RoomFormat::RoundRobin => round_robin_round(&record)?,
        RoomFormat::Swiss | RoomFormat::Free | RoomFormat::Ladder => {
            swiss_round(&record, room.settings().seed)
        }
    };
    let pairs = round.pairs.into_iter();
    Some(RoundPairs {
        pairs: pairs
            .map(|pair| BySide::new(number_of(pair.south), number_of(pair.north)))
            .collect(),
        bye: round.bye.map(number_of),
    })
}

/// Returns whether a member may challenge another one on the ladder.
pub(crate) fn may_challenge(room: &Room, from: u32, to: u32) -> bool {
    let ladder = Ladder::from_record(&record(room));
    ladder.may_challenge(entrant_of(from), entrant_of(to), Ladder::DEFAULT_MAX_PLACES)
}

/// Returns the sides of two members in a game that `from` has asked for: the one who began as South
/// less often does so.
pub(crate) fn sides(room: &Room, from: u32, to: u32) -> BySide<u32> {
    let excess = |member: u32| {
        room.games().iter().fold(0_i64, |excess, game| {
            let is_south = game.place.south == member;
            let is_north = game.place.north == member;
            excess + i64::from(is_south) - i64::from(is_north)
        })
    };
    if excess(from) <= excess(to) {
        BySide::new(from, to)
    } else {
        BySide::new(to, from)
    }
}

/// Returns the position after the random opening of a round, or of a pairing in a room without
/// rounds. Boards on which such an opening does not exist begin without it.
pub(crate) fn opening(room: &Room, round: u32, pairing: u32) -> Position {
    let settings = room.settings();
    let number = if settings.format.has_rounds() {
        round
    } else {
        pairing
    };
    let start = room.start().clone();
    if settings.opening_plies == 0 {
        return start;
    }
    let seed = settings.seed.wrapping_add(u64::from(number));
    let plies = usize::from(settings.opening_plies);
    let openings = Openings::random(start.clone(), plies, 1, seed);
    let opening = openings.ok().and_then(|openings| {
        let opening = openings.as_slice().first()?;
        Some(opening.game().position().clone())
    });
    opening.unwrap_or(start)
}

/// Returns whether a game from `start` has openings with this number of random plies.
pub(crate) fn has_openings(start: &Position, plies: u8) -> bool {
    plies == 0 || Openings::random(start.clone(), usize::from(plies), 1, 0).is_ok()
}

/// Returns the members, games and byes of a room in the form of `kalah-pairing`.
pub(crate) fn record(room: &Room) -> RoomRecord {
    let mut record = RoomRecord::new(match room.settings().games_per_pairing {
        1 => GamesPerPairing::One,
        _ => GamesPerPairing::Two,
    });
    for member in room.members() {
        let entrant = record.enter();
        if member.status != MemberStatus::Active {
            record.leave(entrant).expect("the entrant has entered");
        }
    }
    let mut games: Vec<_> = room.games().iter().collect();
    // A room that is loaded from the store has this order.
    games.sort_by_key(|game| (game.place.round, game.place.pairing, game.place.leg));
    for game in games {
        let players = BySide::new(entrant_of(game.place.south), entrant_of(game.place.north));
        let played = PlayedGame {
            round: round_index(game.place.round),
            players,
            score: score(&game.snapshot),
            margin: game.snapshot.margin(),
        };
        record
            .add_game(played)
            .expect("two different members play each game");
    }
    for bye in room.byes() {
        let round = round_index(bye.round).unwrap_or(0);
        record
            .add_bye(round, entrant_of(bye.member))
            .expect("a member has each bye");
    }
    record
}

/// Returns the number of the member who is this entrant.
pub(crate) fn number_of(entrant: EntrantId) -> u32 {
    u32::try_from(entrant.0).map_or(u32::MAX, |index| index.saturating_add(1))
}

/// Returns the entrant with this number of a member, which is at least 1.
fn entrant_of(number: u32) -> EntrantId {
    EntrantId(usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX))
}

/// Returns the number of a round from 0; `None` for a game of no round.
fn round_index(round: u32) -> Option<usize> {
    usize::try_from(round.checked_sub(1)?).ok()
}

/// Returns the score of the member who began as South; `None` without a result.
fn score(snapshot: &GameSnapshot) -> Option<GameScore> {
    snapshot.ending.filter(|_| !snapshot.is_void())?;
    Some(match snapshot.winner() {
        None => GameScore::Tie,
        Some(player) if player == PlayerId::new(Side::South) => GameScore::Win,
        Some(_) => GameScore::Loss,
    })
}
