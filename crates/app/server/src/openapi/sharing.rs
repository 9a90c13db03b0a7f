//! The operations of records under short addresses.

use kalah_store::SHARED_ID_PATTERN;
use serde_json::{Value, json};

use crate::openapi::{ApiOperation, BODY_ERRORS, Schemas};
use crate::sharing::records::{ShareRequest, ShareResponse, SharedRecordResponse, SharingResponse};

/// Returns the operations of records under short addresses.
pub(super) fn sharing_paths(schemas: &mut Schemas) -> Value {
    json!({
        "/api/v1/shared": {
            "get": ApiOperation::new("sharing", "Returns whether the server keeps records.")
                .with_response("200", "The settings.", &schemas.response::<SharingResponse>()),
            "post": ApiOperation::new("share", "Keeps a record under a short address.")
                .with_errors(&BODY_ERRORS)
                .with_errors(&[
                    ("403", "SharingOff"),
                    ("503", "ShuttingDown"),
                    ("507", "SharingFull"),
                ])
                .with_request(
                    &schemas.request::<ShareRequest>(),
                    &json!({"text": "1. CF c 2. A d *\n"}),
                )
                .with_response("201", "The id.", &schemas.response::<ShareResponse>()),
        },
        "/api/v1/shared/{id}": {
            "parameters": [{
                "name": "id",
                "in": "path",
                "required": true,
                "description": "The id of the record.",
                "schema": {"type": "string", "pattern": SHARED_ID_PATTERN},
            }],
            "get": ApiOperation::new("shared_record", "Returns a record.")
                .with_errors(&[("404", "RecordNotFound"), ("503", "ShuttingDown")])
                .with_response("200", "The record.", &schemas.response::<SharedRecordResponse>()),
        },
    })
}
