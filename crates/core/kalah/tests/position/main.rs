//! Positions, rules and their texts: against the reference implementation, by properties, and by
//! cases worked out by hand.

mod cases;
mod mankalah;
mod margins;
mod properties;
mod reference;
mod strategies;
mod text;
