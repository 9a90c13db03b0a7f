//! `kalah kgp serve` that starts again with the folder of its records.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use super::server::{KgpServerProcess, Peer};
use crate::harness::{args, wait_until};
use crate::serve::page_server::{get_request, send_request};

/// The secret of an agent.
const TOKEN: &str = "correct-horse-battery";

/// The arguments of all servers.
const ARGUMENTS: &str = "--page 127.0.0.1:0 --time 10m --wait 50ms --opponent first";

/// Returns the pages of a server that has just started, by their path.
fn pages(server: &mut KgpServerProcess) -> impl Fn(&str) -> String + use<> {
    let url = server.process.read_line();
    let address = url.strip_prefix("http://").expect("a URL");
    let address = address.strip_suffix('/').expect("a slash").to_owned();
    move |path| send_request(&address, &get_request(path)).expect("a response")
}

/// Joins with a name, and loses the game by `goodbye`.
fn resign(mut peer: Peer, name: &str) {
    peer.join(name);
    peer.receive_state();
    peer.send("goodbye");
    assert!(peer.receive_goodbye());
}

fn resign_with_token(server: &KgpServerProcess, name: &str) {
    let mut peer = server.connect();
    peer.send(format!("1 set auth:token \"{TOKEN}\""));
    peer.send("3 set info:authors \"Bart & El\"");
    resign(peer, name);
}

/// Returns a row of the table of agents with lost games.
fn row(name: &str, authors: &str, losses: u32) -> String {
    let cells =
        [losses, 0, 0, losses, 0].map(|number| format!("<td class=\"number\">{number}</td>"));
    format!(
        "<td>{name}</td><td>{authors}</td><td></td><td>no</td>{}",
        cells.concat()
    )
}

/// Waits until the page has all of these texts.
fn wait_for(get: &impl Fn(&str) -> String, texts: &[&str]) {
    wait_until(&format!("the page has {texts:?}"), || {
        let page = get("/");
        texts.iter().all(|text| page.contains(text))
    });
}

/// Asserts that no file of a folder contains the token.
fn assert_secret(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("a file").path();
        let content = fs::read(&path).expect("a file");
        let text = String::from_utf8_lossy(&content);
        assert!(!text.contains(TOKEN), "{}", path.display());
    }
}

#[test]
fn agents_and_games_are_there_after_a_restart() {
    let mut server = KgpServerProcess::start(&args(ARGUMENTS));
    let get = pages(&mut server);
    resign_with_token(&server, "Lisa");
    resign(server.connect(), "Maggie");
    resign_with_token(&server, "Lisa");
    let rows = [row("Lisa", "Bart &amp; El", 2), row("Maggie", "", 1)];
    let builtin = "<td>built-in</td><td class=\"number\">3</td><td class=\"number\">3</td>";
    wait_for(&get, &[&rows[0], &rows[1], builtin]);

    // The board of the next process is another one.
    let (out, _) = server.stop();
    let mut server = KgpServerProcess::start_in(out, &args(&format!("{ARGUMENTS} --board 4x3")));
    let get = pages(&mut server);
    wait_for(&get, &[&rows[0], &rows[1], builtin]);
    let list = get("/");
    for number in 1..=3 {
        assert!(
            list.contains(&format!("<a href=\"/games/{number}\">")),
            "{list}"
        );
        let record = get(&format!("/games/{number}.kgn"));
        assert!(record.contains("[Termination \"resign\"]"), "{record}");
        assert!(record.contains("[Position \"6x4\"]"), "{record}");
    }
    // The agent with the token has a new name, and the other one the old name.
    resign_with_token(&server, "Lisa 2");
    resign(server.connect(), "Maggie");
    let rows = [row("Lisa 2", "Bart &amp; El", 3), row("Maggie", "", 2)];
    wait_for(&get, &[&rows[0], &rows[1], "<a href=\"/games/5\">"]);
    assert!(!get("/").contains("<td>Lisa</td><td>Bart"));

    let (out, errors) = server.stop();
    assert!(!errors.contains("WARN"), "{errors}");
    assert!(!errors.contains(TOKEN), "{errors}");
    assert_secret(out.path());
}

/// Returns the table of agents.
fn agents_table(page: &str) -> &str {
    let (_, table) = page.split_once("<table").expect("a table");
    let (table, _) = table.split_once("</table>").expect("the end of the table");
    table
}

#[test]
fn list_of_agents_is_the_same_after_a_kill() {
    let mut server = KgpServerProcess::start(&args(ARGUMENTS));
    let get = pages(&mut server);
    for round in 1..=3 {
        resign(server.connect(), "Lisa");
        resign_with_token(&server, "Bart");
        let rows = [row("Lisa", "", round), row("Bart", "Bart &amp; El", round)];
        wait_for(&get, &[&rows[0], &rows[1]]);
    }
    let before = get("/");
    // A game that is running is lost with the server.
    let mut peer = server.connect();
    peer.join("Maggie");
    peer.receive_state();

    let mut server = KgpServerProcess::start_in(server.kill(), &args(ARGUMENTS));
    let get = pages(&mut server);
    let after = get("/");
    assert_eq!(agents_table(&after), agents_table(&before));
    assert_eq!(after.matches(".kgn\">").count(), 6, "{after}");
}

#[test]
fn half_written_result_costs_one_game() {
    let server = KgpServerProcess::start(&args(ARGUMENTS));
    resign(server.connect(), "Lisa");
    let (out, _) = server.stop();
    let mut file = OpenOptions::new()
        .append(true)
        .open(out.path().join("results.jsonl"))
        .expect("a file");
    file.write_all(b"{\"game\":{\"number\":2,\"so")
        .expect("a write");

    let mut server = KgpServerProcess::start_in(out, &args(ARGUMENTS));
    let get = pages(&mut server);
    wait_for(&get, &[&row("Lisa", "", 1)]);
    resign(server.connect(), "Lisa");
    wait_for(&get, &[&row("Lisa", "", 2)]);
    let (out, errors) = server.stop();
    let warning = "results.jsonl' is damaged and does not count";
    assert!(errors.contains("line 3 of '"), "{errors}");
    assert_eq!(errors.matches(warning).count(), 1, "{errors}");

    let mut server = KgpServerProcess::start_in(out, &args(ARGUMENTS));
    let get = pages(&mut server);
    wait_for(&get, &[&row("Lisa", "", 2), "<a href=\"/games/2\">"]);
}
