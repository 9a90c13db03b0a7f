//! Sets of books, and the books of the program.

use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};

use kalah::{Gain, Move, Position, Variant};

use crate::book::Book;
use crate::file::read_start;
use crate::positions::BookStart;

/// Opening books of several starts. Clones share them.
///
/// A book is about the games from its start: positions with as many seeds on the whole board. Books
/// of `standard` and of `mankalah` are about the same games after the first plies.
///
/// ```
/// use kalah::{Gain, Move, Position, Rules};
/// use kalah_book::BookSet;
///
/// let start = Position::start(6, 4, Rules::STANDARD)?;
/// let books = BookSet::embedded();
/// assert_eq!(books.gain(&start), Some(Gain::new(8)));
/// let best = books.best_move(&start).expect("a book has the moves of its start");
/// assert_eq!(best.text(start.to_move()), "C");
/// # Ok::<(), kalah::SetupError>(())
/// ```
#[derive(Clone, Default)]
pub struct BookSet {
    books: Arc<[LazyBook]>,
}

/// A book that is read when a position first needs it.
#[derive(Clone)]
struct LazyBook {
    start: BookStart,
    /// The file of an embedded book.
    bytes: &'static [u8],
    book: OnceLock<Arc<Book>>,
}

/// The files of the embedded books. `docs/books.md` has the commands that build and check them.
const EMBEDDED_FILES: &[&[u8]] = &[
    include_bytes!("../books/4x4-standard.book"),
    include_bytes!("../books/4x4-cs32.book"),
    include_bytes!("../books/4x4-empty-capture.book"),
    include_bytes!("../books/5x4-standard.book"),
    include_bytes!("../books/5x4-cs32.book"),
    include_bytes!("../books/5x4-empty-capture.book"),
    include_bytes!("../books/5x5-standard.book"),
    include_bytes!("../books/5x5-cs32.book"),
    include_bytes!("../books/5x5-empty-capture.book"),
    include_bytes!("../books/6x3-standard.book"),
    include_bytes!("../books/6x3-cs32.book"),
    include_bytes!("../books/6x3-empty-capture.book"),
    include_bytes!("../books/6x4-standard.book"),
    include_bytes!("../books/6x4-cs32.book"),
    include_bytes!("../books/6x4-empty-capture.book"),
    include_bytes!("../books/6x4-mankalah.book"),
    include_bytes!("../books/6x5-standard.book"),
    include_bytes!("../books/6x5-cs32.book"),
    include_bytes!("../books/6x5-empty-capture.book"),
    include_bytes!("../books/6x6-standard.book"),
];

/// The embedded books, which never change.
static EMBEDDED: LazyLock<BookSet> = LazyLock::new(|| BookSet {
    books: EMBEDDED_FILES
        .iter()
        .map(|bytes| LazyBook::embedded(bytes))
        .collect(),
});

const EMBEDDED_IS_VALID: &str = "a test reads all embedded books";

impl LazyBook {
    fn embedded(bytes: &'static [u8]) -> Self {
        Self {
            start: read_start(bytes).expect(EMBEDDED_IS_VALID),
            bytes,
            book: OnceLock::new(),
        }
    }

    fn get(&self) -> &Book {
        let parse = || Arc::new(Book::parse(self.bytes).expect(EMBEDDED_IS_VALID));
        self.book.get_or_init(parse)
    }

    /// Returns whether games from the start of the book have positions like this one.
    fn is_about(&self, position: &Position) -> bool {
        let BookStart {
            houses,
            seeds,
            rules,
            ..
        } = self.start;
        let total = 2 * u64::from(houses) * seeds;
        Variant::from_position(position) == Variant::new(houses, rules)
            && u64::from(position.total()) == total
    }
}

impl BookSet {
    /// Returns the books of the program.
    pub fn embedded() -> Self {
        EMBEDDED.clone()
    }

    /// Returns the set with one more book, which precedes the others.
    #[must_use]
    pub fn with_book(self, book: Book) -> Self {
        let added = LazyBook {
            start: book.start(),
            bytes: &[],
            book: OnceLock::from(Arc::new(book)),
        };
        let books = [added].into_iter().chain(self.books.iter().cloned());
        Self {
            books: books.collect(),
        }
    }

    /// Returns the starts of the books.
    pub fn starts(&self) -> impl Iterator<Item = BookStart> + '_ {
        self.books.iter().map(|book| book.start)
    }

    /// Returns the gain of the side to move, or `None` if no book has the position.
    pub fn gain(&self, position: &Position) -> Option<Gain> {
        self.books_about(position)
            .find_map(|book| book.gain(position))
    }

    /// Returns the gain of a move for its player, or `None` if no book has the position after it,
    /// or if the move is not legal.
    pub fn move_gain(&self, position: &Position, mv: Move) -> Option<Gain> {
        self.books_about(position)
            .find_map(|book| book.move_gain(position, mv))
    }

    fn books_about(&self, position: &Position) -> impl Iterator<Item = &Book> {
        let books = (self.books.iter()).filter(|book| book.is_about(position));
        books.map(LazyBook::get)
    }

    /// Returns the first of the moves with the greatest gain, or `None` if no book has the position
    /// after some move, or if the game is over.
    pub fn best_move(&self, position: &Position) -> Option<Move> {
        let mut best: Option<(i32, Move)> = None;
        for mv in position.legal_moves() {
            let gain = self.move_gain(position, mv)?.seeds();
            if best.is_none_or(|(greatest, _)| gain > greatest) {
                best = Some((gain, mv));
            }
        }
        best.map(|(_, mv)| mv)
    }
}

impl fmt::Debug for BookSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.starts()).finish()
    }
}
