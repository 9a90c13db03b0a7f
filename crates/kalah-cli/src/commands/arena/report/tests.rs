use kalah_arena::Journal;

use super::HtmlReport;

/// Three contestants, of whom one crashes, under rules with a swap.
const JOURNAL: &str = r#"{"pair":0,"round":0,"leg":"first","south":{"contestant":0,"name":"<one>","think_time":{"moves":1,"total_ms":1200,"longest_ms":1200}},"north":{"contestant":1,"name":"two","think_time":{"moves":1,"total_ms":70,"longest_ms":70}},"rules":"mankalah","position":"<2,0,0,1,1,1,1> s ply=1","opening_plies":1,"moves":"A swap","end":{"kind":"crash","by":"south","status":"signal 9","stderr_tail":"a & b\nthe <end>"}}
{"pair":0,"round":0,"leg":"second","south":{"contestant":1,"name":"two","think_time":{"moves":1,"total_ms":5,"longest_ms":5}},"north":{"contestant":0,"name":"<one>","think_time":{"moves":0,"total_ms":0,"longest_ms":0}},"rules":"mankalah","position":"<2,0,0,1,1,1,1> s ply=1","opening_plies":0,"moves":"A","end":{"kind":"adjudicated","margin":-2}}
{"pair":1,"round":0,"leg":"first","south":{"contestant":0,"name":"<one>","think_time":{"moves":1,"total_ms":3,"longest_ms":3}},"north":{"contestant":2,"name":"three","think_time":{"moves":0,"total_ms":9,"longest_ms":0}},"rules":"mankalah","position":"<2,0,0,1,1,1,1> s ply=1","opening_plies":0,"moves":"A","end":{"kind":"adjudicated","margin":2}}
"#;

fn report(journal: &str, names: &[&str]) -> String {
    let journal = Journal::parse(journal.as_bytes()).expect("a journal");
    let report = HtmlReport {
        title: "Kalah arena: 2x1 & <more>".to_owned(),
        settings: vec![("Rounds", "1".to_owned())],
        names: names.to_vec(),
        ratings: Vec::new(),
        games: journal.games(),
        verdict: Some("H1 accepted".to_owned()),
        server_url: "http://127.0.0.1:8080/".to_owned(),
    };
    report.render()
}

#[test]
fn what_others_wrote_stays_text() {
    let page = report(JOURNAL, &["<one>", "two", "three"]);
    assert!(page.contains("<title>Kalah arena: 2x1 &amp; &lt;more&gt;</title>"));
    assert!(!page.contains("<one>") && !page.contains("<end>"), "{page}");
    assert!(page.contains("crash of South: signal 9, last line on stderr `the &lt;end&gt;`"));
    assert!(page.contains("H1 accepted"));
}

#[test]
fn games_are_linked_and_blamed() {
    let page = report(JOURNAL, &["<one>", "two", "three"]);
    assert!(page.contains(
        r#"<a href="http://127.0.0.1:8080/#rules=mankalah&amp;position=2x1&amp;line=A~">review</a>"#
    ), "{page}");
    assert!(page.contains(r##"<a href="#1.1.1">1.1.1</a>"##));
    assert!(
        page.contains("<th class=\"name\" scope=\"row\">two</th><td>2</td><td>37.5 ms</td>"),
        "{page}"
    );
}

#[test]
fn a_match_is_told_in_a_sentence_and_nothing_played_is_a_report_too() {
    let both: Vec<&str> = JOURNAL.split_inclusive('\n').take(2).collect();
    let both = both.concat().replace("\"margin\":-2", "\"margin\":2");
    let page = report(&both, &["<one>", "two"]);
    let sentence =
        "two has made 100.0 % of the points against &lt;one&gt; in 1 pair of games: +infinite Elo";
    assert!(page.contains(sentence), "{page}");
    let empty = report("", &["one", "two"]);
    assert!(!empty.contains("NaN") && empty.contains("Cross table"));
}
