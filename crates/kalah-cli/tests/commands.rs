//! Every command, what it prints, and its errors: the snapshots in `tests/cmd`.
//!
//! After a change on purpose, `TRYCMD=overwrite cargo test -p kalah-cli --test commands` writes them
//! anew.

#[test]
fn commands_print_what_their_snapshots_show() {
    trycmd::TestCases::new()
        .env("COLUMNS", "100")
        .case("tests/cmd/*.trycmd")
        .case("tests/cmd/*.toml");
}
