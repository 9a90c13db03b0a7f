//! The list of games and the viewer of a game, which the script of the page fills.

use kalah::Termination;
use maud::{Markup, PreEscaped, html};

use super::game_data::{GameData, GameLinks};
use super::tables::termination_text;
use crate::finished_game::FinishedGame;
use crate::run::ArenaConfig;
use crate::stats::Contestant;

/// The script, in the folder of the page so that its checks include it.
const SCRIPT: &str = include_str!("../../../../../web/arena/report.js");

/// The buttons of the list and of the viewer: identifier, text and name.
const PAGE_BUTTONS: [(&str, &str, &str); 4] = [
    ("first-page", "|◀", "First page"),
    ("previous-page", "◀", "Previous page"),
    ("next-page", "▶", "Next page"),
    ("last-page", "▶|", "Last page"),
];
const PLY_BUTTONS: [(&str, &str, &str); 4] = [
    ("first-ply", "|◀", "Start of the game"),
    ("previous-ply", "◀", "Previous move"),
    ("next-ply", "▶", "Next move"),
    ("last-ply", "▶|", "End of the game"),
];

/// The results of the filter: value and text.
const RESULTS: [(&str, &str); 6] = [
    ("", "any"),
    ("won", "won by the engine"),
    ("lost", "lost by the engine"),
    ("tied", "tied"),
    ("south", "won by South"),
    ("north", "won by North"),
];

/// Returns the list of games, in their order, with the viewer, their data and the script. The lists
/// of engines have `contestants`.
pub(super) fn games_section(
    config: &ArenaConfig,
    games: &[&FinishedGame],
    contestants: &[Contestant],
    links: GameLinks,
) -> Markup {
    let data = GameData::new(config, games, links);
    html! {
        section #games {
            h2 { "Games" }
            p #games-need-script {
                "The list of games and the board need JavaScript, in a browser of 2023 or later."
            }
            div #games-list hidden {
                p #games-missing.verdict role="status" {}
                (filter_form(config, games, contestants))
                p #games-count.soft role="status" {}
                (games_table())
                div.controls role="group" aria-label="Pages of the list" {
                    @for (id, text, name) in PAGE_BUTTONS { (icon_button(id, text, name)) }
                }
            }
            (viewer())
        }
        script #games-index type="text/plain" { (PreEscaped(data.index)) }
        @for block in data.plies {
            script.plies type="text/plain" { (PreEscaped(block)) }
        }
        @for block in data.records {
            script.records type="text/plain" { (PreEscaped(block)) }
        }
        script type="module" { (PreEscaped(SCRIPT)) }
    }
}

fn icon_button(id: &str, text: &str, name: &str) -> Markup {
    html! { button id=(id) type="button" aria-label=(name) title=(name) { (text) } }
}

fn games_table() -> Markup {
    html! {
        div.wide tabindex="0" {
            table.games {
                thead {
                    tr {
                        th scope="col" { "Game" }
                        th.name scope="col" { "South" }
                        th.name scope="col" { "North" }
                        th.name scope="col" { "Ending" }
                        th scope="col" { "Plies" }
                    }
                }
                tbody #games-rows {}
            }
        }
    }
}

fn filter_form(
    config: &ArenaConfig,
    games: &[&FinishedGame],
    contestants: &[Contestant],
) -> Markup {
    let names = || {
        contestants
            .iter()
            .map(|&it| (config.name(it), config.name(it)))
    };
    let rounds = games.iter().map(|game| game.encounter.round + 1).max();
    let endings = Termination::ALL.into_iter();
    let endings = endings
        .filter(|&ending| games.iter().any(|game| game.end.termination() == ending))
        .map(|ending| (ending.as_str(), termination_text(ending)));
    let any = || std::iter::once(("", "any"));
    html! {
        form #games-filter.controls {
            (select("engine", "Engine", any().chain(names())))
            (select("opponent", "Opponent", any().chain(names())))
            (select("result", "Result", RESULTS))
            (select("ending", "Ending", any().chain(endings)))
            label {
                "Round "
                input name="round" type="number" min="1" max=(rounds.unwrap_or(1)) placeholder="any";
            }
            button type="reset" { "Show all" }
        }
    }
}

fn select<'a>(
    name: &str,
    label: &str,
    options: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Markup {
    html! {
        label {
            (label) " "
            select name=(name) {
                @for (value, text) in options { option value=(value) { (text) } }
            }
        }
    }
}

/// Returns the viewer without a game.
fn viewer() -> Markup {
    html! {
        dialog #viewer aria-labelledby="viewer-title" {
            div.viewer-head {
                h3 #viewer-title {}
                (icon_button("viewer-close", "✕", "Close"))
            }
            p #viewer-players {}
            div.wide tabindex="0" {
                div #viewer-board.board role="img" {}
            }
            p #viewer-state role="status" {}
            div.controls role="group" aria-label="Moves" {
                @for (id, text, name) in PLY_BUTTONS { (icon_button(id, text, name)) }
            }
            ol #viewer-moves {}
            p #viewer-end {}
            pre #viewer-stderr.stderr hidden tabindex="0" aria-label="Standard error of the program" {}
            div.controls {
                button #viewer-copy type="button" { "Copy the record" }
                a #viewer-page hidden { "Analyze on the page" }
                a #viewer-log hidden { "Log of the programs" }
            }
            textarea #viewer-record hidden readonly rows="8" aria-label="Record of the game" {}
        }
    }
}
