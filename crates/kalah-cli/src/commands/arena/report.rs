//! The report of a tournament: a page that stands by itself, without scripts and without a network.

mod cross_table;
mod elo_plot;
mod endings;
mod games;
mod link;
mod margins;
mod scale;
mod time_use;

use kalah::record::Tags;
use kalah_arena::{Contestant, CrossTable, FinishedGame, Rating, Results};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::results::ArenaSummary;
use crate::words::format_count;

/// What a report tells of.
pub(super) struct HtmlReport<'a> {
    /// What is played, in a few words.
    pub(super) title: String,
    /// What was asked for: names and values.
    pub(super) settings: Vec<(&'static str, String)>,
    /// What the contestants are called, in their order.
    pub(super) names: Vec<&'a str>,
    /// Who is how strong, the strongest first.
    pub(super) ratings: Vec<(Contestant, Rating)>,
    /// What is finished.
    pub(super) games: &'a [FinishedGame],
    /// What a sequential test says.
    pub(super) verdict: Option<String>,
    /// Where games can be looked at: the address of a page that reads games from links.
    pub(super) server_url: String,
}

const STYLESHEET: &str = include_str!("report/style.css");

impl<'a> HtmlReport<'a> {
    /// Of what is finished of a tournament.
    pub(super) fn from_summary(summary: &ArenaSummary<'a>) -> Self {
        let plan = summary.config;
        let tags = Tags::from_start(plan.start_position());
        let board = tags.get(Tags::POSITION).unwrap_or_default();
        let rules = plan.start_position().rules();
        let engines = plan
            .contestants
            .iter()
            .map(|entrant| entrant.spec.to_string());
        let tournament = plan.tournament;
        Self {
            title: format!("Kalah arena: {board}, {rules}"),
            settings: vec![
                ("Engines", engines.collect::<Vec<_>>().join("; ")),
                ("Time", plan.time_control.to_string()),
                ("Rounds", tournament.rounds.to_string()),
                ("Openings", plan.openings.as_slice().len().to_string()),
                ("Seed", tournament.seed.to_string()),
                (
                    "Adjudicated",
                    match plan.adjudication {
                        Some(adjudication) => format!("from {} seeds on", adjudication.max_seeds),
                        None => "never".to_owned(),
                    },
                ),
            ],
            names: plan
                .contestants
                .iter()
                .map(|entrant| entrant.name.as_str())
                .collect(),
            ratings: (summary.ratings.entries().iter())
                .filter_map(|line| Some((line.contestant, summary.rating(line.contestant)?)))
                .collect(),
            games: summary.games,
            verdict: summary.sprt.as_ref().map(|test| {
                let pairs = format_count(test.pair_count(), "pair");
                format!("{}, after {pairs}", test.state())
            }),
            server_url: format!("http://{}/", kalah_server::ServerConfig::DEFAULT_ADDRESS),
        }
    }

    /// The whole page.
    pub(super) fn render(&self) -> String {
        let results: Results = self.games.iter().collect();
        let table = results.cross_table(self.names.len());
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (self.title) }
                    style { (PreEscaped(STYLESHEET)) }
                }
                body {
                    h1 { (self.title) }
                    (self.summary(&table))
                    section {
                        h2 { "Cross table" }
                        (cross_table::table(&self.names, &table))
                    }
                    section {
                        h2 { "Strength" }
                        (elo_plot::plot(&self.names, &self.ratings))
                    }
                    section {
                        h2 { "Margins" }
                        (margins::histograms(&self.names, self.games))
                    }
                    section {
                        h2 { "Time" }
                        (time_use::table(&self.names, self.games))
                    }
                    section {
                        h2 { "Endings" }
                        (endings::table(&self.names, self.games))
                    }
                    section {
                        h2 { "Games" }
                        (games::table(&self.server_url, self.games))
                    }
                }
            }
        };
        page.into_string()
    }

    fn summary(&self, table: &CrossTable) -> Markup {
        html! {
            @if let Some(verdict) = &self.verdict {
                p.verdict { (verdict) }
            }
            @if let Some(sentence) = cross_table::match_sentence(&self.names, table) {
                p { (sentence) }
            }
            dl {
                @for (name, value) in &self.settings {
                    div { dt { (name) } dd { (value) } }
                }
            }
        }
    }
}

/// A name of a contestant, by its place.
fn contestant_name<'a>(names: &[&'a str], contestant: Contestant) -> &'a str {
    names.get(contestant.0).copied().unwrap_or("?")
}

#[cfg(test)]
mod tests;
