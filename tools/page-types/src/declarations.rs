//! Declarations of TypeScript from JSON schemas.

use kalah_api::{MOVE_PATTERN, PIT_PATTERN};
use serde_json::{Map, Value};

use crate::schemas::{EndpointSchema, EndpointSchemas};

/// The text before the declarations from schemas.
const PREAMBLE: &str = "\
// The requests and responses of the API. `npm run api` writes this file from the types of
// kalah-api.

/** A value for each side. */
export interface BySide<T> {
  south: T;
  north: T;
}

/** A house by its letter, capital for South's and small for North's, or a store by its side. */
export type Pit = string;

/** A house by its letter, or `swap`. */
export type Move = string;
";

/// The types of texts, by their patterns.
const TEXT_TYPES: [(&str, &str); 2] = [(MOVE_PATTERN, "Move"), (PIT_PATTERN, "Pit")];

/// The suffix of types of Rust that are views of types of the engine. The page has no other types
/// of these names, so that its types go without it.
const VIEW_SUFFIX: &str = "View";

/// The path of named schemas, to which the others refer.
const DEFINITIONS_PATH: &str = "#/$defs/";

/// Returns the declarations of the types of all endpoints.
///
/// # Panics
/// Panics if a schema has a form that has no translation, or if a type has different schemas in
/// requests and in responses.
pub fn page_types() -> String {
    let EndpointSchemas {
        endpoints,
        definitions,
    } = EndpointSchemas::collect();
    let mut declarations = vec![PREAMBLE.to_owned()];
    let named_types = definitions.iter();
    declarations.extend(named_types.map(|(name, schema)| declaration(type_name(name), schema)));
    declarations.push(endpoints_declaration(&endpoints));
    declarations.push(search_endpoint_declaration(&endpoints));
    declarations.join("\n")
}

/// Returns the declaration of the requests and responses by endpoint.
fn endpoints_declaration(endpoints: &[EndpointSchema]) -> String {
    let fields: String = (endpoints.iter())
        .flat_map(|endpoint| {
            let request = (endpoint.request.as_ref()).map_or_else(|| "null".to_owned(), type_text);
            let response = type_text(&endpoint.response);
            let name = endpoint.name;
            [
                doc_comment("  ", endpoint.summary),
                format!("  {name}: {{ request: {request}; response: {response} }};\n"),
            ]
        })
        .collect();
    let comment = "The requests and responses by endpoint; a request without fields is `null`.";
    let comment = doc_comment("", comment);
    format!("{comment}export interface Endpoints {{\n{fields}}}\n")
}

/// Returns the declaration of the names of the endpoints that occupy an engine.
fn search_endpoint_declaration(endpoints: &[EndpointSchema]) -> String {
    let searches = endpoints.iter().filter(|endpoint| endpoint.occupies_engine);
    let names = union(searches.map(|endpoint| format!("\"{}\"", endpoint.name)));
    let comment = "The endpoints that search, or prepare a search, up to a time limit.";
    let comment = doc_comment("", comment);
    format!("{comment}export type SearchEndpoint = {names};\n")
}

/// Returns the name of a type in the page.
fn type_name(name: &str) -> &str {
    name.strip_suffix(VIEW_SUFFIX).unwrap_or(name)
}

/// Returns the declaration of a named type.
fn declaration(name: &str, schema: &Value) -> String {
    let comment = description(schema).map_or_else(String::new, |text| doc_comment("", text));
    let Some(fields) = schema["properties"].as_object() else {
        return format!("{comment}export type {name} = {};\n", type_text(schema));
    };
    let fields: String = (fields.iter())
        .flat_map(|(field, field_schema)| {
            let comment = description(field_schema).map(|text| doc_comment("  ", text));
            let mark = if is_required(schema, field) { "" } else { "?" };
            let field_type = type_text(field_schema);
            [
                comment.unwrap_or_default(),
                format!("  {field}{mark}: {field_type};\n"),
            ]
        })
        .collect();
    format!("{comment}export interface {name} {{\n{fields}}}\n")
}

fn description(schema: &Value) -> Option<&str> {
    schema["description"].as_str()
}

fn is_required(schema: &Value, field: &str) -> bool {
    let required = schema["required"].as_array();
    required.is_some_and(|required| required.iter().any(|name| name == field))
}

/// Returns a comment of one line: `None` is `null` in JSON.
fn doc_comment(indent: &str, description: &str) -> String {
    let text = description.replace("`None`", "`null`").replace('\n', " ");
    format!("{indent}/** {text} */\n")
}

/// Returns the type of the values that a schema describes.
fn type_text(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return type_name(reference.trim_start_matches(DEFINITIONS_PATH)).to_owned();
    }
    if !schema["const"].is_null() {
        return schema["const"].to_string();
    }
    if let Some(values) = schema["enum"].as_array() {
        return union(values.iter().map(Value::to_string));
    }
    let variants = schema["oneOf"].as_array().or(schema["anyOf"].as_array());
    if let Some(variants) = variants {
        return union(variants.iter().map(type_text));
    }
    match &schema["type"] {
        Value::String(name) => named_type_text(name, schema),
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str);
            union(names.map(|name| named_type_text(name, schema)))
        }
        _ => panic!("this schema has no type of TypeScript: {schema}"),
    }
}

fn union(types: impl Iterator<Item = String>) -> String {
    types.collect::<Vec<_>>().join(" | ")
}

/// Returns the type of the values with this `type` of JSON that a schema describes.
fn named_type_text(name: &str, schema: &Value) -> String {
    match name {
        "null" | "boolean" => name.to_owned(),
        "integer" | "number" => "number".to_owned(),
        "string" => text_type(schema).to_owned(),
        "array" => array_type_text(schema),
        "object" => match schema["properties"].as_object() {
            Some(fields) => object_type_text(schema, fields),
            None => panic!("this object has no fields: {schema}"),
        },
        _ => panic!("`{name}` is not a type of JSON: {schema}"),
    }
}

fn text_type(schema: &Value) -> &'static str {
    let types = TEXT_TYPES.iter();
    let known = types
        .copied()
        .find(|(pattern, _)| schema["pattern"] == *pattern);
    known.map_or("string", |(_, name)| name)
}

fn array_type_text(schema: &Value) -> String {
    if let Some(items) = schema["prefixItems"].as_array() {
        let types: Vec<String> = items.iter().map(type_text).collect();
        return format!("[{}]", types.join(", "));
    }
    let item = type_text(&schema["items"]);
    if item.contains(" | ") {
        format!("({item})[]")
    } else {
        format!("{item}[]")
    }
}

/// Returns the type of an object without a name. An object with a value for each side is a
/// `BySide`.
fn object_type_text(schema: &Value, fields: &Map<String, Value>) -> String {
    if fields.len() == 2
        && let (Some(south), Some(north)) = (fields.get("south"), fields.get("north"))
        && type_text(south) == type_text(north)
    {
        return format!("BySide<{}>", type_text(south));
    }
    let fields: Vec<String> = (fields.iter())
        .map(|(field, field_schema)| {
            let mark = if is_required(schema, field) { "" } else { "?" };
            format!("{field}{mark}: {}", type_text(field_schema))
        })
        .collect();
    format!("{{ {} }}", fields.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_have_fields_optional_fields_and_endpoints() {
        let text = page_types();
        for declaration in [
            "export interface MoveRequest {\n",
            "  move: string;\n",
            "  time?: string | null;\n",
            "export interface MoveResult {\n",
            "  path: Pit[];\n",
            "  effect: SowEffect | null;\n",
            "  swept: BySide<number> | null;\n",
            "  legal_moves: Move[];\n",
            "  line?: Move[];\n",
            "  tags: [string, string][];\n",
            "export type Side = \"south\" | \"north\";\n",
            "  rules: { request: null; response: Preset[] };\n",
            "  move: { request: MoveRequest; response: MoveResult };\n",
            "export type SearchEndpoint = \"analyze\" | \"choose\" | \"prepare\" | \"puzzle\" | ",
        ] {
            assert!(text.contains(declaration), "{declaration} in {text}");
        }
    }
}
