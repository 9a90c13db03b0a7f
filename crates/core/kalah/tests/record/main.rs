//! Game records: their text, their tags, their errors, and texts made to overload the parser.

use kalah::record::Record;

mod errors;
mod hostile;
mod round_trip;
mod tags;
mod text;

/// South sows the one seed of its house B into its store, and nothing is left to sow.
const LAST_PLY: &str = r#"[Position "<2,5,0,0,1,0,1> s"]"#;

/// Parses a text that must hold exactly one game.
fn parse(text: &str) -> Record {
    text.parse()
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}
