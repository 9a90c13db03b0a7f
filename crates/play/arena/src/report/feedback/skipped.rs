//! Feedback to the author of a contestant that takes no part.

use maud::html;
use serde::Serialize;

use super::super::json::SkippedJson;
use super::{page_name, page_of};
use crate::run::{ArenaConfig, SkippedContestant};

/// The feedback to the author of a contestant that takes no part in the tournament.
pub struct SkippedFeedback<'a> {
    /// The number, from 1, among the contestants that take no part.
    number: usize,
    skipped: &'a SkippedContestant,
}

impl<'a> SkippedFeedback<'a> {
    /// Returns the feedback to each contestant that takes no part.
    pub fn all(config: &'a ArenaConfig) -> impl Iterator<Item = Self> {
        let all = (1..).zip(&config.skipped);
        all.map(|(number, skipped)| Self { number, skipped })
    }

    /// Returns the name of the file of the page, such as `skipped-1-ana.html`, in the form of
    /// [`Feedback::file_name`](super::Feedback::file_name).
    pub fn file_name(&self) -> String {
        let prefix = format!("skipped-{}", self.number);
        page_name(&prefix, &self.skipped.contestant.name)
    }

    /// Returns the page, which has the reason and the command of the contestant.
    pub fn to_html(&self) -> String {
        let contestant = &self.skipped.contestant;
        let content = html! {
            p.verdict { (self.skipped) "." }
            dl { div { dt { "Engine" } dd { code { (contestant.spec) } } } }
        };
        page_of(&contestant.name, &content)
    }

    /// Returns the same data as JSON.
    pub fn to_json(&self) -> impl Serialize + use<> {
        SkippedJson::new(self.skipped)
    }
}
