//! Errors, and games with an early ending.

use kalah::{Side, Termination};
use kalah_kgp::KGP_LOG;

#[test]
fn an_error_names_its_line_and_spares_the_other_games() {
    let text = "8 state <2,0,0,1,1,1,1>\n9@8 move 2\n9@8 yield\n10 state <2,0,0,1,1,1>\n";
    let imported = KGP_LOG.import(text, None);
    assert_eq!(imported.records.len(), 1, "{imported:?}");
    let [error] = &imported.errors[..] else {
        panic!("{imported:?}");
    };
    assert_eq!(
        error.to_string(),
        "line 4: `10 state <2,0,0,1,1,1>`: `<2,0,0,1,1,1>` is no board: expected 6 numbers \
         after the first for 2 houses a side, found 5"
    );
}

#[test]
fn an_early_ending_is_recorded() {
    let illegal = "8 state <2,0,0,1,1,1,1>\n9@8 move 1\n9@8 yield\n\
                   12 state <2,0,0,0,2,1,1>\n13@12 move 1\n@12 stop\n";
    let decided = "8 state <2,2,0,0,1,1,0>\n9@8 move 2\n9@8 yield\n";
    let imported = KGP_LOG.import(decided, None);
    assert_eq!(imported.errors, []);
    let ending = imported.records[0].ending();
    assert_eq!(ending.termination, Termination::Normal);
    assert_eq!(ending.winner, Some(Side::South));
    let imported = KGP_LOG.import(illegal, None);
    let ending = imported.records.last().expect("a game").ending();
    assert_eq!(ending.termination, Termination::Illegal, "{imported:?}");
}
