use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kalah::{House, Position};
use kalah_protocols::kgp::{self, Deed, Line, Message, Mode, Session, Settled};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::super::super::tell_stderr;
use super::super::incoming::Heard;
use super::super::silence::{Due, Silence};
use super::allowance::Allowance;
use super::leaving::Leaving;
use super::lots::Lots;
use super::problem;
use super::table::Table;
use super::transport::Transport;
use crate::shown::shown;

/// A client that has come to play, as games see it.
#[derive(Clone, Debug)]
pub(super) struct Guest {
    who: Arc<Who>,
    questions: mpsc::Sender<Question>,
}

/// Who a client is.
#[derive(Debug)]
struct Who {
    number: u64,
    name: Option<String>,
    token: Option<String>,
    /// Why it has left, once it has.
    left: OnceLock<Leaving>,
}

/// A position that a client is asked about.
#[derive(Debug)]
struct Question {
    position: Position,
    answer: oneshot::Sender<Answer>,
}

/// What comes of asking a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    House(House),
    /// Its last answer names no house of any board.
    NoHouse,
    /// It has said nothing in time.
    Late,
    Gone(Leaving),
}

impl Guest {
    /// What it calls itself, or else its number.
    pub(super) fn name(&self) -> String {
        let number = self.who.number;
        (self.who.name.clone()).unwrap_or_else(|| format!("Client {number}"))
    }

    /// Whether two clients may be of different people: the same ones do not play each other.
    pub(super) fn may_meet(&self, other: &Self) -> bool {
        self.who.token.is_none() || self.who.token != other.who.token
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        self.who.number == other.who.number
    }

    pub(super) fn is_there(&self) -> bool {
        !self.questions.is_closed()
    }

    /// Asks for a house; there is an answer when the time is over at the latest.
    pub(super) async fn ask(&self, position: &Position) -> Answer {
        let (answer, answered) = oneshot::channel();
        let question = Question {
            position: position.clone(),
            answer,
        };
        let answered = match self.questions.send(question).await {
            Ok(()) => answered.await.ok(),
            Err(_) => None,
        };
        let gone = || Answer::Gone(self.who.left.get().copied().unwrap_or(Leaving::HungUp));
        answered.unwrap_or_else(gone)
    }
}

/// A state that waits for its answer.
struct Open {
    ends: Instant,
    position: Position,
    answer: oneshot::Sender<Answer>,
}

/// Why there is no more to be heard about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Settling {
    /// The client has said so.
    Yield,
    /// The time is over.
    Late,
}

/// A connection, and what is going on on it.
struct Client {
    number: u64,
    table: Arc<Table>,
    guests: mpsc::Sender<Guest>,
    session: Session,
    said: mpsc::Sender<String>,
    began: Instant,
    silence: Silence,
    allowance: Allowance,
    open: BTreeMap<u64, Open>,
    /// States that are answered, and when that is confirmed by a stop.
    settled: VecDeque<(Instant, u64)>,
    /// Set once the client plays.
    who: Option<Arc<Who>>,
    questions: Option<mpsc::Receiver<Question>>,
    lots: Lots,
    /// Problems solved rightly, and solved.
    solved: (u64, u64),
}

/// The time that a client has to say what it has come for.
const MODE_TIME: Duration = Duration::from_secs(20);

/// How long after its last word on a state a client is told to stop: see [`Session::stop`].
const CONFIRMED: Duration = Duration::from_millis(500);

/// Questions that wait to be asked: a client plays one game at a time.
const QUESTIONS: usize = 1;

/// Attends to a client from its first line to its last.
pub(super) async fn attend(
    mut transport: Transport,
    number: u64,
    address: SocketAddr,
    table: Arc<Table>,
    guests: mpsc::Sender<Guest>,
    closing: CancellationToken,
) {
    tell_stderr(&format!("client {number} has come from {address}"));
    let mut client = Client {
        number,
        session: Session::new(table.only.clone()),
        table,
        guests,
        said: transport.said.clone(),
        began: Instant::now(),
        silence: Silence::OF_CLIENT,
        allowance: Allowance::FULL,
        open: BTreeMap::new(),
        settled: VecDeque::new(),
        who: None,
        questions: None,
        lots: Lots::default(),
        solved: (0, 0),
    };
    let leaving = match client.run(&mut transport.heard, &closing).await {
        Ok(never) => match never {},
        Err(leaving) => leaving,
    };
    client.leave(leaving);
    drop(client);
    transport.close().await;
}

/// What there is no value of: attending to a client ends by its leaving only.
enum Never {}

impl Client {
    async fn run(
        &mut self,
        heard: &mut mpsc::Receiver<Heard>,
        closing: &CancellationToken,
    ) -> Result<Never, Leaving> {
        let greeting = self.session.greet();
        self.say(&greeting)?;
        loop {
            let later = self.allowance.later(self.began.elapsed());
            let wake = self.wake(later);
            tokio::select! {
                heard = heard.recv(), if later.is_none() => {
                    let heard = heard.ok_or(Leaving::HungUp)?;
                    self.hear(&heard).await?;
                }
                question = next(&mut self.questions) => self.ask(question)?,
                () = sleep_until(wake) => self.look_at_the_clock()?,
                () = closing.cancelled() => return Err(Leaving::Closing),
            }
        }
    }

    /// When there is something to do at the latest.
    fn wake(&self, later: Option<Duration>) -> Instant {
        let mode = self.session.mode().is_none().then_some(MODE_TIME);
        let times = [Some(self.silence.next()), later, mode];
        let times = times.into_iter().flatten().map(|time| self.began + time);
        let ends = self.open.values().map(|open| open.ends);
        let settled = self.settled.front().map(|(time, _)| *time);
        times.chain(ends).chain(settled).min().unwrap_or(self.began)
    }

    async fn hear(&mut self, heard: &Heard) -> Result<(), Leaving> {
        let now = self.began.elapsed();
        self.silence.broken(now);
        self.allowance.pay(now);
        let deeds = match heard {
            Heard::Line(line) => self.session.hear(line),
            Heard::TooLong => self.session.hear_too_long(),
            Heard::Overflow => {
                let mut deeds = self.session.hear_too_long();
                deeds.push(Deed::Leave(kgp::Leaving::Protocol));
                deeds
            }
        };
        for deed in deeds {
            match deed {
                Deed::Say(line) => self.say(&line)?,
                Deed::Begin(mode) => self.begin(&mode).await?,
                Deed::Settle(state) => {
                    self.settle(state, Settling::Yield);
                    self.settled.push_back((Instant::now() + CONFIRMED, state));
                }
                Deed::Solved { rightly } => {
                    self.solved.0 += u64::from(rightly);
                    self.solved.1 += 1;
                    self.pose()?;
                }
                Deed::Tell(text) => {
                    let number = self.number;
                    tell_stderr(&format!("client {number} complains: {}", shown(&text)));
                }
                Deed::Leave(kgp::Leaving::Goodbye) => return Err(Leaving::Goodbye),
                Deed::Leave(kgp::Leaving::Protocol) => return Err(Leaving::Protocol),
            }
        }
        Ok(())
    }

    async fn begin(&mut self, mode: &Mode) -> Result<(), Leaving> {
        let number = self.number;
        let name = self.session.name().map(shown);
        let known = name.as_deref().unwrap_or("nameless");
        if *mode == Mode::Verify {
            tell_stderr(&format!(
                "client {number}, {known}, is asked about the rules"
            ));
            return self.pose();
        }
        tell_stderr(&format!("client {number}, {known}, plays"));
        let (questions, asked) = mpsc::channel(QUESTIONS);
        let who = Arc::new(Who {
            number,
            name: self.session.name().map(str::to_owned),
            token: self.session.token().map(str::to_owned),
            left: OnceLock::new(),
        });
        self.who = Some(Arc::clone(&who));
        self.questions = Some(asked);
        // Where nobody makes games any more the server ends.
        let guest = Guest { who, questions };
        self.guests.send(guest).await.map_err(|_| Leaving::Closing)
    }

    /// Asks about the rules.
    fn pose(&mut self) -> Result<(), Leaving> {
        match problem::draw(&self.table.start, &mut self.lots) {
            Some((position, house)) => {
                let line = self.session.pose(&position, house);
                self.say(&line)
            }
            None => Ok(()),
        }
    }

    fn ask(&mut self, question: Question) -> Result<(), Leaving> {
        let Question { position, answer } = question;
        let (state, line) = self.session.ask(&position);
        let ends = Instant::now() + self.table.time;
        let open = Open {
            ends,
            position,
            answer,
        };
        self.open.insert(state, open);
        self.say(&line)
    }

    /// Hands on the last answer to a state. Where a client yields without one, a lot is drawn, as the stock server does:
    /// a client that is in use does so now and then, when its search is quicker than its bookkeeping.
    fn settle(&mut self, state: u64, settling: Settling) {
        if let Some(settled) = self.session.settle(state)
            && let Some(open) = self.open.remove(&state)
        {
            let answer = match (settled, settling) {
                (Settled::House(house), _) => Answer::House(house),
                (Settled::NoHouse, _) => Answer::NoHouse,
                (Settled::Unanswered, Settling::Yield) => {
                    let house = problem::draw_house(&open.position, &mut self.lots);
                    house.map_or(Answer::Late, Answer::House)
                }
                (Settled::Unanswered, Settling::Late) => Answer::Late,
            };
            // The game may be over.
            let _ = open.answer.send(answer);
        }
    }

    /// Ends the time for a state.
    fn stop(&mut self, state: u64) -> Result<(), Leaving> {
        let line = self.session.stop(state);
        self.say(&line)
    }

    fn look_at_the_clock(&mut self) -> Result<(), Leaving> {
        let now = Instant::now();
        let late = self.open.iter().filter(|(_, open)| open.ends <= now);
        let late: Vec<u64> = late.map(|(&state, _)| state).collect();
        for state in late {
            self.settle(state, Settling::Late);
            self.stop(state)?;
        }
        while let Some((_, state)) = self.settled.pop_front_if(|(time, _)| *time <= now) {
            self.stop(state)?;
        }
        let time = now - self.began;
        if self.session.mode().is_none() && time >= MODE_TIME {
            let line = self.session.complain("no mode was asked for");
            self.say(&line)?;
            return Err(Leaving::NoMode);
        }
        match self.silence.due(time) {
            Due::Nothing => Ok(()),
            Due::Ping => {
                let line = self.session.ping();
                self.say(&line)
            }
            Due::Leave => {
                let line = self.session.complain("the ping was not answered");
                self.say(&line)?;
                Err(Leaving::Silent)
            }
        }
    }

    /// Nobody waits for a client to read: who does not has to leave.
    fn say(&self, line: &Line) -> Result<(), Leaving> {
        let sent = self.said.try_send(format!("{line}\r\n"));
        sent.map_err(|error| match error {
            TrySendError::Full(_) => Leaving::Deaf,
            TrySendError::Closed(_) => Leaving::HungUp,
        })
    }

    /// Says goodbye, and tells of it; games learn of it when this is dropped.
    fn leave(&mut self, leaving: Leaving) {
        if let Some(who) = &self.who {
            // It leaves once.
            let _ = who.left.set(leaving);
        }
        let open = std::mem::take(&mut self.open).into_keys();
        let settled = std::mem::take(&mut self.settled).into_iter();
        let states: Vec<u64> = settled.map(|(_, state)| state).chain(open).collect();
        for state in states {
            // Why it leaves may be why this cannot be said.
            let _ = self.stop(state);
        }
        let _ = self.say(&Line::bare(Message::Goodbye));
        let number = self.number;
        let solved = match self.solved {
            (_, 0) => String::new(),
            (rightly, all) => format!("; {rightly} of {all} problems are solved rightly"),
        };
        tell_stderr(&format!("client {number} is gone: {leaving}{solved}"));
    }
}

/// The next question; none ever, while there is nobody to ask any.
async fn next(questions: &mut Option<mpsc::Receiver<Question>>) -> Question {
    if let Some(receiver) = questions {
        match receiver.recv().await {
            Some(question) => return question,
            // Nobody plays with this client any more.
            None => *questions = None,
        }
    }
    std::future::pending().await
}
