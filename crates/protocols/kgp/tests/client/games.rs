//! States and answers of the client, and its report.

use std::time::Duration;

use kalah_kgp::client::Introduction;
use kalah_kgp::{Message, Text};
use tokio::time::Instant;

use super::peer::{ANSWER_DELAY, LARGE, Options, SMALL, pass, run};

#[tokio::test]
async fn client_plays_despite_malformed_lines_and_a_lost_connection() {
    let options = Options {
        player: "smart",
        move_time: Duration::from_hours(1),
        introduction: Introduction {
            name: Text::new("Lisa"),
            authors: None,
            description: Text::new("kalah, smart"),
            token: Text::new("secret"),
        },
        ..Options::default()
    };
    let client = run(options, async |server| {
        let mut peer = server.accept().await;
        peer.send(b"\xff\xfe \x00\x1b[2J").await;
        peer.send("hello \"world").await;
        peer.send(vec![b'x'; 200_000]).await;
        peer.send("").await;
        peer.send("8 state <6,0,0>").await;
        peer.send("set game:id 7 8 9").await;
        peer.send("2 kgp 1 0 1").await;
        let expected = [
            "1 set info:name \"Lisa\"",
            "3 set info:description \"kalah, smart\"",
            "5 set auth:token \"secret\"",
            "7 mode freeplay",
        ];
        for line in expected {
            assert_eq!(peer.receive().await.to_string(), line);
        }
        peer.send("4@7 ok").await;
        peer.send("6 ping").await;
        assert_eq!(peer.receive().await.to_string(), "9@6 pong");

        // Two states at once: the small one is proven, and the large one would take an hour.
        peer.send(format!("8 state {LARGE}")).await;
        peer.send(format!("10 state {SMALL}")).await;
        pass(ANSWER_DELAY).await;
        let mut others = Vec::new();
        let small = peer.moves_of(10, &mut others).await;
        // The only move that wins by 4.
        assert_eq!(small.last(), Some(&2), "{small:?}");
        assert!(others.iter().all(|line| line.reference == Some(8)));
        assert!(others.iter().all(|line| line.message != Message::Yield));
        peer.send("9@8 stop").await;

        // A state with one legal move, a finished one, and one with too many seeds.
        for (state, board, moves) in [
            (12, "<3,0,0,0,1,0,1,1,1>", &[2][..]),
            (14, "<3,5,5,0,0,0,1,1,1>", &[]),
            (16, "<1,65535,0,1,1>", &[]),
        ] {
            peer.send(format!("{state} state {board}")).await;
            pass(ANSWER_DELAY).await;
            assert_eq!(peer.moves_of(state, &mut others).await, moves);
        }

        // No `yield` follows a stop.
        others.clear();
        let stopped = format!("18 state {LARGE}\r\n20@18 stop\r\n22 state {SMALL}");
        peer.send(stopped).await;
        pass(ANSWER_DELAY).await;
        peer.moves_of(22, &mut others).await;
        assert!(
            others.iter().all(|line| line.message != Message::Yield),
            "{others:?}"
        );
        peer.send("24 ping").await;
        assert_eq!(peer.receive().await.reference, Some(24));

        // The client connects again after a lost connection.
        drop(peer);
        pass(Duration::from_secs(1)).await;
        let mut peer = server.accept().await;
        peer.send("2 kgp 1 0 1").await;
        assert_eq!(peer.receive().await.to_string(), expected[0]);
        peer.send("4 error \"you have been \\\"away\\\"\" \"long\"")
            .await;
        peer.send("goodbye").await;
    })
    .await;
    client.result.expect("a goodbye");
    let messages = client.messages.join("\n");
    for message in [
        "the server closed the connection; trying again in 1s",
        "warning: the server reports an error: you have been \"away\" long",
        "warning: skipped a line: `hello \"world`",
    ] {
        assert!(messages.contains(message), "{messages}");
    }
    assert!(!messages.contains('\u{1b}'), "{messages:?}");
}

#[tokio::test]
async fn each_of_many_states_is_yielded() {
    let options = Options {
        player: "smart",
        move_time: Duration::from_millis(200),
        ..Options::default()
    };
    let client = run(options, async |server| {
        let mut peer = server.accept().await;
        assert_eq!(peer.greet().await, [""; 0]);
        let states: Vec<u64> = (0..100).map(|number| 4 + 2 * number).collect();
        for state in &states {
            peer.send(format!("{state} state {LARGE}")).await;
        }
        pass(ANSWER_DELAY).await;
        let mut open = states;
        while !open.is_empty() {
            let line = peer.receive().await;
            if line.message == Message::Yield {
                open.retain(|state| Some(*state) != line.reference);
            }
        }
        peer.send("goodbye").await;
    })
    .await;
    client.result.expect("a goodbye");
}

/// FAU's practice server registers a state only after it has sent it, and refuses answers until
/// then.
#[tokio::test]
async fn answers_wait_for_the_server_and_are_repeated_if_it_refuses_them() {
    let client = run(Options::default(), async |server| {
        let mut peer = server.accept().await;
        peer.greet().await;
        let sent_at = Instant::now();
        peer.send(format!("8 state {SMALL}")).await;
        pass(ANSWER_DELAY).await;
        let first = peer.receive().await;
        assert!(sent_at.elapsed() >= ANSWER_DELAY, "{:?}", sent_at.elapsed());
        assert!(matches!(first.message, Message::Move(_)), "{first}");
        let mut others = vec![first];
        peer.moves_of(8, &mut others).await;
        // All lines up to `yield` were too early.
        for id in [3, 5] {
            peer.send(format!("10@{id} error \"No state associated with id\""))
                .await;
        }
        pass(ANSWER_DELAY).await;
        assert_eq!(peer.moves_of(8, &mut others).await, [1]);
        peer.send("12@8 stop").await;
        // The refusal of a line after `stop` needs no warning.
        peer.send("14@3 error \"No state associated with id\"")
            .await;
        peer.send("16@3 error \"other\"").await;
        peer.send("goodbye").await;
    })
    .await;
    client.result.expect("a goodbye");
    let warnings: Vec<&str> = client
        .messages
        .iter()
        .filter_map(|message| message.strip_prefix("warning: "))
        .collect();
    assert_eq!(warnings, ["the server reports an error: other"]);
}

#[tokio::test]
async fn games_and_their_number_are_shown() {
    let options = Options {
        idle_limit: None,
        ..Options::default()
    };
    let client = run(options, async |server| {
        let mut peer = server.accept().await;
        peer.greet().await;
        peer.send("4 set game:id \"a\u{202e}1\"").await;
        peer.send("6 set game:opponent \"Bart\u{1b}[2J\"").await;
        peer.send(format!("8 state {SMALL}")).await;
        pass(ANSWER_DELAY).await;
        peer.moves_of(8, &mut Vec::new()).await;
        peer.send("10@8 stop").await;
        peer.send("12 set game:id b2").await;
        peer.send("14 set game:opponent \"\"").await;
        // A move that decides the game.
        peer.send("16 state <3,6,0,1,0,1,0,3,1>").await;
        pass(ANSWER_DELAY).await;
        peer.moves_of(16, &mut Vec::new()).await;
        peer.send("goodbye").await;
    })
    .await;
    client.result.expect("a goodbye");
    let expected = [
        "game 1: 3x2, moving first against Bart [2J (id a\\u{202e}1)",
        "game 1: over, the result is unknown",
        "game 2: 3x2, moving second (id b2)",
        "game 2: won 10-0",
        "2 games: 1 won, 0 lost, 0 tied, 1 unknown",
    ];
    assert_eq!(client.report, expected);
}
