//! The check that one type name has one meaning: that no two files define types of the same name.

use std::collections::BTreeMap;

use super::rust_tokens::rust_tokens;

/// Names that more than one file may define, with the reason.
const EXCEPTIONS: [(&str, &str); 1] = [(
    "InputReader",
    "each system has a file of its own, and one of them is compiled",
)];

/// The keywords after which the name of a type follows.
const DEFINING_KEYWORDS: [&str; 5] = ["struct", "enum", "trait", "type", "union"];

/// The definition of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TypeDefinition {
    pub(super) path: String,
    /// The line, from 1.
    pub(super) line: usize,
}

/// The types that the Rust files define, by their names.
#[derive(Debug, Default)]
pub(super) struct TypeNames {
    definitions: BTreeMap<String, Vec<TypeDefinition>>,
}

impl TypeNames {
    /// Adds the types of a Rust file. Types in functions are local, and associated types belong to
    /// their trait: neither is added.
    pub(super) fn add_file(&mut self, path: &str, code: &str) {
        let tokens = rust_tokens(code);
        // For each open brace, whether it is that of a module.
        let mut braces: Vec<bool> = Vec::new();
        for (index, token) in tokens.iter().enumerate() {
            match token.text {
                "{" => {
                    let keyword = index.checked_sub(2).map(|index| tokens[index].text);
                    braces.push(keyword == Some("mod"));
                }
                "}" => {
                    braces.pop();
                }
                keyword if DEFINING_KEYWORDS.contains(&keyword) => {
                    let name = tokens.get(index + 1).map_or("", |next| next.text);
                    if name.starts_with(char::is_uppercase) && braces.iter().all(|&is_mod| is_mod) {
                        let definitions = self.definitions.entry(name.to_owned()).or_default();
                        definitions.push(TypeDefinition {
                            path: path.to_owned(),
                            line: token.line,
                        });
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns each definition of a name that another file has defined before, with the name and
    /// the other definition.
    pub(super) fn repeated(
        &self,
    ) -> impl Iterator<Item = (&str, &TypeDefinition, &TypeDefinition)> {
        let is_exception = |name: &str| EXCEPTIONS.iter().any(|&(exception, _)| exception == name);
        (self.definitions.iter())
            .filter(move |(name, _)| !is_exception(name))
            .filter_map(|(name, definitions)| Some((name, definitions.split_first()?)))
            .flat_map(|(name, (first, others))| {
                let others = others.iter().filter(|other| other.path != first.path);
                others.map(move |other| (name.as_str(), other, first))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names that two files define, with the lines in the second one.
    fn repeated(one: &str, other: &str) -> Vec<(String, usize)> {
        let mut names = TypeNames::default();
        names.add_file("a.rs", one);
        names.add_file("b.rs", other);
        let repeated = names.repeated();
        let repeated = repeated.inspect(|(_, other, first)| {
            assert_eq!((other.path.as_str(), first.path.as_str()), ("b.rs", "a.rs"));
        });
        repeated
            .map(|(name, other, _)| (name.to_owned(), other.line))
            .collect()
    }

    #[test]
    fn types_of_the_same_name_in_two_files_are_repeated() {
        for (one, other) in [
            ("struct Node;", "pub enum Node { Leaf }"),
            ("pub(crate) trait Node {}", "type Node = u8;"),
            (
                "union Node { a: u8 }",
                "mod tests { mod inner { struct Node; } }",
            ),
        ] {
            assert_eq!(
                repeated(one, other),
                [("Node".to_owned(), 1)],
                "{one} {other}"
            );
        }
        assert_eq!(
            repeated("struct Node;", "\nstruct Other;\nstruct Node;"),
            [("Node".to_owned(), 3)]
        );
    }

    #[test]
    fn other_names_local_types_and_associated_types_are_not_repeated() {
        for other in [
            "struct Nodes; // struct Node;",
            "fn f() { struct Node; }",
            "impl Iterator for X { type Node = u8; }",
            "trait X { type Node; }",
            "macro_rules! node { () => { struct Node; } }",
            "enum Kind { Node { r#type: Node } }",
        ] {
            assert_eq!(repeated("struct Node;", other), [], "{other}");
        }
        let (name, _) = EXCEPTIONS[0];
        let code = format!("struct {name};");
        assert_eq!(repeated(&code, &code), []);
    }

    #[test]
    fn one_file_may_define_a_name_for_two_configurations() {
        let mut names = TypeNames::default();
        names.add_file(
            "a.rs",
            "#[cfg(unix)] struct Node; #[cfg(windows)] struct Node;",
        );
        assert_eq!(names.repeated().count(), 0);
    }
}
