/// A kind of problem, as the `type` of a problem document names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// Not JSON.
    InvalidJson,
    /// JSON, but not the question.
    InvalidRequest,
    /// A question of another name.
    UnknownRequest,
    /// Rules that are none.
    InvalidRules,
    /// A text that is no position.
    InvalidPosition,
    /// A position that cannot be played.
    UnplayablePosition,
    /// A choice that names no house.
    InvalidMove,
    /// A choice against the rules.
    IllegalMove,
    /// A time that is none.
    InvalidTime,
    /// More time than there is.
    TooMuchTime,
    /// An opponent that is none.
    UnknownOpponent,
    /// A text that is no record.
    InvalidRecord,
    /// A game that makes no record.
    InvalidGame,
    /// More plies than are answered.
    TooManyPlies,
}

impl ProblemKind {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::InvalidJson,
        Self::InvalidRequest,
        Self::UnknownRequest,
        Self::InvalidRules,
        Self::InvalidPosition,
        Self::UnplayablePosition,
        Self::InvalidMove,
        Self::IllegalMove,
        Self::InvalidTime,
        Self::TooMuchTime,
        Self::UnknownOpponent,
        Self::InvalidRecord,
        Self::InvalidGame,
        Self::TooManyPlies,
    ];

    /// The kind of this name.
    ///
    /// ```
    /// use kalah_api::ProblemKind;
    ///
    /// for kind in ProblemKind::ALL {
    ///     assert_eq!(ProblemKind::from_name(kind.name()), Some(kind));
    /// }
    /// assert_eq!(ProblemKind::from_name("about:blank"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// A word for programs: what stands behind `/problems/`.
    pub const fn name(self) -> &'static str {
        self.entry().0
    }

    /// The same for people, in a few words.
    pub const fn title(self) -> &'static str {
        self.entry().1
    }

    /// What has happened, and what would be right, in a sentence or two.
    pub const fn description(self) -> &'static str {
        self.entry().2
    }

    /// Name, title and meaning.
    const fn entry(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::InvalidJson => (
                "no-json",
                "not JSON",
                "A question is asked in JSON, and this is none, or it breaks off.",
            ),
            Self::InvalidRequest => (
                "not-the-question",
                "not the question",
                "This is JSON, but not what the question is asked with: a field is missing, is one that the question \
                 does not have, or holds something of another kind. Every question is an object, in braces.",
            ),
            Self::UnknownRequest => (
                "no-such-question",
                "no such question",
                "There is no question of this name.",
            ),
            Self::InvalidRules => (
                "rules",
                "no rules",
                "The rules are none of the named ones, and not all four fields either, such as \
                 `ends=stuck,capture=opposite,swap=no,first-bonus=yes`.",
            ),
            Self::InvalidPosition => (
                "position",
                "no position",
                "The text is no position: neither a start such as `6x4` nor one in full such as \
                 `<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s`.",
            ),
            Self::UnplayablePosition => (
                "unplayable-position",
                "a position that cannot be",
                "The position can be written, and cannot be played: it has too many seeds, for example.",
            ),
            Self::InvalidMove => (
                "choice",
                "no choice",
                "The choice names no house of the side to move. South's houses are capital letters and North's small \
                 ones, and `swap` exchanges seats where the rules have it.",
            ),
            Self::IllegalMove => (
                "illegal-choice",
                "against the rules",
                "The choice cannot be made in this position: the house is empty, there is no swap now, or the game is \
                 over.",
            ),
            Self::InvalidTime => (
                "time",
                "no time",
                "The time is no number with a unit, such as `500ms` or `5s`.",
            ),
            Self::TooMuchTime => (
                "too-much-time",
                "too much time",
                "More time is asked for than an answer may take.",
            ),
            Self::UnknownOpponent => (
                "opponent",
                "no opponent",
                "Nobody of this name plays: there are `level:1` to `level:10`, and `perfect`.",
            ),
            Self::InvalidRecord => (
                "record",
                "not a game record",
                "The text is no record of games. What is wrong, and in which line, stands in `detail`.",
            ),
            Self::InvalidGame => (
                "game",
                "not a game",
                "What is to be written is no game: a tag, a comment, the order of the plies or the end is not as it \
                 can be.",
            ),
            Self::TooManyPlies => (
                "too-many-plies",
                "too many plies",
                "The games have more plies than are answered at once.",
            ),
        }
    }
}
