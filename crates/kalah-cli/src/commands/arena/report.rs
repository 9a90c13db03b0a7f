//! The report of a tournament: a page that stands by itself, without scripts and without a network.

mod cross_table;
mod elo_plot;
mod endings;
mod games;
mod link;
mod margins;
mod scale;
mod time_use;

use kalah_arena::{Anchor, CrossTable, FinishedGame, RatingList, Results};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// What a report tells of.
pub(crate) struct Report<'a> {
    /// What is played, in a few words.
    pub(crate) title: &'a str,
    /// What was asked for: names and values.
    pub(crate) settings: &'a [(&'a str, String)],
    /// What the contestants are called, in their order.
    pub(crate) names: &'a [String],
    /// What is finished.
    pub(crate) games: &'a [FinishedGame],
    /// What a sequential test says.
    pub(crate) verdict: Option<&'a str>,
    /// Where games can be looked at: the address of a page that reads games from links.
    pub(crate) page: &'a str,
}

const STYLE: &str = include_str!("report/style.css");

impl Report<'_> {
    /// The whole page.
    pub(crate) fn html(&self) -> String {
        let results: Results = self.games.iter().collect();
        let table = results.cross_table(self.names.len());
        let ratings = RatingList::of(&table, Anchor::Mean);
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (self.title) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    h1 { (self.title) }
                    (self.summary(&table))
                    section {
                        h2 { "Cross table" }
                        (cross_table::table(self.names, &table))
                    }
                    section {
                        h2 { "Strength" }
                        (elo_plot::plot(self.names, &ratings))
                    }
                    section {
                        h2 { "Margins" }
                        (margins::histograms(self.names, self.games))
                    }
                    section {
                        h2 { "Time" }
                        (time_use::table(self.names, self.games))
                    }
                    section {
                        h2 { "Endings" }
                        (endings::table(self.names, self.games))
                    }
                    section {
                        h2 { "Games" }
                        (games::table(self.page, self.games))
                    }
                }
            }
        };
        page.into_string()
    }

    fn summary(&self, table: &CrossTable) -> Markup {
        html! {
            @if let Some(verdict) = self.verdict {
                p.verdict { (verdict) }
            }
            @if let Some(sentence) = cross_table::sentence(self.names, table) {
                p { (sentence) }
            }
            dl {
                @for (name, value) in self.settings {
                    div { dt { (name) } dd { (value) } }
                }
            }
        }
    }
}

/// A name of a contestant, by its place.
fn name(names: &[String], contestant: kalah_arena::Contestant) -> &str {
    names.get(contestant.0).map_or("?", String::as_str)
}

/// Points as people write them: `12.5`.
fn points(half_points: u64) -> String {
    let half = if half_points % 2 == 1 { ".5" } else { "" };
    format!("{}{half}", half_points / 2)
}

#[cfg(test)]
mod tests;
