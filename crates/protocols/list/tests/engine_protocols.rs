//! The protocols of contestants, as text names them.

use std::collections::HashSet;

use kalah_players::{ContestantSpec, ParseContestantSpecError};
use kalah_protocols::ENGINE_PROTOCOLS;

fn error(text: &str) -> String {
    let parsed: Result<ContestantSpec, ParseContestantSpecError> =
        ContestantSpec::parse(text, ENGINE_PROTOCOLS);
    parsed.expect_err(text).to_string()
}

#[test]
fn each_protocol_has_a_name_of_its_own_and_parses_by_it() {
    let names: HashSet<&str> = ENGINE_PROTOCOLS
        .iter()
        .map(|protocol| protocol.name)
        .collect();
    assert_eq!(names.len(), ENGINE_PROTOCOLS.len());
    for &protocol in ENGINE_PROTOCOLS {
        let text = format!("cmd='./bot',proto={}", protocol.name);
        let spec = ContestantSpec::parse(&text, ENGINE_PROTOCOLS).expect(&text);
        assert_eq!(spec.protocol(), Some(protocol));
        assert_eq!(spec.to_string(), text);
    }
    let default = ContestantSpec::parse("cmd=./bot", ENGINE_PROTOCOLS).expect("a program");
    assert_eq!(
        default.protocol().map(|protocol| protocol.name),
        Some("uki")
    );
}

#[test]
fn errors_name_all_protocols_and_those_with_options() {
    for (text, message) in [
        (
            "cmd=x,proto=uci",
            "`uci` is not a protocol: expected uki, kgp-child or mankalah",
        ),
        (
            "cmd=x,proto=kgp-child,option.A=1",
            "`A` is not an option of a kgp-child: the only one is StartTime",
        ),
        (
            "cmd=x,proto=mankalah,option.A=1",
            "only engines that speak uki or kgp-child have options",
        ),
        (
            "cmd=x,option.=1",
            "``: expected the name of an option, one word",
        ),
    ] {
        assert_eq!(error(text), message, "{text}");
    }
    let player = error("smrt");
    let example = "; a program is given as cmd='./mybot --fast',proto=uki";
    assert!(player.ends_with(example), "{player}");
}

#[test]
fn option_values_are_one_line() {
    let text = "cmd=x,option.Player= level:3\t ";
    let spec = ContestantSpec::parse(text, ENGINE_PROTOCOLS).expect(text);
    assert_eq!(spec.to_string(), "cmd='x',proto=uki,option.Player=level:3");
}
