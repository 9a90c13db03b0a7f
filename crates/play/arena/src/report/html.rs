//! The HTML report of a tournament: one page that loads nothing.

use kalah::format_count;
use kalah::record::Tags;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::game_data::GameLinks;
use super::games::games_section;
use super::plots::{elo_plot, margin_histograms};
use super::summary::ArenaSummary;
use super::tables::{cross_table, endings_table, match_sentence, time_table};

pub(super) const STYLESHEET: &str = concat!(include_str!("style.css"), include_str!("viewer.css"));

/// The folder of the logs of games beside the report.
const LOGS_ADDRESS: &str = "logs/";

/// Returns the report, which has all games and shows them on a board. `page` is the address of a
/// page that reads games from links, with a slash at the end, to which the games link.
pub fn html_report(summary: &ArenaSummary, page: Option<&str>) -> String {
    let title = title(summary);
    let games = summary.games_in_order();
    let standings = summary.standings.iter();
    let contestants: Vec<_> = standings.map(|standing| standing.contestant).collect();
    let report = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLESHEET)) }
            }
            body {
                main {
                    h1 { (title) }
                    (overview(summary))
                    section {
                        h2 { "Cross table" }
                        (cross_table(summary))
                    }
                    section {
                        h2 { "Strength" }
                        (elo_plot(summary))
                    }
                    section {
                        h2 { "Margins" }
                        (margin_histograms(summary))
                    }
                    section {
                        h2 { "Time" }
                        (time_table(summary))
                        @for slow_start in summary.slow_starts {
                            p { (slow_start) "." }
                        }
                    }
                    section {
                        h2 { "Endings" }
                        (endings_table(summary))
                        @for warning in summary.ignored_line_warnings() {
                            p { (warning) "." }
                        }
                    }
                    (games_section(summary.config, &games, &contestants, links(summary, page)))
                }
            }
        }
    };
    report.into_string()
}

/// Returns the places to which games have links. The logs have some if all games have one.
fn links<'a>(summary: &ArenaSummary, page: Option<&'a str>) -> GameLinks<'a> {
    let has_all_logs = summary.config.has_logs && summary.config.unlogged_games == 0;
    GameLinks {
        page,
        logs: has_all_logs.then_some(LOGS_ADDRESS),
    }
}

/// Returns the title, with the board and the rules.
fn title(summary: &ArenaSummary) -> String {
    let start = summary.config.start_position();
    let tags = Tags::from_start(start);
    let board = tags.get(Tags::POSITION).unwrap_or_default();
    format!("Kalah arena: {board}, {}", start.rules())
}

/// Returns the result of the sequential test, that of a match, and the settings.
fn overview(summary: &ArenaSummary) -> Markup {
    html! {
        @if let Some(test) = &summary.sprt {
            p.verdict { (test.state()) ", after " (format_count(test.pair_count(), "pair")) }
        }
        @if let Some(sentence) = match_sentence(summary) {
            p { (sentence) }
        }
        @for note in summary.withdrawn_notes() {
            p { (note) "." }
        }
        @for skipped in &summary.config.skipped {
            p.skipped { (skipped) "." }
        }
        dl {
            @for (name, value) in settings(summary) {
                div { dt { (name) } dd { (value) } }
            }
        }
        details {
            summary { "Engines" }
            ul.engines {
                @for contestant in &summary.config.contestants {
                    li { code { (contestant.spec) } }
                }
            }
        }
    }
}

/// Returns the names and values of the settings.
fn settings(summary: &ArenaSummary) -> Vec<(&'static str, String)> {
    let config = summary.config;
    vec![
        ("Time", config.time_control.to_string()),
        ("Rounds", config.tournament.rounds.to_string()),
        ("Openings", config.openings.as_slice().len().to_string()),
        ("Seed", config.tournament.seed.to_string()),
        (
            "Adjudication",
            match config.adjudication {
                Some(adjudication) => {
                    let seeds = format_count(adjudication.max_seeds.into(), "seed");
                    format!("at {seeds} in the houses")
                }
                None => "none".to_owned(),
            },
        ),
        (
            "Resignation",
            config
                .resign
                .map_or("none".to_owned(), |rule| rule.to_string()),
        ),
        ("Program", format!("kalah {}", config.versions.join(", "))),
    ]
}

#[cfg(test)]
pub(super) mod tests {
    use std::time::Duration;

    use kalah_players::ContestantSpec;

    use super::super::game_data::tests::inflate;
    use super::html_report;
    use crate::journal::Journal;
    use crate::report::ArenaSummary;
    use crate::run::{AdjudicationOption, ArenaConfig, ArenaOptions, OpeningsOption};
    use crate::schedule::TournamentFormat;

    /// Games of three contestants, one of which crashes, under rules with a swap.
    pub(in super::super) const JOURNAL: &str = r#"{"game":"1.1.1","south":{"contestant":0,"name":"<one>","time_control":"1s a move","think_time":{"moves":1,"total_ms":1200,"longest_ms":1200}},"north":{"contestant":1,"name":"two","time_control":"1s a move","think_time":{"moves":1,"total_ms":70,"longest_ms":70}},"rules":"mankalah","position":"<2,0,0,1,1,1,1> s ply=1","opening_plies":1,"moves":"A swap","ply_times_ms":[5],"end":{"kind":"crash","by":"south","status":"signal 9","stderr_tail":"a & b\nthe <end>"}}
{"game":"1.1.2","south":{"contestant":1,"name":"two","time_control":"1s a move","think_time":{"moves":1,"total_ms":5,"longest_ms":5}},"north":{"contestant":0,"name":"<one>","time_control":"1s a move","think_time":{"moves":0,"total_ms":0,"longest_ms":0}},"rules":"mankalah","position":"<2,0,0,1,1,1,1> s ply=1","opening_plies":0,"moves":"A","ply_times_ms":[5],"end":{"kind":"adjudicated","margin":-2}}
{"game":"1.2.1","south":{"contestant":0,"name":"<one>","time_control":"1s a move","think_time":{"moves":1,"total_ms":3,"longest_ms":3}},"north":{"contestant":2,"name":"three","time_control":"1s a move","think_time":{"moves":0,"total_ms":9,"longest_ms":0}},"rules":"mankalah","position":"<2,0,0,1,1,1,1> s ply=1","opening_plies":0,"moves":"A","ply_times_ms":[5],"end":{"kind":"adjudicated","margin":2}}
"#;

    /// Calls a function with the results of a journal, whose contestants have these names.
    pub(in super::super) fn with_summary<T>(
        journal: &str,
        names: &[&str],
        use_summary: impl FnOnce(&ArenaSummary) -> T,
    ) -> T {
        let contestants = names.iter().map(|name| format!("first,name={name}"));
        let contestants: Vec<_> = contestants
            .map(|text| ContestantSpec::parse(&text, &[]).expect("a valid specification"))
            .collect();
        let config = ArenaConfig::new(&ArenaOptions {
            start: Some("6x4".parse().expect("a start")),
            rules: Some(kalah::Rules::MANKALAH),
            contestants: Some(contestants),
            format: Some(TournamentFormat::RoundRobin),
            rounds: Some(1),
            seed: Some(1),
            openings: Some(OpeningsOption::Start),
            time_control: Some("1s".parse().expect("a time")),
            grace: Some(Duration::ZERO),
            adjudication: Some(AdjudicationOption::Never),
            resign: None,
            sprt: None,
            memory: Some("1MiB".parse().expect("a size")),
            started_in: None,
        })
        .expect("a valid configuration");
        let journal = Journal::parse(journal.as_bytes()).expect("a valid journal");
        let summary = ArenaSummary::new(&config, journal.games());
        use_summary(&summary)
    }

    fn report(journal: &str, names: &[&str]) -> String {
        with_summary(journal, names, |summary| {
            html_report(summary, Some("http://127.0.0.1:8080/"))
        })
    }

    /// Returns the texts of the elements that begin with a tag.
    fn data<'a>(page: &'a str, tag: &str) -> Vec<&'a str> {
        let parts = page.split(tag).skip(1);
        parts
            .filter_map(|part| Some(part.split_once("</script>")?.0))
            .collect()
    }

    /// Returns the index of the games.
    fn index(page: &str) -> serde_json::Value {
        let texts = data(page, r#"<script id="games-index" type="text/plain">"#);
        serde_json::from_str(&inflate(texts[0])).expect("JSON")
    }

    #[test]
    fn text_of_programs_is_escaped() {
        for name in [
            "<one>",
            "<img src=x onerror=alert(1)>",
            "</script><script>alert(1)</script>",
            "a\"'--><!--<script>",
        ] {
            let json_name = serde_json::to_string(name).expect("JSON");
            let journal = JOURNAL.replace(r#""<one>""#, &json_name);
            let page = report(&journal, &[name, "two", "three"]);
            assert!(page.contains("<title>Kalah arena: 6x4, mankalah</title>"));
            assert!(!page.contains(name) && !page.contains("<end>"), "{page}");
            let elements = page.matches("<script").count();
            assert_eq!(elements, page.matches("</script").count());
            // The index, a block of plies, one of records, and the script.
            assert_eq!(elements, 4);
            assert_eq!(index(&page)["names"][0], name);
        }
    }

    #[test]
    fn data_has_the_games_and_their_boards() {
        let page = report(JOURNAL, &["<one>", "two", "three"]);
        let expected: serde_json::Value = serde_json::from_str(
            r##"{
                "page": "http://127.0.0.1:8080/",
                "logs": null,
                "games_per_block": 500,
                "names": ["<one>", "two", "three"],
                "programs": [false, false, false],
                "starts": [{
                    "houses": 2,
                    "pits": [1, 1, 0, 1, 1, 0],
                    "link": "#rules=mankalah&position=2x1&line="
                }],
                "games": [
                    ["1.1.1", 0, 1, "n", "crash", 2, 1, 0,
                        "crash of South: signal 9, last line on stderr `the <end>`",
                        "a & b\nthe <end>"],
                    ["1.1.2", 1, 0, "n", "adjudicated", 1, 0, 0, "adjudicated -2", ""],
                    ["1.2.1", 0, 2, "s", "adjudicated", 1, 0, 0, "adjudicated +2", ""]
                ]
            }"##,
        )
        .expect("JSON");
        assert_eq!(index(&page), expected);
        let plies = data(&page, r#"<script class="plies" type="text/plain">"#);
        assert_eq!(plies.len(), 1);
        assert_eq!(inflate(plies[0]), "A-1+~n=n\nA-1+=n\nA-1+=n\n");
    }

    #[test]
    fn endings_link_to_the_list_and_faults_have_names() {
        let page = report(JOURNAL, &["<one>", "two", "three"]);
        let link = r##"<a href="#ending=crash&amp;engine=%3Cone%3E&amp;result=lost">1</a>"##;
        assert!(page.contains(link), "{page}");
        assert!(page.contains(r##"<a href="#ending=adjudicated">2</a>"##));
        assert!(
            page.contains("<th class=\"name\" scope=\"row\">two</th><td>2</td><td>37.5 ms</td>"),
            "{page}"
        );
    }

    #[test]
    fn engines_are_in_a_closed_list_before_the_cross_table() {
        let page = report(JOURNAL, &["<one>", "two", "three"]);
        let list = "</dl><details><summary>Engines</summary><ul class=\"engines\"><li><code>";
        let (_, list) = page.split_once(list).expect("a list");
        let (list, rest) = list.split_once("</ul></details>").expect("its end");
        assert_eq!(list.matches("<li>").count(), 2);
        assert!(list.contains("name=two</code></li>"), "{list}");
        assert!(rest.contains("<h2>Cross table</h2>"));
    }

    #[test]
    fn wide_cross_table_is_printed_in_parts() {
        // The numbers of columns of the tables.
        let tables = |count: usize| -> Vec<usize> {
            let names: Vec<String> = (1..=count).map(|number| format!("e{number}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let page = report("", &names);
            let tables = page.split("<table class=\"cross\"><thead>").skip(1);
            let heads = tables.filter_map(|table| Some(table.split_once("</thead>")?.0));
            heads.map(|head| head.matches("</th>").count()).collect()
        };
        assert_eq!(tables(15), [7 + 15]);
        // The one of the screen, the overview, and three with the number and the name.
        assert_eq!(tables(40), [7 + 40, 7, 2 + 15, 2 + 15, 2 + 10]);
    }

    #[test]
    fn match_has_a_sentence_and_a_tournament_without_games_has_a_report() {
        let both: Vec<&str> = JOURNAL.split_inclusive('\n').take(2).collect();
        let both = both.concat().replace("\"margin\":-2", "\"margin\":2");
        let page = report(&both, &["<one>", "two"]);
        let sentence = "two scored 100.0 % against &lt;one&gt; in 1 pair of games: +infinite Elo";
        assert!(page.contains(sentence), "{page}");
        let empty = report("", &["one", "two"]);
        assert!(!empty.contains("NaN") && empty.contains("Cross table"));
    }
}
