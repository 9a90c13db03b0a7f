use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::ws::Utf8Bytes;
use kalah::Position;
use kalah_api::SownView;
use prometheus_client::registry::Registry;
use tempfile::TempDir;
use tokio::sync::broadcast;
use tokio_util::task::TaskTracker;

use crate::games::counts::Counts;
use crate::games::deadlines::Deadlines;
use crate::games::failure::Failure;
use crate::games::message::FromServer;
use crate::games::room::{Room, Told};
use crate::games::{
    ByPerson, ClockSetting, ClockView, DataFolder, FriendGame, GameId, Moment, OpenStoreError,
    Person, Refused, Rematch, Sowing, StateView, Store, TimeSource, Token, Write,
};

/// All games of a server: those that somebody looks at are in memory, each in its room, and all are on
/// disk.
#[derive(Debug)]
pub(crate) struct Hall {
    pub(super) store: Store,
    pub(super) time: TimeSource,
    pub(super) deadlines: Deadlines,
    pub(super) counts: Counts,
    /// A room lasts as long as somebody holds it.
    rooms: Mutex<HashMap<GameId, Holding>>,
    /// What has begun is finished, also when the caller leaves.
    tasks: TaskTracker,
    /// Deleted after all else.
    _temporary: Option<TempDir>,
}

/// A room, and how many hold it.
#[derive(Debug)]
struct Holding {
    room: Arc<Room>,
    holders: usize,
}

/// A room, held as long as this is.
#[derive(Debug)]
pub(crate) struct Held {
    hall: Arc<Hall>,
    pub(super) room: Arc<Room>,
}

/// What a person does in a game.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Comes to it.
    Come,
    /// Makes a choice.
    Sow {
        /// As which ply, from 1.
        ply: usize,
        /// A house's letter or `swap`.
        choice: String,
    },
    /// Gives the game up.
    Resign,
    /// Asks for another game.
    Rematch,
}

/// What came of an [`Act`].
#[derive(Debug)]
pub(crate) struct Acted {
    /// Who did it.
    pub(crate) person: Option<Person>,
    /// How the game stands, as they see it.
    pub(crate) state: StateView,
    /// The message about the ply, if it was one that had been made before: nobody is told of it again.
    pub(crate) repeated: Option<Utf8Bytes>,
}

/// A new game, and what opens it.
#[derive(Debug)]
pub(crate) struct Made {
    /// The game as the one who made it sees it.
    pub(crate) state: StateView,
    /// For the one who made it.
    pub(crate) token: Token,
    /// For the other person.
    pub(crate) friend_token: Token,
}

/// Somebody who looks at a game and is told of what happens in it.
pub(crate) struct Attendance {
    held: Held,
    person: Option<Person>,
    /// What has happened before: the plies that were missed, and how the game stands.
    pub(crate) before: Vec<Utf8Bytes>,
    /// What happens from now on.
    pub(crate) told: broadcast::Receiver<Told>,
}

/// What is to be kept and told of an act that was not refused.
enum Done {
    Nothing,
    Standing,
    Ply,
    Rematch(Box<FriendGame>),
}

/// The most plies that are told one by one to somebody who has missed them; who has missed more is
/// only told how the game stands.
const MOST_MISSED: usize = 64;

impl Hall {
    /// The games in `folder`, or in one that is deleted with the server if there is none; they are
    /// counted in `registry`, and what has begun is finished in `tasks`. Made within a tokio runtime.
    ///
    /// # Errors
    /// Why the games cannot be opened.
    pub(crate) fn open(
        folder: Option<&DataFolder>,
        registry: &mut Registry,
        tasks: TaskTracker,
    ) -> Result<Self, OpenStoreError> {
        let (folder, temporary) = if let Some(folder) = folder {
            (folder.clone(), None)
        } else {
            let temporary = TempDir::new().map_err(OpenStoreError::Temporary)?;
            (DataFolder::at(temporary.path()), Some(temporary))
        };
        let (time, counts) = (TimeSource::of_day(), Counts::new(registry));
        let counted = counts.clone();
        let observe = Box::new(move |writes, took| counted.commit(writes, took));
        Ok(Self {
            store: Store::open(&folder, time.now(), observe)?,
            time,
            deadlines: Deadlines::default(),
            counts,
            rooms: Mutex::default(),
            tasks,
            _temporary: temporary,
        })
    }

    /// Makes a game for two people, the one who makes it beginning as `person`.
    pub(crate) async fn make(
        &self,
        start: Position,
        clock: Option<ClockSetting>,
        person: Person,
    ) -> Result<Made, Failure> {
        let tokens = ByPerson::from_fn(|_| Token::random());
        let hashes = ByPerson::from_fn(|person| tokens.of(person).hash());
        let now = self.time.now();
        let game = FriendGame::new(start, clock, hashes, now);
        self.store
            .write(Write::Game(Box::new(game.to_saved())))
            .await?;
        self.counts.made.inc();
        let nobody = ByPerson::new(false, false);
        Ok(Made {
            state: StateView::new(&game, Some(person), nobody, now),
            token: tokens.of(person).clone(),
            friend_token: tokens.of(person.other()).clone(),
        })
    }

    /// The room of a game, whether there is such a game or not.
    pub(crate) fn room(self: &Arc<Self>, id: GameId) -> Held {
        let mut rooms = self.rooms();
        let holding = rooms.entry(id).or_insert_with(|| {
            self.counts.open.inc();
            Holding {
                room: Arc::new(Room::new(id)),
                holders: 0,
            }
        });
        holding.holders += 1;
        Held {
            hall: Arc::clone(self),
            room: Arc::clone(&holding.room),
        }
    }

    /// Ends a game whose clock has run out.
    pub(super) async fn run_out(self: &Arc<Self>, id: GameId) -> Result<(), Failure> {
        let held = self.room(id);
        let mut place = held.room.game.lock().await;
        let mut game = self.taken(&mut place, id).await?;
        self.note_time(&held.room, &mut game).await?;
        self.deadlines.set(id, runs_out(&game));
        *place = Some(game);
        Ok(())
    }

    /// Ends the games: all that was accepted is on disk after it.
    pub(crate) async fn close(&self) {
        if let Err(error) = self.store.write(Write::Alive(self.time.now())).await {
            tracing::error!(%error, "the end of the server cannot be kept");
        }
        self.store.close().await;
    }

    /// The game of a room, taken out of it; whoever cannot put it back leaves it to be read again.
    async fn taken(
        &self,
        place: &mut Option<FriendGame>,
        id: GameId,
    ) -> Result<FriendGame, Failure> {
        if let Some(game) = place.take() {
            return Ok(game);
        }
        let saved = self.store.load(id).await?;
        let game = FriendGame::from_saved(&saved)
            .map_err(|reason| Failure::Store(super::StoreError::Damaged { id, reason }))?;
        Ok(game)
    }

    /// Ends a game whose clock has run out, if it has.
    async fn note_time(&self, room: &Room, game: &mut FriendGame) -> Result<(), Failure> {
        let now = self.time.now();
        if game.note_time(now) {
            self.keep(game, &Done::Standing).await?;
            self.counts.run_out.inc();
            room.tell_state(game, now);
        }
        Ok(())
    }

    /// Keeps what has changed in a game.
    async fn keep(&self, game: &FriendGame, done: &Done) -> Result<(), Failure> {
        let id = game.id();
        let standing = Box::new(*game.standing());
        let write = match (done, game.last_ply()) {
            (Done::Nothing, _) => return Ok(()),
            (Done::Ply, Some(ply)) => Write::Ply {
                game: id,
                number: game.game().plies().len(),
                choice: ply.mv.text(ply.side),
                standing,
            },
            (Done::Rematch(other), _) => Write::Rematch {
                game: id,
                standing,
                other: Box::new(other.to_saved()),
            },
            (Done::Standing | Done::Ply, _) => Write::Standing { game: id, standing },
        };
        self.store.write(write).await?;
        self.deadlines.set(id, runs_out(game));
        Ok(())
    }

    fn rooms(&self) -> MutexGuard<'_, HashMap<GameId, Holding>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A room that nobody holds any more is forgotten.
impl Drop for Held {
    fn drop(&mut self) {
        let mut rooms = self.hall.rooms();
        if let Entry::Occupied(mut holding) = rooms.entry(self.room.id) {
            holding.get_mut().holders -= 1;
            if holding.get().holders == 0 {
                holding.remove();
                self.hall.counts.open.dec();
            }
        }
    }
}

impl Held {
    /// The same room, held once more.
    fn again(&self) -> Self {
        self.hall.room(self.room.id)
    }

    /// How the game stands, as the person with `token` sees it, or somebody who watches.
    pub(crate) async fn state(&self, token: Option<&Token>) -> Result<StateView, Failure> {
        let mut place = self.room.game.lock().await;
        let game = self.hall.taken(&mut place, self.room.id).await?;
        let now = self.hall.time.now();
        let person = token.map(|token| game.person(token)).transpose();
        let view = self.room.view(&game, person.clone().ok().flatten(), now);
        *place = Some(game);
        match person {
            Ok(_) => Ok(view),
            Err(refused) => Err(Failure::Refused {
                refused,
                state: Box::new(view),
            }),
        }
    }

    /// Does something for the person with `token`. It is done, kept and told to the end, also if the
    /// caller leaves.
    pub(crate) async fn act(&self, token: &Token, act: Act) -> Result<Acted, Failure> {
        let (held, token) = (self.again(), token.clone());
        let task = self
            .hall
            .tasks
            .spawn(async move { held.act_now(&token, act).await });
        task.await.unwrap_or_else(|error| {
            tracing::error!(%error, "what was to be done in a game has broken off");
            Err(Failure::Panicked)
        })
    }

    async fn act_now(&self, token: &Token, act: Act) -> Result<Acted, Failure> {
        let (hall, room) = (&self.hall, &self.room);
        let mut place = room.game.lock().await;
        let mut game = hall.taken(&mut place, room.id).await?;
        hall.note_time(room, &mut game).await?;
        let now = hall.time.now();
        let ply = match &act {
            Act::Sow { ply, .. } => Some(*ply),
            Act::Come | Act::Resign | Act::Rematch => None,
        };
        let was_swapped = game.game().is_swapped();
        let person = game.person(token);
        let done = match &person {
            Ok(person) => perform(&mut game, *person, act, now),
            Err(refused) => Err(refused.clone()),
        };
        let person = person.ok();
        let done = match done {
            Ok(done) => done,
            Err(refused) => {
                let state = Box::new(room.view(&game, person, now));
                *place = Some(game);
                return Err(Failure::Refused { refused, state });
            }
        };
        hall.keep(&game, &done).await?;
        let message = ply.and_then(|ply| sown_message(&game, ply, now));
        let mut repeated = None;
        match done {
            Done::Nothing => repeated = message,
            Done::Standing | Done::Rematch(_) => room.tell_state(&game, now),
            Done::Ply => {
                hall.counts.plies.inc();
                if let Some(message) = message {
                    room.tell(&message);
                }
                if game.standing().ended.is_some() || game.game().is_swapped() != was_swapped {
                    room.tell_state(&game, now);
                }
            }
        }
        let state = room.view(&game, person, now);
        *place = Some(game);
        Ok(Acted {
            person,
            state,
            repeated,
        })
    }

    /// Joins those who are told of what happens, as the person with `token` or as somebody who
    /// watches. Who knows `since` plies already is told of the later ones.
    pub(crate) async fn attend(
        self,
        token: Option<&Token>,
        since: Option<usize>,
    ) -> Result<Attendance, Failure> {
        let person = match token {
            Some(token) => self.act(token, Act::Come).await?.person,
            None => None,
        };
        let mut place = self.room.game.lock().await;
        let game = self.hall.taken(&mut place, self.room.id).await?;
        let now = self.hall.time.now();
        let entered = self.room.enter(person);
        let answer = entered.ok_or(Failure::Full).map(|is_news| {
            if is_news {
                self.room.tell_state(&game, now);
            }
            let made = game.game().plies().len();
            let known = since.unwrap_or(made);
            let missed = known.saturating_add(1)..=made;
            let mut before: Vec<_> = if missed.clone().count() > MOST_MISSED {
                Vec::new()
            } else {
                missed
                    .filter_map(|ply| sown_message(&game, ply, now))
                    .collect()
            };
            let state = self.room.view(&game, person, now);
            before.push(FromServer::State { state: &state }.text());
            // Nothing happens while the game is out of its place.
            (before, self.room.listen())
        });
        *place = Some(game);
        drop(place);
        let (before, told) = answer?;
        self.hall.counts.live.inc();
        Ok(Attendance {
            held: self,
            person,
            before,
            told,
        })
    }
}

impl Attendance {
    /// Who attends; nobody in particular if they watch.
    pub(crate) fn person(&self) -> Option<Person> {
        self.person
    }

    /// The room.
    pub(crate) fn held(&self) -> &Held {
        &self.held
    }

    /// Counts that this one is dropped for being behind.
    pub(crate) fn count_behind(&self) {
        self.held.hall.counts.behind.inc();
    }
}

/// Who leaves is no longer connected, and the others are told.
impl Drop for Attendance {
    fn drop(&mut self) {
        self.held.hall.counts.live.dec();
        if !self.held.room.leave(self.person) {
            return;
        }
        let held = self.held.again();
        self.held.hall.tasks.spawn(async move {
            let place = held.room.game.lock().await;
            if let Some(game) = place.as_ref() {
                held.room.tell_state(game, held.hall.time.now());
            }
        });
    }
}

fn perform(game: &mut FriendGame, person: Person, act: Act, now: Moment) -> Result<Done, Refused> {
    Ok(match act {
        Act::Come if game.come(person, now) => Done::Standing,
        Act::Come => Done::Nothing,
        Act::Sow { ply, choice } => match game.sow(person, ply, &choice, now)? {
            Sowing::Made => Done::Ply,
            Sowing::Repeated => Done::Nothing,
        },
        Act::Resign => {
            game.resign(person, now)?;
            Done::Standing
        }
        Act::Rematch => match game.rematch(person, now)? {
            Rematch::Offered => Done::Standing,
            Rematch::Repeated => Done::Nothing,
            Rematch::Made(other) => Done::Rematch(other),
        },
    })
}

/// When the clock of a game runs out, if it runs.
fn runs_out(game: &FriendGame) -> Option<Moment> {
    game.standing().clock.and_then(|clock| clock.runs_out())
}

/// The message about ply `number` of a game, if that has been made.
fn sown_message(game: &FriendGame, number: usize, now: Moment) -> Option<Utf8Bytes> {
    let plies = game.game().plies();
    let ply = plies.get(number.checked_sub(1)?)?;
    let mut position = match number.checked_sub(2) {
        Some(before) => plies.get(before)?.after.clone(),
        None => game.game().start().clone(),
    };
    let sown = SownView::play(&mut position, ply.mv).ok()?;
    let is_last = number == plies.len();
    let clock = game.standing().clock.filter(|_| is_last);
    let swapped = game.game().is_swapped();
    let message = FromServer::Sown {
        ply: number,
        sown: &sown,
        clock: clock.map(|clock| ClockView::new(&clock, swapped, now)),
    };
    Some(message.text())
}

#[cfg(test)]
mod tests {
    use std::task::Poll;

    use kalah::Rules;

    use super::*;

    async fn hall_with_a_game() -> (Arc<Hall>, GameId, Token) {
        let (mut registry, tasks) = (Registry::default(), TaskTracker::new());
        let hall = Arc::new(Hall::open(None, &mut registry, tasks).expect("a hall"));
        let start = Position::start(6, 4, Rules::CS32).expect("a start");
        let made = hall
            .make(start, None, Person::ALL[0])
            .await
            .expect("a game");
        let id = made.state.game.parse().expect("a name");
        (hall, id, made.token)
    }

    fn first_ply() -> Act {
        Act::Sow {
            ply: 1,
            choice: "A".to_owned(),
        }
    }

    #[tokio::test]
    async fn what_has_begun_is_done_though_its_caller_leaves() {
        let (hall, id, token) = hall_with_a_game().await;
        let mut watcher = hall.room(id).attend(None, None).await.expect("a place");
        let held = hall.room(id);
        {
            // Once is enough for it to be begun, and not to be done.
            let mut acting = std::pin::pin!(held.act(&token, first_ply()));
            let acted = std::future::poll_fn(|context| Poll::Ready(acting.as_mut().poll(context)));
            assert!(acted.await.is_pending());
        }
        drop(held);
        watcher.told.recv().await.expect("the ply is told");
        let kept = hall.store.load(id).await.expect("the game is kept");
        assert_eq!(kept.plies, ["A"]);
    }

    #[tokio::test]
    async fn a_room_lasts_as_long_as_somebody_is_in_it() {
        let (hall, id, token) = hall_with_a_game().await;
        let (first, second) = (hall.room(id), hall.room(id));
        assert!(Arc::ptr_eq(&first.room, &second.room));
        drop(first);
        second
            .act(&token, first_ply())
            .await
            .expect("a legal choice");
        assert_eq!(hall.counts.open.get(), 1);
        drop(second);
        hall.tasks.close();
        hall.tasks.wait().await;
        assert_eq!((hall.counts.open.get(), hall.rooms().len()), (0, 0));
        let state = hall.room(id).state(None).await.expect("the game");
        assert_eq!(state.plies, ["A"]);
    }

    #[tokio::test]
    async fn who_takes_nothing_falls_behind_and_holds_nobody_up() {
        let (hall, id, _) = hall_with_a_game().await;
        let held = hall.room(id);
        let mut slow = hall.room(id).attend(None, None).await.expect("a place");
        for _ in 0..1000 {
            held.room.tell(&Utf8Bytes::from_static("news"));
        }
        let lagged = slow.told.recv().await;
        assert!(matches!(
            lagged,
            Err(broadcast::error::RecvError::Lagged(_))
        ));
    }

    #[tokio::test]
    async fn a_game_that_cannot_be_kept_is_as_it_was() {
        let (hall, id, token) = hall_with_a_game().await;
        let held = hall.room(id);
        let before = held.state(None).await.expect("the game");
        hall.store
            .write(Write::Delete(vec![id]))
            .await
            .expect("deleted");
        assert_eq!(held.state(None).await.expect("in memory"), before);
        let acted = held.act(&token, first_ply()).await;
        assert!(matches!(acted, Err(Failure::NoGame)), "{acted:?}");
        // What is not known to be on disk is not believed.
        assert!(matches!(held.state(None).await, Err(Failure::NoGame)));
        hall.close().await;
        let closed = hall.room(id).act(&token, first_ply()).await;
        assert!(closed.is_err(), "{closed:?}");
    }
}
