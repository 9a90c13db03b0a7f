use std::time::Duration;

use kalah_arena::{Elo, Sprt, Tournament};
use kalah_players::MemorySize;
use serde::{Deserialize, Serialize};

use super::plan::{ArenaConfig, ContestantConfig};
use crate::Adjudication;

/// A [`Plan`] as the file `tournament.json` has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TournamentFile {
    /// Of this form of the file.
    version: u32,
    tournament: Tournament,
    engines: Vec<EngineEntry>,
    time_control: String,
    grace_ms: u64,
    adjudicate_seeds: Option<u8>,
    sprt: Option<SprtEntry>,
    memory: String,
    /// In the form of a file of openings, with the board and the rules.
    openings: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EngineEntry {
    name: String,
    spec: String,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SprtEntry {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

const FORMAT_VERSION: u32 = 2;

impl TournamentFile {
    pub(super) fn from_config(plan: &ArenaConfig) -> Self {
        let points = |elo: Elo| elo.points().unwrap_or_default();
        Self {
            version: FORMAT_VERSION,
            tournament: plan.tournament,
            engines: (plan.contestants.iter())
                .map(|entrant| EngineEntry {
                    name: entrant.name.clone(),
                    spec: entrant.spec.to_string(),
                })
                .collect(),
            time_control: plan.time_control.to_string(),
            grace_ms: u64::try_from(plan.grace.as_millis()).unwrap_or(u64::MAX),
            adjudicate_seeds: plan.adjudication.map(|adjudication| adjudication.max_seeds),
            sprt: plan.sprt.map(|sprt| SprtEntry {
                elo0: points(sprt.elo0()),
                elo1: points(sprt.elo1()),
                alpha: sprt.alpha(),
                beta: sprt.beta(),
            }),
            memory: plan.memory.to_string(),
            openings: plan.openings.to_string(),
        }
    }

    /// The plan, or what is wrong with it.
    pub(super) fn into_config(self) -> Result<ArenaConfig, String> {
        if self.version != FORMAT_VERSION {
            return Err(format!(
                "it is of version {}, and this program knows {FORMAT_VERSION}",
                self.version
            ));
        }
        let mut entrants = Vec::new();
        for EngineEntry { name, spec: engine } in self.engines {
            let spec = engine.parse().map_err(|reason| format!("{reason}"));
            entrants.push(ContestantConfig { name, spec: spec? });
        }
        if entrants.len() != self.tournament.contestants {
            return Err("it has another number of engines than of contestants".to_owned());
        }
        let sprt = self.sprt.map(
            |SprtEntry {
                 elo0,
                 elo1,
                 alpha,
                 beta,
             }| {
                let elo = |points| {
                    Elo::new(points).ok_or_else(|| format!("{points} is no number of Elo"))
                };
                Sprt::new(elo(elo0)?, elo(elo1)?, alpha, beta).map_err(|reason| reason.to_string())
            },
        );
        let memory: Result<MemorySize, _> = self.memory.parse();
        Ok(ArenaConfig {
            tournament: self.tournament,
            contestants: entrants,
            openings: self
                .openings
                .parse()
                .map_err(|reason| format!("openings, {reason}"))?,
            time_control: self
                .time_control
                .parse()
                .map_err(|reason| format!("{reason}"))?,
            grace: Duration::from_millis(self.grace_ms),
            adjudication: self
                .adjudicate_seeds
                .map(|seeds| Adjudication { max_seeds: seeds }),
            sprt: sprt.transpose()?,
            memory: memory.map_err(|reason| reason.to_string())?,
        })
    }
}
