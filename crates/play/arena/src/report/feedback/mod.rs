//! Feedback to the author of one contestant: its results, its faults and its biggest mistakes, as a
//! page and as JSON.

mod faults;
mod skipped;

use kalah::record::Tags;
use kalah::{Position, Side, format_count};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde::Serialize;

use self::faults::{DistinctFault, FaultJson, distinct_faults, fault_json, fault_markup};
pub use self::skipped::SkippedFeedback;
use super::csv::points;
use super::game_data::GameLinks;
use super::games::games_section;
use super::html::STYLESHEET;
use super::summary::ArenaSummary;
use super::text::points_text;
use crate::finished_game::FinishedGame;
use crate::stats::{Contestant, GameScore, Rating, Tally};

/// The maximum number of faults with a board on a page; the list of games has the others.
const MAX_FAULTS: usize = 10;

/// A move of a contestant that is proven to cost seeds, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The number of the game, or of the first one of several games.
    pub game: String,
    /// The number of reviewed games with this move in this position.
    pub games: usize,
    /// The number of the plies before the move in this game.
    pub ply: usize,
    /// The position before the move.
    pub position: Position,
    /// The move made.
    pub played: String,
    /// The best moves.
    pub better: String,
    /// The seeds that the move costs at least.
    pub seeds: u32,
    /// The cost in words.
    pub cost: String,
    /// The bounds of the margin with the best move and with the move made.
    pub margins: [String; 2],
    /// The symbol of the grade, empty without one.
    pub grade: &'static str,
    /// Why the move is bad, as sentences; empty without a known reason.
    pub reasons: String,
}

/// The feedback to the author of a contestant.
pub struct Feedback<'a> {
    summary: &'a ArenaSummary<'a>,
    contestant: Contestant,
    /// The games of the contestant, in the order of the schedule.
    games: Vec<&'a FinishedGame>,
    /// The biggest mistakes, the biggest one first.
    mistakes: &'a [Mistake],
    /// The number of games in which mistakes were looked for.
    reviewed: usize,
}

/// The JSON form.
#[derive(Serialize)]
struct FeedbackJson {
    contestant: Contestant,
    name: String,
    id: Option<String>,
    rank: Option<usize>,
    points: f64,
    results: Tally,
    games: Vec<OwnGameJson>,
    faults: Vec<FaultJson>,
    games_reviewed: usize,
    mistakes: Vec<MistakeJson>,
}

#[derive(Serialize)]
struct OwnGameJson {
    game: String,
    side: Side,
    opponent: String,
    result: &'static str,
    ending: &'static str,
    description: String,
}

#[derive(Serialize)]
struct MistakeJson {
    game: String,
    games: usize,
    ply: usize,
    position: String,
    played: String,
    better: String,
    seeds: u32,
    cost: String,
    margin_of_better: String,
    margin_of_played: String,
    grade: &'static str,
    reasons: String,
}

impl<'a> Feedback<'a> {
    /// Collects the feedback to a contestant, with its biggest `mistakes` in `reviewed` of its
    /// games.
    pub fn new(
        summary: &'a ArenaSummary<'a>,
        contestant: Contestant,
        mistakes: &'a [Mistake],
        reviewed: usize,
    ) -> Self {
        Self {
            summary,
            contestant,
            games: summary
                .games_in_order()
                .into_iter()
                .filter(|game| plays(game, contestant))
                .collect(),
            mistakes,
            reviewed,
        }
    }

    /// Returns the name of the file of the page: the number of the contestant, from 1, and the
    /// letters and digits of its name, such as `3-ana.html`. The number makes it unique, and the
    /// rest is the same on all file systems.
    pub fn file_name(&self) -> String {
        page_name(&(self.contestant.0 + 1).to_string(), self.name())
    }

    /// Returns the page. `page` is the address of a page that reads games from links.
    pub fn to_html(&self, page: Option<&str>) -> String {
        let name = self.name();
        let faults = self.faults();
        let content = html! {
            (self.standing())
            section {
                h2 { "Faults" }
                @if faults.is_empty() { p { "No game was lost by a fault." } }
                @for fault in faults.iter().take(MAX_FAULTS) { (fault_markup(fault)) }
                @if faults.len() > MAX_FAULTS {
                    p { "The list of games has the other "
                        (format_count((faults.len() - MAX_FAULTS) as u64, "fault"))
                        "."
                    }
                }
            }
            section {
                h2 { "Biggest mistakes" }
                p { (self.mistakes_note()) }
                @for mistake in self.mistakes { (mistake_markup(mistake)) }
            }
            (self.results())
            (games_section(self.summary.config, &self.games, &self.players(), GameLinks { page, logs: None }))
        };
        page_of(name, &content)
    }

    /// Returns the same data as JSON.
    pub fn to_json(&self) -> impl Serialize + use<> {
        let config = self.summary.config.contestants.get(self.contestant.0);
        let tally = self.tally();
        FeedbackJson {
            contestant: self.contestant,
            name: self.name().to_owned(),
            id: config.and_then(|config| config.spec.id.clone()),
            rank: self.rank(),
            points: points(tally.half_points()),
            results: tally,
            games: self.games.iter().map(|game| self.game_json(game)).collect(),
            faults: self.faults().iter().map(fault_json).collect(),
            games_reviewed: self.reviewed,
            mistakes: self.mistakes.iter().map(mistake_json).collect(),
        }
    }

    fn name(&self) -> &'a str {
        self.summary.config.name(self.contestant)
    }

    /// Returns the side on which the contestant began.
    fn side(&self, game: &FinishedGame) -> Side {
        if game.players().south == self.contestant {
            Side::South
        } else {
            Side::North
        }
    }

    fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for game in &self.games {
            tally.add(game.score(self.side(game)));
        }
        tally
    }

    fn rank(&self) -> Option<usize> {
        let mut standings = self.summary.standings.iter();
        let own = standings.find(|standing| standing.contestant == self.contestant)?;
        Some(own.rank)
    }

    /// Returns the faults by which the contestant has lost games, those of the most games first.
    fn faults(&self) -> Vec<DistinctFault<'a>> {
        let games = self.games.iter().copied();
        let own = games.filter(|game| game.end.side_at_fault() == Some(self.side(game)));
        distinct_faults(own)
    }

    /// Returns the contestant and its opponents, in the order of the standings.
    fn players(&self) -> Vec<Contestant> {
        let all = self.summary.standings.iter();
        let all = all.map(|standing| standing.contestant);
        all.filter(|&one| self.games.iter().any(|game| plays(game, one)))
            .collect()
    }

    /// Returns the rank, the points and the strength.
    fn standing(&self) -> Markup {
        let tally = self.tally();
        let elo = match self.summary.rating(self.contestant) {
            Some(Rating::Number { elo, .. }) => Some(format!("{elo:.0}")),
            other => other.map(|rating| rating.to_string()),
        };
        html! {
            dl {
                @if let Some(rank) = self.rank() {
                    div { dt { "Rank" } dd { (rank) " of " (self.summary.standings.len()) } }
                }
                div {
                    dt { "Points" }
                    dd { (points_text(tally.half_points())) " of " (tally.game_count()) }
                }
                @if let Some(elo) = elo { div { dt { "Elo" } dd { (elo) } } }
            }
        }
    }

    /// Returns the results against each opponent.
    fn results(&self) -> Markup {
        html! {
            section {
                h2 { "Results" }
                div.wide tabindex="0" {
                    table {
                        thead {
                            tr {
                                th.name scope="col" { "Opponent" }
                                @for text in ["Points", "Games", "Won", "Tied", "Lost"] {
                                    th scope="col" { (text) }
                                }
                            }
                        }
                        tbody {
                            @for &other in self.players().iter().filter(|&&it| it != self.contestant) {
                                (self.opponent_row(other))
                            }
                        }
                    }
                }
            }
        }
    }

    fn opponent_row(&self, other: Contestant) -> Markup {
        let (results, _) = self.summary.head_to_head(self.contestant, other);
        let games = results.games;
        html! {
            tr {
                th.name scope="row" { (self.summary.config.name(other)) }
                td { (points_text(games.half_points())) }
                td { (games.game_count()) }
                td { (games.wins) }
                td { (games.ties) }
                td { (games.losses) }
            }
        }
    }

    /// Returns what the mistakes are, and from how many games.
    fn mistakes_note(&self) -> String {
        let games = format_count(self.reviewed as u64, "game");
        let all = self.games.len();
        if self.mistakes.is_empty() {
            return format!("In {games} of {all}, no move is proven to cost seeds.");
        }
        format!(
            "The moves that are proven to cost the most seeds, in {games} of {all}. Margins are the \
             seeds by which the engine is ahead at the end with best play of both players."
        )
    }

    fn game_json(&self, game: &FinishedGame) -> OwnGameJson {
        let side = self.side(game);
        OwnGameJson {
            game: game.number_text(),
            side,
            opponent: game.names[side.opponent()].clone(),
            result: match game.score(side) {
                GameScore::Win => "won",
                GameScore::Tie => "tied",
                GameScore::Loss => "lost",
            },
            ending: game.end.termination().as_str(),
            description: game.end.to_string(),
        }
    }
}

/// Returns the name of a file: a prefix, and the letters and digits of the name of a contestant
/// that are in ASCII, because file systems and archives differ in the others.
fn page_name(prefix: &str, name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let letters: String = name.chars().map(letter).collect();
    let words = letters.split('-').filter(|word| !word.is_empty());
    let parts: Vec<&str> = std::iter::once(prefix).chain(words).collect();
    format!("{}.html", parts.join("-"))
}

/// Returns the page of a contestant with a content.
fn page_of(name: &str, content: &Markup) -> String {
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (name) " in the Kalah arena" }
                style { (PreEscaped(STYLESHEET)) }
            }
            body {
                main {
                    h1 { (name) }
                    (content)
                }
            }
        }
    };
    document.into_string()
}

/// Returns whether a contestant plays a game.
fn plays(game: &FinishedGame, contestant: Contestant) -> bool {
    Side::ALL
        .iter()
        .any(|&side| game.players()[side] == contestant)
}

fn mistake_json(mistake: &Mistake) -> MistakeJson {
    let Mistake {
        game,
        games,
        ply,
        position,
        played,
        better,
        seeds,
        cost,
        margins: [margin_of_better, margin_of_played],
        grade,
        reasons,
    } = mistake.clone();
    MistakeJson {
        game,
        games,
        ply,
        position: position.to_string(),
        played,
        better,
        seeds,
        cost,
        margin_of_better,
        margin_of_played,
        grade,
        reasons,
    }
}

fn mistake_markup(mistake: &Mistake) -> Markup {
    let Mistake { played, better, .. } = mistake;
    let [best, own] = &mistake.margins;
    html! {
        article.moment {
            h3 { (played) (mistake.grade) ", " (games_link(mistake.games, &mistake.game, mistake.ply)) }
            (board(&mistake.position))
            p { "Played: " b { (played) } ", margin " (own) ". Better: " b { (better) }
                ", margin " (best) ". It costs " (mistake.cost) "."
            }
            @if !mistake.reasons.is_empty() { p { (mistake.reasons) } }
        }
    }
}

/// Returns the number of the games if there are several, and a link that shows the first one after
/// a number of plies.
fn games_link(games: usize, number: &str, plies: usize) -> Markup {
    html! {
        @if games > 1 { "in " (games) " games, such as " }
        (game_link(number, plies))
    }
}

/// Returns a link that shows a game after a number of plies.
fn game_link(number: &str, plies: usize) -> Markup {
    let ply = format_count(plies as u64, "ply");
    html! {
        a href=(format!("#game={number}&ply={plies}")) { "game " (number) " after " (ply) }
    }
}

/// Returns a board without a script, with the text of its position.
fn board(position: &Position) -> Markup {
    let houses = position.houses();
    let house = |side: Side, index: usize| {
        let seeds = position.houses_of(side).get(index);
        let first = match side {
            Side::South => b'A',
            Side::North => b'a',
        };
        let letter = char::from(first + u8::try_from(index).unwrap_or_default());
        html! { div.house { b { (seeds.copied().unwrap_or_default()) } small { (letter) } } }
    };
    let tags = Tags::from_start(position);
    html! {
        div.wide tabindex="0" {
            div.board role="img" aria-label=(format!("the position {position}"))
                style=(format!("--houses: {houses}")) {
                @for (side, letter) in [(Side::North, "n"), (Side::South, "s")] {
                    @let to_move = if side == position.to_move() { " to-move" } else { "" };
                    div class=(format!("player {letter}{to_move}")) { (side) }
                }
                div.store.North { b { (position.store(Side::North)) } small { "North" } }
                div.store.South { b { (position.store(Side::South)) } small { "South" } }
                @for index in (0..usize::from(houses)).rev() { (house(Side::North, index)) }
                @for index in 0..usize::from(houses) { (house(Side::South, index)) }
            }
        }
        p.soft {
            code { (tags.get(Tags::POSITION).unwrap_or_default()) } " under the rules "
            code { (position.rules()) }
        }
    }
}

#[cfg(test)]
mod tests {
    use kalah::Rules;

    use super::super::html::tests::{JOURNAL, with_summary};
    use super::*;

    /// Calls a function with the feedback to the first one of three contestants.
    fn with_feedback<T>(name: &str, use_feedback: impl FnOnce(&Feedback) -> T) -> T {
        let json_name = serde_json::to_string(name).expect("JSON");
        let journal = JOURNAL.replace(r#""<one>""#, &json_name);
        let mistake = Mistake {
            game: "1.2.1".to_owned(),
            games: 10,
            ply: 0,
            position: Position::start(2, 1, Rules::MANKALAH).expect("a start"),
            played: "A".to_owned(),
            better: "B".to_owned(),
            seeds: 3,
            cost: "3 seeds".to_owned(),
            margins: ["+1 exact", "-2 exact"].map(str::to_owned),
            grade: "??",
            reasons: "Missed a bonus turn with house B.".to_owned(),
        };
        with_summary(&journal, &[name, "two", "three"], |summary| {
            use_feedback(&Feedback::new(summary, Contestant(0), &[mistake], 1))
        })
    }

    #[test]
    fn file_names_have_only_ascii_letters_and_digits() {
        for (name, file) in [
            ("Ana", "1-ana.html"),
            ("Zo\u{eb} / ..\\x", "1-zo-x.html"),
            ("\u{65e5}\u{672c}", "1.html"),
            ("CON", "1-con.html"),
        ] {
            with_feedback(name, |feedback| assert_eq!(feedback.file_name(), file));
        }
    }

    #[test]
    fn page_has_the_faults_and_the_mistakes_and_only_own_games() {
        let name = "</script><img src=x onerror=alert(1)>";
        let page = with_feedback(name, |feedback| feedback.to_html(None));
        assert!(!page.contains(name) && !page.contains("<end>"), "{page}");
        for text in [
            // The contestant has lost game 1.1.1 by a crash, tied none and won 1.1.2 and 1.2.1.
            r##"crash, <a href="#game=1.1.1&amp;ply=2">game 1.1.1 after 2 plies</a>"##,
            "Expected: a legal move: a, b.",
            "a &amp; b\nthe &lt;end&gt;</pre>",
            r##"A??, in 10 games, such as <a href="#game=1.2.1&amp;ply=0">game 1.2.1 after 0 plies</a>"##,
            "Played: <b>A</b>, margin -2 exact. Better: <b>B</b>, margin +1 exact. It costs 3 seeds.",
            "<p>Missed a bonus turn with house B.</p>",
            "in 1 game of 3.",
            r#"<option value="three">three</option>"#,
        ] {
            assert!(page.contains(text), "{text}: {page}");
        }
        let place = |text: &str| page.find(text).expect(text);
        assert!(place("<h2>Faults") < place("<h2>Biggest mistakes"));
        assert!(place("<h2>Biggest mistakes") < place("<h2>Results"));
        let journal = JOURNAL;
        let other = with_summary(journal, &["<one>", "two", "three"], |summary| {
            Feedback::new(summary, Contestant(2), &[], 0).to_html(None)
        });
        assert!(other.contains("No game was lost by a fault."));
        assert!(other.contains("In 0 games of 1, no move is proven to cost seeds."));
        assert!(!other.contains(r#"<option value="two">"#), "{other}");
    }

    #[test]
    fn json_has_the_data_of_the_page() {
        let json = with_feedback("one", |feedback| serde_json::to_value(feedback.to_json()));
        let json = json.expect("JSON");
        assert_eq!(
            json["results"],
            serde_json::json!({"wins": 2, "ties": 0, "losses": 1})
        );
        assert_eq!(json["points"], 2.0);
        assert_eq!(json["games"].as_array().map(Vec::len), Some(3));
        assert_eq!(json["games"][1]["opponent"], "two");
        assert_eq!(json["faults"][0]["fault"], "crash");
        assert_eq!(json["faults"][0]["games"], 1);
        assert_eq!(json["mistakes"][0]["games"], 10);
        assert_eq!(json["faults"][0]["expected"], "a legal move: a, b");
        assert_eq!(json["mistakes"][0]["margin_of_better"], "+1 exact");
        assert_eq!(json["games_reviewed"], 1);
    }
}
