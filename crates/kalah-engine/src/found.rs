use kalah::Move;

/// Gains of a position are all odd or all even.
pub(crate) const GAIN_STEP: i32 = 2;

/// What a search found of a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchValue {
    /// Gain for the side to move.
    pub(crate) gain: i32,
    /// Whether nothing that the gain rests on was estimated.
    pub(crate) proven: bool,
}

/// The gains that matter: a search tells those strictly between apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
}

impl Window {
    /// The window that tells only whether a gain is `gain` or more.
    pub(crate) fn null_at(gain: i32) -> Self {
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
pub(crate) struct BestScore {
    pub(crate) window: Window,
    best: SearchValue,
    /// The choice that raised alpha last.
    pub(crate) best_move: Option<Move>,
    all_proven: bool,
}

impl BestScore {
    #[inline]
    pub(crate) fn new(window: Window) -> Self {
        Self {
            window,
            best: SearchValue {
                gain: i32::MIN,
                proven: false,
            },
            best_move: None,
            all_proven: true,
        }
    }

    /// Takes a child's gain in: at most `found` if that is alpha or less, at least `found` if it is
    /// beta or more, and else `found` itself.
    #[inline]
    pub(crate) fn update(&mut self, choice: Move, found: SearchValue) {
        self.all_proven &= found.proven;
        self.update_lower_bound(choice, found);
    }

    /// Takes in that a child's gain is this at least.
    #[inline]
    pub(crate) fn update_lower_bound(&mut self, choice: Move, found: SearchValue) {
        if found.gain > self.best.gain {
            self.best = found;
        }
        if found.gain > self.window.alpha {
            self.window.alpha = found.gain;
            self.best_move = Some(choice);
        }
    }

    /// Whether no other child matters.
    #[inline]
    pub(crate) fn is_cutoff(&self) -> bool {
        self.window.alpha >= self.window.beta
    }

    #[inline]
    pub(crate) fn value(&self) -> SearchValue {
        // A cutoff rests on one child alone, anything else on all of them.
        let resolved = if self.is_cutoff() {
            self.best.proven
        } else {
            self.all_proven
        };
        SearchValue {
            proven: resolved,
            ..self.best
        }
    }
}
