//! Positions, rules and their texts, against the slow obvious twin and by hand.

mod edges;
mod laws;
mod mankalah;
mod margins;
mod samples;
mod texts;
mod twin;
