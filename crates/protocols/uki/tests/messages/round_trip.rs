//! Random messages are written and parsed again.

use kalah::{BySide, Gain, Game, House, Move, Position, Rules, Setup, Side};
use kalah_engine::ResultChances;
use kalah_uki::{
    Clocks, EngineMessage, EngineOption, Go, HostMessage, Info, Milliseconds, OneLine, OptionKind,
    OptionName, Score, UkiMove,
};
use proptest::option::of;
use proptest::prelude::*;

fn one_line() -> impl Strategy<Value = OneLine> {
    prop_oneof![any::<String>(), "[ -~]{0,40}"].prop_map(|text| OneLine::new(&text))
}

fn name() -> impl Strategy<Value = OptionName> {
    "[A-Za-z0-9_.<>é-]{1,12}".prop_map(|word| word.parse().expect("one word"))
}

fn milliseconds() -> impl Strategy<Value = Milliseconds> {
    any::<u64>().prop_map(Milliseconds::new)
}

fn clocks() -> impl Strategy<Value = Clocks> {
    let both =
        || (milliseconds(), milliseconds()).prop_map(|(south, north)| BySide::new(south, north));
    (both(), both()).prop_map(|(left, increment)| Clocks { left, increment })
}

fn go() -> impl Strategy<Value = Go> {
    (
        of(milliseconds()),
        of(any::<u64>()),
        of(any::<u32>()),
        of(clocks()),
        any::<bool>(),
        any::<bool>(),
        prop::collection::vec(mv(), 0..4),
    )
        .prop_map(
            |(move_time, nodes, depth, clocks, infinite, ponder, search_moves)| Go {
                move_time,
                nodes,
                depth,
                clocks,
                infinite,
                ponder,
                search_moves,
            },
        )
}

/// A game on any board by any rules. It begins some plies after a start, so that the position may
/// be any.
fn game() -> impl Strategy<Value = Game> {
    let start = (1_u8..=26, 0_u64..=8);
    let rules = prop_oneof![
        prop::sample::select(Rules::PRESETS.map(|preset| preset.rules).to_vec()),
        Just(
            "ends=stuck,capture=always,swap=yes,first-bonus=no"
                .parse()
                .expect("rules")
        ),
    ];
    let plies = prop::collection::vec(any::<prop::sample::Index>(), 0..40);
    (start, rules, plies, 0_usize..6, any::<bool>()).prop_map(
        |((houses, seeds), rules, plies, plies_before, is_north)| {
            let mut setup = Setup::start(houses, seeds);
            if is_north {
                setup.to_move = Side::North;
            }
            let mut position: Position = setup.position(rules).expect("playable");
            let mut picks = plies.iter();
            for index in picks.by_ref().take(plies_before) {
                let moves: Vec<Move> = position.legal_moves().collect();
                if moves.is_empty() {
                    break;
                }
                position.play(*index.get(&moves)).expect("it is legal");
            }
            let mut game = Game::new(position);
            for index in picks {
                let moves: Vec<Move> = game.position().legal_moves().collect();
                if moves.is_empty() {
                    break;
                }
                game.play(*index.get(&moves)).expect("it is legal");
            }
            game
        },
    )
}

fn mv() -> impl Strategy<Value = UkiMove> {
    prop_oneof![
        1 => Just(UkiMove::Swap),
        9 => (1_u32..=26, any::<bool>()).prop_map(|(number, is_south)| {
            let side = if is_south { Side::South } else { Side::North };
            UkiMove::Sow(side, House::new(number).expect("from 1 to 26"))
        }),
    ]
}

fn info() -> impl Strategy<Value = Info> {
    let score = (any::<i32>(), any::<bool>()).prop_map(|(seeds, is_exact)| {
        let gain = Gain::new(seeds);
        if is_exact {
            Score::Exact(gain)
        } else {
            Score::Estimate(gain)
        }
    });
    let total = ResultChances::TOTAL;
    let wdl = (0..=total, 0..=total).prop_map(move |(one, other)| {
        let (win, until_tie) = (one.min(other), one.max(other));
        let wdl = ResultChances::new(win, until_tie - win, total - until_tie);
        wdl.expect("they add up to the total")
    });
    (
        of(any::<u32>()),
        of(any::<u64>()),
        of(any::<u64>()),
        of(any::<u16>()),
        of(milliseconds()),
        of(any::<u8>()),
        of(score),
        of(wdl),
        prop::collection::vec(mv(), 0..20),
    )
        .prop_map(
            |(depth, nodes, nps, hash_fullness, time, rank, score, wdl, line)| Info {
                depth,
                nodes,
                nps,
                hash_fullness,
                time,
                rank,
                score,
                wdl,
                pv: line,
            },
        )
}

fn kind() -> impl Strategy<Value = OptionKind> {
    let spin = any::<[i64; 3]>().prop_map(|mut values| {
        values.sort_unstable();
        let [min, default, max] = values;
        OptionKind::Spin { default, min, max }
    });
    let combo = prop::collection::vec(name(), 1..5).prop_flat_map(|values| {
        let default = prop::sample::select(values.clone());
        default.prop_map(move |default| OptionKind::Combo {
            default,
            values: values.clone(),
        })
    });
    prop_oneof![
        spin,
        any::<bool>().prop_map(|default| OptionKind::Check { default }),
        combo,
        one_line().prop_map(|default| OptionKind::Text { default }),
        Just(OptionKind::Button),
    ]
}

fn host_message() -> impl Strategy<Value = HostMessage> {
    prop_oneof![
        Just(HostMessage::Uki),
        Just(HostMessage::IsReady),
        Just(HostMessage::NewGame),
        (name(), of(one_line())).prop_map(|(name, value)| HostMessage::SetOption { name, value }),
        game().prop_map(|game| HostMessage::Position(Box::new(game))),
        go().prop_map(HostMessage::Go),
        Just(HostMessage::Stop),
        Just(HostMessage::Quit),
    ]
}

fn engine_message() -> impl Strategy<Value = EngineMessage> {
    prop_oneof![
        one_line().prop_map(EngineMessage::Name),
        one_line().prop_map(EngineMessage::Author),
        (name(), kind())
            .prop_map(|(name, kind)| EngineMessage::Option(EngineOption { name, kind })),
        Just(EngineMessage::UkiOk),
        Just(EngineMessage::ReadyOk),
        info().prop_map(EngineMessage::Info),
        one_line().prop_map(EngineMessage::InfoString),
        of(mv()).prop_map(EngineMessage::BestMove),
        one_line().prop_map(EngineMessage::Error),
    ]
}

/// Returns a line with more blanks between its words.
fn with_more_blanks(line: &str) -> String {
    format!("\t {} \r", line.replace(' ', " \t  "))
}

proptest! {
    #[test]
    fn host_messages_round_trip(message in host_message()) {
        let line = message.to_string();
        prop_assert!(!line.chars().any(char::is_control), "{line:?}");
        prop_assert_eq!(line.parse(), Ok(message.clone()), "{}", line);
        prop_assert_eq!(with_more_blanks(&line).parse(), Ok(message), "{}", line);
    }

    #[test]
    fn engine_messages_round_trip(message in engine_message()) {
        let line = message.to_string();
        prop_assert!(!line.chars().any(char::is_control), "{line:?}");
        prop_assert_eq!(line.parse(), Ok(message.clone()), "{}", line);
        prop_assert_eq!(with_more_blanks(&line).parse(), Ok(message), "{}", line);
    }
}
