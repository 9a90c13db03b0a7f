use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::ws::Utf8Bytes;
use tokio::sync::{Mutex, broadcast};

use crate::games::message::FromServer;
use crate::games::{ByPerson, FriendGame, GameId, Moment, Person, StateView};

/// A game that somebody looks at, and those who are to be told of what happens in it.
#[derive(Debug)]
pub(crate) struct Room {
    pub(super) id: GameId,
    /// The game as it is on disk; nothing before it has been read from there, and when it is not known
    /// whether what was to be kept last has been.
    pub(super) game: Mutex<Option<FriendGame>>,
    told: broadcast::Sender<Told>,
    /// Live connections of each person, and in all.
    of_person: ByPerson<AtomicUsize>,
    in_all: AtomicUsize,
}

/// A message for everybody who looks at a game.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    people: ByPerson<Utf8Bytes>,
    others: Utf8Bytes,
}

/// What somebody may be behind with before the connection is dropped.
const MOST_BEHIND: usize = 32;

/// Live connections to one game.
const MOST_CONNECTIONS: usize = 256;

impl Room {
    /// A room for a game that has not been read yet.
    pub(super) fn new(id: GameId) -> Self {
        Self {
            id,
            game: Mutex::new(None),
            told: broadcast::channel(MOST_BEHIND).0,
            of_person: ByPerson::default(),
            in_all: AtomicUsize::new(0),
        }
    }

    /// How the game stands, as `person` sees it, or somebody who watches.
    pub(super) fn view(&self, game: &FriendGame, person: Option<Person>, now: Moment) -> StateView {
        let connected = |person| self.of_person.of(person).load(Ordering::Relaxed) > 0;
        StateView::new(game, person, ByPerson::from_fn(connected), now)
    }

    /// Tells everybody how the game stands.
    pub(super) fn tell_state(&self, game: &FriendGame, now: Moment) {
        if self.told.receiver_count() == 0 {
            return;
        }
        let mut view = self.view(game, None, now);
        let others = FromServer::State { state: &view }.text();
        let swapped = game.game().is_swapped();
        let people = ByPerson::from_fn(|person| {
            view.you = Some(person.seat(swapped));
            FromServer::State { state: &view }.text()
        });
        self.send(Told { people, others });
    }

    /// Tells everybody the same.
    pub(super) fn tell(&self, message: &Utf8Bytes) {
        self.send(Told {
            people: ByPerson::from_fn(|_| message.clone()),
            others: message.clone(),
        });
    }

    fn send(&self, told: Told) {
        // There may be nobody.
        let _ = self.told.send(told);
    }

    /// Adds a live connection, and says whether the person had none before; `None` if there are too many.
    pub(super) fn enter(&self, person: Option<Person>) -> Option<bool> {
        if self.in_all.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
            self.in_all.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        let before = person.map(|person| self.of_person.of(person).fetch_add(1, Ordering::Relaxed));
        Some(before == Some(0))
    }

    /// What is told from now on.
    pub(super) fn listen(&self) -> broadcast::Receiver<Told> {
        self.told.subscribe()
    }

    /// Takes a live connection away. Says whether that is news.
    pub(super) fn leave(&self, person: Option<Person>) -> bool {
        self.in_all.fetch_sub(1, Ordering::Relaxed);
        person.is_some_and(|person| self.of_person.of(person).fetch_sub(1, Ordering::Relaxed) == 1)
    }
}

impl Told {
    /// The message for `person`, or for somebody who watches.
    pub(crate) fn to(self, person: Option<Person>) -> Utf8Bytes {
        match person {
            Some(person) => self.people.of(person).clone(),
            None => self.others,
        }
    }
}
