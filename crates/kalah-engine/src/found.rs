use kalah::Move;

/// Gains of a position are all odd or all even.
pub(crate) const STEP: i32 = 2;

/// What a search found of a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Gain for the side to move.
    pub(crate) gain: i32,
    /// Whether nothing that the gain rests on was estimated.
    pub(crate) resolved: bool,
}

/// The gains that matter: a search tells those strictly between apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
}

impl Window {
    /// The window that tells only whether a gain is `gain` or more.
    pub(crate) fn at_least(gain: i32) -> Self {
        Self {
            alpha: gain - 1,
            beta: gain,
        }
    }

    /// Whether no gain lies strictly between.
    pub(crate) fn is_null(self) -> bool {
        self.beta - self.alpha == 1
    }
}

/// The gain of a position, put together from those of its children.
pub(crate) struct Sum {
    pub(crate) window: Window,
    best: Found,
    /// The choice that raised alpha last.
    pub(crate) choice: Option<Move>,
    all_resolved: bool,
}

impl Sum {
    #[inline]
    pub(crate) fn new(window: Window) -> Self {
        Self {
            window,
            best: Found {
                gain: i32::MIN,
                resolved: false,
            },
            choice: None,
            all_resolved: true,
        }
    }

    /// Takes a child's gain in: at most `found` if that is alpha or less, at least `found` if it is
    /// beta or more, and else `found` itself.
    #[inline]
    pub(crate) fn add(&mut self, choice: Move, found: Found) {
        self.all_resolved &= found.resolved;
        self.raise(choice, found);
    }

    /// Takes in that a child's gain is this at least.
    #[inline]
    pub(crate) fn raise(&mut self, choice: Move, found: Found) {
        if found.gain > self.best.gain {
            self.best = found;
        }
        if found.gain > self.window.alpha {
            self.window.alpha = found.gain;
            self.choice = Some(choice);
        }
    }

    /// Whether no other child matters.
    #[inline]
    pub(crate) fn is_cut(&self) -> bool {
        self.window.alpha >= self.window.beta
    }

    #[inline]
    pub(crate) fn found(&self) -> Found {
        // A cutoff rests on one child alone, anything else on all of them.
        let resolved = if self.is_cut() {
            self.best.resolved
        } else {
            self.all_resolved
        };
        Found {
            resolved,
            ..self.best
        }
    }
}
