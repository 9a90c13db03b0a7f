//! A router that lists its routes, so that the description of the API can be compared with them.

use std::mem;

use axum::Router;
use axum::handler::Handler;
use axum::http::Method;
use axum::routing::{MethodFilter, on};

use crate::state::SharedState;

/// A router together with the list of its API routes.
#[derive(Default)]
pub(crate) struct Routes {
    router: Router<SharedState>,
    paths: Vec<(Method, String)>,
}

impl Routes {
    /// Adds a handler of `GET` at `path`.
    #[must_use]
    pub(crate) fn get<H, T>(mut self, path: &str, handler: H) -> Self
    where
        H: Handler<T, SharedState>,
        T: 'static,
    {
        self.add(Method::GET, path.to_owned(), handler);
        self
    }

    /// Adds a handler of `POST` at `path`.
    #[must_use]
    pub(crate) fn post<H, T>(mut self, path: &str, handler: H) -> Self
    where
        H: Handler<T, SharedState>,
        T: 'static,
    {
        self.add(Method::POST, path.to_owned(), handler);
        self
    }

    /// Adds a handler of `GET` or `POST` at `path`.
    pub(crate) fn add<H, T>(&mut self, method: Method, path: String, handler: H)
    where
        H: Handler<T, SharedState>,
        T: 'static,
    {
        let filter = if method == Method::GET {
            MethodFilter::GET
        } else {
            MethodFilter::POST
        };
        let router = mem::take(&mut self.router);
        self.router = router.route(&path, on(filter, handler));
        self.paths.push((method, path));
    }

    /// Returns the method and the path of each route.
    pub(crate) fn into_paths(self) -> Vec<(Method, String)> {
        self.paths
    }

    /// Returns the router of the routes.
    pub(crate) fn into_router(self) -> Router<SharedState> {
        self.router
    }
}
