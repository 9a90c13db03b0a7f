//! The check that code which reads rules of the game names each of their fields.
//!
//! The compiler then finds the code when a field is added. Code that leaves fields out, with `..`
//! or by reading one field, would still compile, and a hash table or an endgame table of one rule
//! set would serve another.

use super::rust_tokens::{RustToken, rust_tokens};

/// The types whose fields each reader names.
const RULES_TYPES: [&str; 4] = ["Rules", "HouseRules", "FirstPlyRules", "Variant"];

/// The fields of those types on which a game depends.
const RULES_FIELDS: [&str; 4] = ["ends", "capture", "swap", "first_bonus"];

/// The end of the names of values of those types.
const RULES_VALUE: &str = "rules";

/// The files that define those types, in which they are `Self` and `self`.
const DEFINING_FILES: [&str; 2] = [
    "crates/core/kalah/src/rules/mod.rs",
    "crates/core/kalah/src/rules/variant.rs",
];

/// Tokens before the name of a type after which a brace does not begin its fields.
const NO_FIELDS_AFTER: [&str; 4] = ["impl", "for", "->", "struct"];

pub(super) const REASON: &str =
    "name each field of the rules, so that the compiler finds this place when a field is added";

/// Returns the lines of a Rust file that leave out fields of the rules, with the type or the field.
pub(super) fn partial_reads<'a>(path: &str, code: &'a str) -> Vec<(usize, &'a str)> {
    let tokens = rust_tokens(code);
    let is_defining = DEFINING_FILES.contains(&path);
    let mut reads = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let is_type = RULES_TYPES.contains(&token.text) || is_defining && token.text == "Self";
        let previous = index.checked_sub(1).map_or("", |index| tokens[index].text);
        if is_type
            && !NO_FIELDS_AFTER.contains(&previous)
            && let Some(line) = line_of_rest(&tokens[index + 1..])
        {
            reads.push((line, token.text));
        }
        if RULES_FIELDS.contains(&token.text) && is_field_of_rules(&tokens, index, is_defining) {
            reads.push((token.line, token.text));
        }
    }
    reads
}

/// Returns the line of a `..` in the braces with which `tokens` begin.
fn line_of_rest(tokens: &[RustToken<'_>]) -> Option<usize> {
    let mut depth = 0_usize;
    for token in tokens {
        match token.text {
            "{" => depth += 1,
            _ if depth == 0 => return None,
            "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            ".." if depth == 1 => return Some(token.line),
            _ => {}
        }
    }
    None
}

/// Returns whether the token is a field after a dot and a name that ends in `rules`.
fn is_field_of_rules(tokens: &[RustToken<'_>], index: usize, is_defining: bool) -> bool {
    let is_call = (tokens.get(index + 1)).is_some_and(|next| next.text == "(");
    let mut before = tokens[..index]
        .iter()
        .rev()
        .map(|token| token.text)
        .peekable();
    if is_call || before.next() != Some(".") {
        return false;
    }
    // The value can be the result of a function without arguments.
    before.next_if_eq(&")");
    before.next_if_eq(&"(");
    before.next().is_some_and(|value| {
        value.to_ascii_lowercase().ends_with(RULES_VALUE) || is_defining && value == "self"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_and_reads_that_leave_out_fields_are_reported() {
        for (code, expected) in [
            ("let Rules { house_rules, .. } = rules;", &["Rules"][..]),
            (
                "let kalah::HouseRules { ends, .. } = rules;",
                &["HouseRules"],
            ),
            (
                "let HouseRules {\n    ends,\n    ..\n} = rules;",
                &["HouseRules"],
            ),
            ("Rules { house_rules, ..Rules::CS32 }", &["Rules"]),
            (
                "Rules { house_rules: HouseRules { .. }, first_ply_rules }",
                &["HouseRules"],
            ),
            (
                "matches!(rules, Rules { first_ply_rules: FirstPlyRules { swap: true, .. }, .. })",
                &["Rules", "FirstPlyRules"],
            ),
            ("if start.rules().first_ply_rules.swap {", &["swap"]),
            ("rules.ends == EndRule::Row", &["ends"]),
            ("RULES\n    .first_bonus", &["first_bonus"]),
            ("game.house_rules().capture", &["capture"]),
        ] {
            let types: Vec<&str> = partial_reads("a.rs", code)
                .iter()
                .map(|read| read.1)
                .collect();
            assert_eq!(types, expected, "{code}");
        }
    }

    #[test]
    fn exhaustive_patterns_and_other_types_are_not_reported() {
        for code in [
            "let HouseRules { ends, capture: _ } = rules;",
            "let rules = HouseRules { ends: [1, 2][..].len(), capture };",
            "impl Rules { const RANGE: Range<u8> = 0..2; }",
            "fn rules(self) -> Rules { match self { Self { a, .. } => a } }",
            "Ply { rules, .. }",
            "self.ends.push(end)",
            "rules.capture(house)",
            "// Rules { .. }",
        ] {
            assert_eq!(partial_reads("a.rs", code), [], "{code}");
        }
    }

    #[test]
    fn self_is_checked_where_the_types_are_defined() {
        for code in ["let Self { ends, .. } = self;", "self.swap"] {
            assert_eq!(partial_reads("a.rs", code), [], "{code}");
            assert_eq!(partial_reads(DEFINING_FILES[0], code).len(), 1, "{code}");
        }
    }
}
