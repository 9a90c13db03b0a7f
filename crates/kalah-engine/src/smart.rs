use std::time::Duration;

use kalah::{Move, Player, Position};

use crate::report::is_proven_best;
use crate::tie_break::TieBreak;
use crate::{Bounds, Engine, Goal, Limits};

/// The engine as a player: it searches as deep as its time allows.
///
/// It answers at once when there is only one choice, and within its limit otherwise, by the clock
/// that it is handed. Of equally good choices, as far as it can prove in time that they are, it takes the
/// one that wins soonest, or the one that is hardest to answer when it is lost; then the lowest house.
pub struct SmartPlayer {
    name: String,
    engine: Engine,
    clock: Box<dyn Fn() -> Duration + Send>,
}

/// What a player chooses, and what it has proven of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The choice.
    pub mv: Move,
    /// What is proven of its margin: nothing is asked where there is only one choice.
    pub bounds: Option<Bounds>,
    /// Whether it is proven that no other choice gains more; its margin may be open yet.
    pub is_best: bool,
}

impl SmartPlayer {
    /// Time that a player has for a choice where nobody says otherwise.
    pub const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(5);

    /// A player of that name. `clock` tells the time since any fixed moment:
    ///
    /// ```
    /// use std::time::Instant;
    /// use kalah::{Player, Position, Rules};
    /// use kalah_engine::SmartPlayer;
    ///
    /// let origin = Instant::now();
    /// let mut smart = SmartPlayer::new("Lisa", move || origin.elapsed());
    /// let end = "<3,1,1,0,0,1,1,0,0> s".parse::<kalah::Setup>()?.position(Rules::CS32)?;
    /// let choice = smart.choose_move(&end, SmartPlayer::DEFAULT_TIME_LIMIT).expect("it is not over");
    /// assert_eq!(choice.text(end.to_move()), "C");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(name: impl Into<String>, clock: impl Fn() -> Duration + Send + 'static) -> Self {
        Self::with_engine(name, Engine::new(), clock)
    }

    /// A player of that name that thinks with this engine.
    pub fn with_engine(
        name: impl Into<String>,
        engine: Engine,
        clock: impl Fn() -> Duration + Send + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            engine,
            clock: Box::new(clock),
        }
    }

    /// The engine that it thinks with, for other questions.
    pub fn engine_mut(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// What it chooses, and what it has proven of that. `None` if the game is over.
    pub fn decide(&mut self, position: &Position, limit: Duration) -> Option<Decision> {
        let mut choices = position.legal_moves();
        if let (only, None) = (choices.next(), choices.next()) {
            return only.map(|choice| Decision {
                mv: choice,
                bounds: None,
                is_best: true,
            });
        }
        let time = limit.saturating_sub(Self::time_reserve(limit));
        let limits = Limits {
            time: Some(time),
            goal: Goal::Ties,
            ..Limits::default()
        };
        let deadline = (self.clock)().saturating_add(time);
        let report = self.engine.analyse(position, limits, &self.clock);
        let tie_break = TieBreak {
            engine: &mut self.engine,
            clock: &self.clock,
            deadline,
        };
        let choice = tie_break.choose_move(position, &report)?;
        let of_choice = |&&(other, _): &&(Move, Bounds)| other == choice;
        let proven = report.moves.iter().find(of_choice);
        Some(Decision {
            mv: choice,
            bounds: proven.map(|&(_, bounds)| bounds),
            is_best: is_proven_best(&report.moves, choice),
        })
    }

    /// Of its limit, the time that is kept back for everything but searching: a twentieth, but no
    /// more than 50 ms.
    fn time_reserve(limit: Duration) -> Duration {
        (limit / 20).min(Duration::from_millis(50))
    }
}

impl Player for SmartPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose_move(&mut self, position: &Position, limit: Duration) -> Option<Move> {
        self.decide(position, limit).map(|decision| decision.mv)
    }
}
