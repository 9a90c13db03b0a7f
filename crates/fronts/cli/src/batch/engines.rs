//! The engines of a batch.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use clap::Args;
use kalah::{Position, Variant};
use kalah_engine::{Engine, Limits};
use kalah_players::{EngineFactory, available_threads};

use super::rows::BATCH_HEADING;
use super::source::ItemKind;
use crate::args::search::BookSearchOptions;
use crate::args::values::{MAX_THREADS, whole_number_parser};
use crate::error::CliError;
use crate::interrupt;

/// The options of the searches of a batch.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct BatchSearchOptions {
    /// Search this many positions or games at the same time, each with an equal part of the threads
    /// [default: the number of threads]
    #[arg(long, value_name = "N", value_parser = whole_number_parser(NonZeroUsize::MIN, MAX_THREADS), help_heading = BATCH_HEADING)]
    jobs: Option<NonZeroUsize>,
}

impl BatchSearchOptions {
    /// Checks that no option is given for a single item.
    ///
    /// # Errors
    /// [`CliError::Usage`] that names the option.
    pub(crate) fn refuse_for_one(&self, kind: ItemKind) -> Result<(), CliError> {
        match self.jobs {
            Some(_) => Err(kind.only_for_batches("--jobs")),
            None => Ok(()),
        }
    }
}

/// The tables that an engine keeps from a position to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeptTables {
    /// All of them.
    All,
    /// Those of files alone. Each engine may use the whole memory limit, so that no
    /// result depends on other positions or on the number of jobs.
    Files,
}

impl KeptTables {
    /// Returns the tables for searches with `limits`: results of searches that nodes or the depth
    /// limit are reproducible.
    pub(crate) const fn for_limits(limits: Limits) -> Self {
        if limits.nodes.is_some() || limits.depth.is_some() {
            Self::Files
        } else {
            Self::All
        }
    }
}

/// Builds the engines of a batch.
pub(crate) struct BatchEngines<'a> {
    options: &'a BookSearchOptions,
    jobs: NonZeroUsize,
    threads: NonZeroUsize,
    kept: KeptTables,
    /// A factory for each variant of the positions so far.
    factories: Mutex<Vec<(Variant, EngineFactory)>>,
}

impl<'a> BatchEngines<'a> {
    pub(crate) fn new(
        options: &'a BookSearchOptions,
        batch: &BatchSearchOptions,
        kept: KeptTables,
    ) -> Self {
        let threads = options.resources.threads.unwrap_or_else(available_threads);
        let jobs = batch.jobs.unwrap_or(threads);
        Self {
            options,
            jobs,
            threads: NonZeroUsize::new(threads.get() / jobs).unwrap_or(NonZeroUsize::MIN),
            kept,
            factories: Mutex::default(),
        }
    }

    /// Returns the number of positions that are searched at the same time.
    pub(crate) fn jobs(&self) -> NonZeroUsize {
        self.jobs
    }

    /// Returns the engine of a thread.
    pub(crate) fn worker(&'a self) -> BatchEngine<'a> {
        BatchEngine {
            engines: self,
            engine: None,
        }
    }

    fn factory(&self, position: &Position) -> Result<EngineFactory, CliError> {
        let variant = Variant::from_position(position);
        let mut factories = (self.factories.lock()).unwrap_or_else(PoisonError::into_inner);
        if let Some((_, factory)) = factories.iter().find(|(known, _)| *known == variant) {
            return Ok(factory.clone());
        }
        let factory = self.options.factory(position)?.with_threads(self.threads);
        let factory = factory.with_stop_flag(interrupt::listen().flag());
        let factory = match self.kept {
            KeptTables::All => factory.with_group_size(self.jobs),
            KeptTables::Files => factory,
        };
        factories.push((variant, factory.clone()));
        Ok(factory)
    }
}

/// The engine of a thread of a batch.
pub(crate) struct BatchEngine<'a> {
    engines: &'a BatchEngines<'a>,
    engine: Option<(Variant, Engine)>,
}

impl BatchEngine<'_> {
    /// Returns the engine for a position.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the folder with tables cannot be read.
    pub(crate) fn for_position(&mut self, position: &Position) -> Result<&mut Engine, CliError> {
        let variant = Variant::from_position(position);
        let kept = self
            .engine
            .take()
            .filter(|(known, _)| *known == variant && self.engines.kept == KeptTables::All);
        let engine = match kept {
            Some(kept) => kept,
            None => (variant, self.new_engine(position)?),
        };
        Ok(&mut self.engine.insert(engine).1)
    }

    fn new_engine(&self, position: &Position) -> Result<Engine, CliError> {
        let factory = self.engines.factory(position)?;
        Ok(match self.engines.kept {
            KeptTables::All => factory.build(),
            KeptTables::Files => factory.fork_tables().build(),
        })
    }
}
