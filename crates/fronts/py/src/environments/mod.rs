//! Many games at once, and positions with their exact values.

pub(crate) mod dataset;
pub(crate) mod vector_env;
