//! The results of a room as files.

use kalah::record::Record;
use serde_json::{Value, json};

use crate::common::{TestServer, games_config};
use crate::rooms::TestRoom;

#[tokio::test]
async fn results_have_each_game_and_quote_names() {
    let server = TestServer::start(&games_config(None)).await;
    let request = json!({"name": "Class \"7b\"", "format": "swiss", "position": "3x2"});
    let names = ["=1+2", "<b>Bob</b>", "Cem, Can", "Dee"];
    let room = TestRoom::create(&server, request, &names).await;
    let mut plies = 0;
    for _ in 0..2 {
        room.start_round(&server).await;
        for game in super::games(&room.state(&server).await) {
            plies += room.play_to_end(&server, &game).await;
        }
        while room.state(&server).await["next_round"] != "ready" {
            tokio::task::yield_now().await;
        }
    }
    let get = async |format: &str| {
        let path = format!("/api/v1/rooms/{}/results?format={format}", room.code);
        let file = server.get(&path).await;
        assert_eq!(file.status, 200);
        let name = file.header("content-disposition").to_owned();
        assert!(name.contains(&format!("kalah-{}", room.code)), "{name}");
        file.text()
    };
    let json: Value = serde_json::from_str(&get("json").await).expect("JSON");
    let games = json["games"].as_array().expect("games");
    let listed = games
        .iter()
        .map(|game| game["plies"].as_array().map_or(0, Vec::len));
    assert_eq!((games.len(), listed.sum::<usize>()), (4, plies));
    assert_eq!(json["standings"].as_array().map(Vec::len), Some(4));

    let records = Record::parse_all(&get("kgn").await).expect("records");
    assert_eq!(records.len(), 4);
    for (record, game) in records.iter().zip(games) {
        let moves = record.game().plies().len();
        assert_eq!(Some(moves), game["plies"].as_array().map(Vec::len));
        let number = format!("{}.{}.{}", game["round"], game["pairing"], game["leg"]);
        assert_eq!(record.tags().get("Round"), Some(&*number));
        assert_eq!(record.tags().get("Event"), Some("Class \"7b\""));
    }

    let table = get("csv").await;
    assert_eq!(table.lines().count(), 5);
    assert!(
        table.contains(",'=1+2,") && table.contains(",\"Cem, Can\","),
        "{table}"
    );
    assert_eq!(get("games-csv").await.lines().count(), 5);
    let report = get("html").await;
    assert!(report.contains("&lt;b&gt;Bob&lt;/b&gt;") && !report.contains("<b>Bob"));
    let secrets = [&room.leader].into_iter().chain(&room.members);
    for secret in secrets {
        assert!(!report.contains(secret) && !json.to_string().contains(secret));
    }
    let wrong = format!("/api/v1/rooms/{}/results?format=pdf", room.code);
    assert_eq!(server.get(&wrong).await.status, 422);
    server.stop().await;
}
