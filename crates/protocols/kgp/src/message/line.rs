//! Lines with their ids, and the numbering of the lines that one end of a connection sends.

use std::fmt;

use super::command::Message;

/// A line of the protocol, without its end.
///
/// The command is preceded by the ids: `4`, `4@2`, `@2`, or nothing. An id is unique for its
/// sender. By convention servers use even ids and clients use odd ids.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    /// The id of the line.
    pub id: Option<u64>,
    /// The id of the other side's line to which this line refers.
    pub reference: Option<u64>,
    /// The command with its arguments.
    pub message: Message,
}

impl Line {
    /// Creates a line that has no id and refers to no other line.
    pub fn without_id(message: Message) -> Self {
        Self {
            id: None,
            reference: None,
            message,
        }
    }
}

impl From<Message> for Line {
    fn from(message: Message) -> Self {
        Self::without_id(message)
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(id) = self.id {
            write!(f, "{id}")?;
        }
        if let Some(reference) = self.reference {
            write!(f, "@{reference}")?;
        }
        if self.id.is_some() || self.reference.is_some() {
            f.write_str(" ")?;
        }
        self.message.fmt(f)
    }
}

/// The ids of the lines that one end of a connection sends.
#[derive(Clone, Debug)]
pub(crate) struct LineIds {
    next: u64,
}

impl LineIds {
    /// A client uses odd ids.
    pub(crate) const CLIENT: Self = Self { next: 1 };
    /// A server uses even ids.
    pub(crate) const SERVER: Self = Self { next: 2 };

    const STEP: u64 = 2;

    /// Returns the id of the next line.
    pub(crate) fn next_id(&self) -> u64 {
        self.next
    }

    /// Creates a line with the next id.
    pub(crate) fn line(&mut self, reference: Option<u64>, message: Message) -> Line {
        let id = self.next;
        self.next = id.wrapping_add(Self::STEP);
        Line {
            id: Some(id),
            reference,
            message,
        }
    }

    /// Returns whether a line with this id may have been sent: the id is smaller than the next one
    /// and has its parity.
    pub(crate) fn may_have_sent(&self, id: u64) -> bool {
        id < self.next && id % Self::STEP == self.next % Self::STEP
    }
}
