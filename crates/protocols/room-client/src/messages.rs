//! The parts of the server's messages that the client reads.

use kalah::Side;
use serde::{Deserialize, Serialize};

/// A message about a room.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum RoomMessage {
    /// The whole state.
    State {
        /// The state.
        state: RoomStateJson,
    },
    /// The changes since the last message.
    Update(RoomUpdateJson),
    /// Any other message.
    #[serde(other)]
    Other,
}

/// The state of a room.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct RoomStateJson {
    pub(crate) closed: bool,
    pub(crate) members: Vec<Member>,
    pub(crate) games: Vec<RoomGameJson>,
    pub(crate) challenges: Vec<Challenge>,
}

/// The changes of a room.
#[derive(Debug, Deserialize)]
pub(crate) struct RoomUpdateJson {
    room: Option<RoomHead>,
    #[serde(default)]
    members: Vec<Member>,
    #[serde(default)]
    games: Vec<RoomGameJson>,
    challenges: Option<Vec<Challenge>>,
}

#[derive(Debug, Deserialize)]
struct RoomHead {
    closed: bool,
}

/// A member of a room.
#[derive(Debug, Deserialize)]
pub(crate) struct Member {
    pub(crate) number: u32,
    pub(crate) name: String,
    #[serde(default)]
    bot: bool,
}

/// A game of a room.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct RoomGameJson {
    pub(crate) game: String,
    pub(crate) south: u32,
    pub(crate) north: u32,
    ending: Option<serde::de::IgnoredAny>,
}

/// An open challenge.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Challenge {
    pub(crate) from: u32,
    pub(crate) to: Option<u32>,
}

impl RoomStateJson {
    /// Adds the changes of an update.
    pub(crate) fn update(&mut self, update: RoomUpdateJson) {
        if let Some(head) = update.room {
            self.closed = head.closed;
        }
        for member in update.members {
            self.members.retain(|known| known.number != member.number);
            self.members.push(member);
        }
        for game in update.games {
            self.games.retain(|known| known.game != game.game);
            self.games.push(game);
        }
        if let Some(challenges) = update.challenges {
            self.challenges = challenges;
        }
    }

    /// Returns a running game of a member.
    pub(crate) fn game_of(&self, member: u32) -> Option<&RoomGameJson> {
        let mut games = self.games.iter();
        games.find(|game| game.ending.is_none() && [game.south, game.north].contains(&member))
    }

    /// Returns the name of a member.
    pub(crate) fn name(&self, number: u32) -> &str {
        self.member(number).map_or("?", |member| &*member.name)
    }

    /// Returns whether a member is a person.
    pub(crate) fn is_person(&self, number: u32) -> bool {
        self.member(number).is_some_and(|member| !member.bot)
    }

    fn member(&self, number: u32) -> Option<&Member> {
        self.members.iter().find(|member| member.number == number)
    }
}

/// A message about a game.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum GameMessage {
    /// The whole state.
    State {
        /// The state.
        state: Box<GameStateJson>,
    },
    /// A move was played.
    Move {
        /// The number of the ply, from 1.
        ply: usize,
        /// The result.
        result: PlayedMove,
        /// The clock after it.
        clock: Option<ClockJson>,
    },
    /// A message of the client was refused.
    Problem {
        /// The reason.
        problem: Problem,
    },
    /// Any other message.
    #[serde(other)]
    Other,
}

/// The state of a game.
#[derive(Debug, Deserialize)]
pub(crate) struct GameStateJson {
    pub(crate) rules: String,
    pub(crate) start: String,
    pub(crate) plies: Vec<String>,
    pub(crate) you: Option<Side>,
    pub(crate) clock: Option<ClockJson>,
    pub(crate) paused: bool,
    pub(crate) ending: Option<EndingJson>,
}

/// The ending of a game.
#[derive(Debug, Deserialize)]
pub(crate) struct EndingJson {
    pub(crate) termination: String,
    pub(crate) winner: Option<Side>,
}

/// A played move.
#[derive(Debug, Deserialize)]
pub(crate) struct PlayedMove {
    #[serde(rename = "move")]
    pub(crate) mv: String,
}

/// A clock.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ClockJson {
    pub(crate) times: ClocksJson,
    pub(crate) south_ms: u64,
    pub(crate) north_ms: u64,
}

/// The settings of the clocks of both sides.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ClocksJson {
    pub(crate) south: ClockTimesJson,
    pub(crate) north: ClockTimesJson,
}

/// The setting of a clock.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct ClockTimesJson {
    pub(crate) increment_ms: u64,
}

/// A problem document.
#[derive(Debug, Deserialize)]
pub(crate) struct Problem {
    pub(crate) detail: String,
}

/// The response to the request to enter.
#[derive(Debug, Deserialize)]
pub(crate) struct Entered {
    pub(crate) member: u32,
}

/// A message to a game.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum GameRequest<'a> {
    /// Play a move.
    Move {
        /// The number of the ply, from 1.
        ply: usize,
        /// The move.
        #[serde(rename = "move")]
        mv: &'a str,
    },
    /// Resign.
    Resign {},
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_replace_what_has_changed() {
        let mut state: RoomStateJson = serde_json::from_str(
            r#"{"closed":false,"members":[{"number":1,"name":"Ann"}],"challenges":[],
                "games":[{"game":"a","south":1,"north":2,"ending":null,"round":1}]}"#,
        )
        .expect("a state");
        assert!(state.game_of(2).is_some() && state.game_of(3).is_none());
        let update = r#"{"type":"update","revision":2,"members":[{"number":1,"name":"Max"}],
            "games":[{"game":"a","south":1,"north":2,"ending":{"winner":"tie"}}],
            "room":{"closed":true},"challenges":[{"from":1,"to":null}]}"#;
        let RoomMessage::Update(update) = serde_json::from_str(update).expect("an update") else {
            panic!("it is an update");
        };
        state.update(update);
        assert!(state.game_of(2).is_none() && state.closed);
        assert_eq!((state.name(1), state.name(2)), ("Max", "?"));
        assert!(state.is_person(1) && !state.is_person(2));
        assert_eq!(state.challenges.len(), 1);
        let other: RoomMessage = serde_json::from_str(r#"{"type":"pong"}"#).expect("a message");
        assert!(matches!(other, RoomMessage::Other));
    }
}
