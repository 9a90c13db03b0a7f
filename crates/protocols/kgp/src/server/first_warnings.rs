//! Warnings about many lines or files, of which only the first are logged.

/// The maximum number of warnings of one kind that are logged one by one.
const MAX_MESSAGES: usize = 3;

/// The first warnings of one kind, and the number of the others.
#[derive(Debug, Default)]
pub(crate) struct FirstWarnings {
    messages: Vec<String>,
    others: u64,
}

impl FirstWarnings {
    pub(crate) fn add(&mut self, message: impl FnOnce() -> String) {
        if self.messages.len() < MAX_MESSAGES {
            self.messages.push(message());
        } else {
            self.others += 1;
        }
    }

    /// Logs the first warnings, and then the number of the others, if there are any, after a
    /// description.
    pub(crate) fn log(self, others: impl FnOnce() -> String) {
        for message in self.into_messages(others) {
            tracing::warn!("{message}");
        }
    }

    /// Returns the messages of [`Self::log`].
    pub(crate) fn into_messages(self, others: impl FnOnce() -> String) -> Vec<String> {
        let mut messages = self.messages;
        if self.others > 0 {
            messages.push(format!("{}: {}", others(), self.others));
        }
        messages
    }
}
