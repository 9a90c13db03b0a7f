//! The JSON schemas of all endpoints.

use kalah_api::{Endpoint, EndpointVisitor, Execution, ProblemDetails, visit_endpoints};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// The schemas of all endpoints.
pub(crate) struct EndpointSchemas {
    /// The endpoints in the order of the list.
    pub(crate) endpoints: Vec<EndpointSchema>,
    /// The schemas of named types, to which the others refer.
    pub(crate) definitions: Map<String, Value>,
}

/// The schemas of an endpoint.
pub(crate) struct EndpointSchema {
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    /// `None` if the request has no fields.
    pub(crate) request: Option<Value>,
    pub(crate) response: Value,
    /// Whether the execution occupies an engine.
    pub(crate) occupies_engine: bool,
}

impl EndpointSchemas {
    /// Collects the schemas of all endpoints.
    ///
    /// # Panics
    /// Panics if a type has different schemas in requests and in responses.
    pub(crate) fn collect() -> Self {
        let mut collector = SchemaCollector {
            requests: (SchemaSettings::draft2020_12().for_deserialize()).into_generator(),
            responses: (SchemaSettings::draft2020_12().for_serialize()).into_generator(),
            endpoints: Vec::new(),
        };
        visit_endpoints(&mut collector);
        collector.responses.subschema_for::<ProblemDetails>();
        let mut definitions = collector.requests.take_definitions(true);
        for (name, schema) in collector.responses.take_definitions(true) {
            let earlier = definitions.insert(name.clone(), schema.clone());
            assert!(
                earlier.is_none_or(|earlier| earlier == schema),
                "{name} has two schemas"
            );
        }
        Self {
            endpoints: collector.endpoints,
            definitions,
        }
    }
}

/// Collects the schemas of the endpoints that it visits. A field with a default is optional in a
/// request, but always present in a response.
struct SchemaCollector {
    requests: SchemaGenerator,
    responses: SchemaGenerator,
    endpoints: Vec<EndpointSchema>,
}

impl EndpointVisitor for SchemaCollector {
    fn visit<Q: Endpoint>(&mut self) {
        let request = match Q::EXECUTION {
            Execution::Constant(_) => None,
            _ => Some(self.requests.subschema_for::<Q>().to_value()),
        };
        self.endpoints.push(EndpointSchema {
            name: Q::NAME,
            summary: Q::SUMMARY,
            request,
            response: self.responses.subschema_for::<Q::Response>().to_value(),
            occupies_engine: Q::EXECUTION.occupies_engine(),
        });
    }
}
