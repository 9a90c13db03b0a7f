//! The file `tournament.json` with the configuration of a tournament.

use std::mem;
use std::time::Duration;

use kalah_players::{ContestantSpec, EngineProtocol};
use serde::{Deserialize, Serialize};

use super::{ArenaConfig, ContestantConfig, SkippedContestant};
use crate::run::error::ConfigFileError;
use crate::run::options::build_sprt;
use crate::run::play::Adjudication;
use crate::schedule::Tournament;
use crate::seal::Seal;
use crate::stats::Elo;
use kalah_parse::parse_json;

/// The form of an [`ArenaConfig`] in `tournament.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::run) struct TournamentFile {
    version: u32,
    tournament: Tournament,
    engines: Vec<EngineEntry>,
    time_control: String,
    grace_ms: u64,
    adjudicate_seeds: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resign: Option<String>,
    sprt: Option<SprtEntry>,
    memory: String,
    /// The text form of [`crate::Openings`], which has the board and the rules.
    openings: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<SkippedEntry>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    log: bool,
    #[serde(default, skip_serializing_if = "is_zero")]
    unlogged_games: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    started_in: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    versions: Vec<String>,
    /// The seal of the text before it.
    #[serde(default, skip_serializing)]
    seal: String,
}

/// The text between the other fields and the seal. No string of JSON has a line feed.
const SEAL_FIELD: &str = ",\n  \"seal\": \"";

/// The text behind the seal.
const FILE_END: &str = "\"\n}";

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EngineEntry {
    name: String,
    spec: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start_fault: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SkippedEntry {
    name: String,
    spec: String,
    reason: String,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SprtEntry {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde requires"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The version of [`TournamentFile`].
const FORMAT_VERSION: u32 = 5;

/// The version of a file, whose other keys depend on it.
#[derive(Deserialize)]
struct TournamentFileVersion {
    version: u32,
}

impl TournamentFile {
    /// Returns the text of the file.
    pub(in crate::run) fn format(config: &ArenaConfig) -> String {
        let file = Self::from_config(config);
        let text = serde_json::to_string_pretty(&file)
            .unwrap_or_else(|error| unreachable!("all fields have a JSON form: {error}"));
        let fields = text.strip_suffix("\n}").expect("a JSON object");
        let seal = Seal::START.next(fields);
        format!("{fields}{SEAL_FIELD}{seal}{FILE_END}\n")
    }

    /// Parses the text of the file, whose programs speak some of `protocols`, and returns its seal
    /// with the configuration.
    pub(in crate::run) fn parse(
        text: &str,
        protocols: &[&'static EngineProtocol],
    ) -> Result<(ArenaConfig, Seal), ConfigFileError> {
        // Another version can have other keys, so the version is compared first.
        let TournamentFileVersion { version } = parse_json(text.as_bytes())?;
        if version != FORMAT_VERSION {
            return Err(ConfigFileError::Version {
                found: version,
                supported: FORMAT_VERSION,
            });
        }
        let mut file: Self = parse_json(text.as_bytes())?;
        let found = mem::take(&mut file.seal);
        let config = file.into_config(protocols)?;
        let (fields, end) = text
            .rsplit_once(SEAL_FIELD)
            .ok_or(ConfigFileError::Unsealed)?;
        let seal = Seal::START.next(fields);
        // The text behind the seal has nothing else.
        if found == seal.to_string() && end.trim_end() == format!("{found}{FILE_END}") {
            Ok((config, seal))
        } else {
            Err(ConfigFileError::Changed)
        }
    }

    fn from_config(config: &ArenaConfig) -> Self {
        let points = |elo: Elo| elo.points().unwrap_or_default();
        let contestants = config.contestants.iter();
        Self {
            version: FORMAT_VERSION,
            tournament: config.tournament.clone(),
            engines: contestants
                .map(|contestant| EngineEntry {
                    name: contestant.name.clone(),
                    spec: contestant.spec.to_string(),
                    start_fault: contestant.start_fault.clone(),
                })
                .collect(),
            time_control: config.time_control.to_string(),
            grace_ms: u64::try_from(config.grace.as_millis()).unwrap_or(u64::MAX),
            adjudicate_seeds: config
                .adjudication
                .map(|adjudication| adjudication.max_seeds),
            resign: config.resign.map(|rule| rule.to_string()),
            sprt: config.sprt.map(|sprt| SprtEntry {
                elo0: points(sprt.elo0()),
                elo1: points(sprt.elo1()),
                alpha: sprt.alpha(),
                beta: sprt.beta(),
            }),
            memory: config.memory.to_string(),
            openings: config.openings.to_string(),
            skipped: (config.skipped.iter())
                .map(|skipped| SkippedEntry {
                    name: skipped.contestant.name.clone(),
                    spec: skipped.contestant.spec.to_string(),
                    reason: skipped.reason.clone(),
                })
                .collect(),
            log: config.has_logs,
            unlogged_games: config.unlogged_games,
            started_in: config.started_in.clone(),
            versions: config.versions.clone(),
            seal: String::new(),
        }
    }

    fn into_config(
        self,
        protocols: &[&'static EngineProtocol],
    ) -> Result<ArenaConfig, ConfigFileError> {
        let mut contestants = Vec::new();
        for EngineEntry {
            name,
            spec,
            start_fault,
        } in self.engines
        {
            let spec = ContestantSpec::parse(&spec, protocols)?;
            contestants.push(ContestantConfig {
                name,
                spec,
                start_fault,
            });
        }
        let mut skipped = Vec::new();
        for SkippedEntry { name, spec, reason } in self.skipped {
            let spec = ContestantSpec::parse(&spec, protocols)?;
            let contestant = ContestantConfig::new(name, spec);
            skipped.push(SkippedContestant { contestant, reason });
        }
        if contestants.len() != self.tournament.contestants {
            return Err(ConfigFileError::ContestantCount);
        }
        check_sizes(&self.tournament)?;
        let sprt = self
            .sprt
            .map(|sprt| build_sprt(sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta));
        let adjudication = self
            .adjudicate_seeds
            .map(|max_seeds| Adjudication { max_seeds });
        Ok(ArenaConfig {
            tournament: self.tournament,
            contestants,
            openings: self.openings.parse()?,
            time_control: self.time_control.parse()?,
            grace: Duration::from_millis(self.grace_ms),
            adjudication,
            resign: self.resign.map(|rule| rule.parse()).transpose()?,
            sprt: sprt.transpose()?,
            memory: self.memory.parse()?,
            skipped,
            has_logs: self.log,
            unlogged_games: self.unlogged_games,
            started_in: self.started_in,
            versions: self.versions,
        })
    }
}

/// Checks the numbers of rounds and of contestants before an extension, for which a reader of the
/// tournament needs memory.
fn check_sizes(tournament: &Tournament) -> Result<(), ConfigFileError> {
    let check = |what, found, max| {
        if found > max {
            return Err(ConfigFileError::Size { what, found, max });
        }
        Ok(())
    };
    check("rounds", tournament.rounds, Tournament::MAX_ROUNDS)?;
    for size in &tournament.earlier {
        check("rounds", size.rounds, tournament.rounds)?;
        check("contestants", size.contestants, tournament.contestants)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use kalah::Rules;
    use kalah_protocols::ENGINE_PROTOCOLS;

    use super::*;
    use crate::run::{AdjudicationOption, ArenaOptions, SprtParam, default_rules};
    use crate::schedule::TournamentFormat;

    #[test]
    fn file_parses_to_the_same_configuration() {
        let contestants = ["cmd=./bot,proto=kgp-child,name=Mine", "level:3"];
        let contestants = contestants
            .map(|text| ContestantSpec::parse(text, ENGINE_PROTOCOLS).expect(text))
            .to_vec();
        let rules = default_rules(&contestants);
        assert_eq!(rules, Rules::STANDARD);
        let config = ArenaConfig::new(&ArenaOptions {
            format: Some(TournamentFormat::RoundRobin),
            rounds: Some(3),
            seed: Some(7),
            start: None,
            rules: Some(rules),
            contestants: Some(contestants),
            openings: None,
            time_control: Some("10s+0.1s".parse().expect("a clock")),
            grace: Some(Duration::from_millis(20)),
            adjudication: Some(AdjudicationOption::Default),
            resign: Some("seeds=20,moves=4".parse().expect("a rule")),
            sprt: Some(vec![SprtParam::Elo1(25.0)]),
            memory: Some("64MiB".parse().expect("a size")),
            started_in: Some("/bots".to_owned()),
        })
        .expect("a valid configuration")
        .played_by("0.1.0+1a2b3c4d")
        .played_by("0.1.0+5e6f7a8b")
        .played_by("0.1.0+5e6f7a8b");
        assert_eq!(config.versions, ["0.1.0+1a2b3c4d", "0.1.0+5e6f7a8b"]);
        assert_eq!(config.openings.as_slice().len(), 3);
        assert_eq!(config.planned_games(), 6);
        let text = TournamentFile::format(&config);
        let (parsed, seal) = TournamentFile::parse(&text, ENGINE_PROTOCOLS).expect("a valid file");
        assert!(
            text.ends_with(&format!("\"seal\": \"{seal}\"\n}}\n")),
            "{text}"
        );
        assert_eq!(TournamentFile::format(&parsed), text);
        assert_eq!(parsed.contestants, config.contestants);
        assert_eq!(parsed.versions, config.versions);
        assert_eq!(parsed.adjudication, Some(Adjudication { max_seeds: 12 }));
        assert!(parsed.resign.is_some() && parsed.resign == config.resign);

        let absurd = text.replace(r#""rounds": 3"#, r#""rounds": 99999999999"#);
        let error = TournamentFile::parse(&absurd, ENGINE_PROTOCOLS).expect_err("too many");
        assert_eq!(
            error.to_string(),
            "99999999999 is too large a number of rounds: expected at most 1000000"
        );
    }

    #[test]
    fn damaged_files_have_the_line_and_the_reason() {
        let contestants = ["level:3", "first"];
        let contestants = contestants.map(|text| ContestantSpec::parse(text, &[]).expect(text));
        let config = ArenaConfig::new(&ArenaOptions {
            contestants: Some(contestants.into()),
            ..ArenaOptions::default()
        });
        let text = TournamentFile::format(&config.expect("a valid configuration"));
        let changed = |from: &str, to: &str| {
            assert!(text.contains(from), "{text}");
            text.replacen(from, to, 1)
        };
        for (file, expected) in [
            (String::new(), "line 1: the text ends too early"),
            (
                "garbage".to_owned(),
                "line 1, column 1: the text is not JSON",
            ),
            (
                changed(r#""grace_ms": 50"#, r#""grace_ms": "50ms""#),
                "line 20, column 20: `grace_ms`: expected a whole number from 0 to",
            ),
            (
                changed(r#""memory""#, r#""memroy""#),
                "line 23, column 10: `memroy` is an unknown key",
            ),
            (
                changed(r#""time_control": "1s","#, ""),
                "`time_control` is missing",
            ),
            (
                changed(r#""version": 5"#, r#""version": 6, "clock": {}"#),
                "the file has the format 6, which a newer kalah has written: this one reads the \
                 format 5",
            ),
            (
                changed(r#""version": 5"#, r#""version": 4"#),
                "the file has the format 4, which an older kalah has written: this one reads the \
                 format 5",
            ),
            (
                changed(r#""spec": "first""#, r#""spec": "frist""#),
                "`frist` is not a player",
            ),
            (
                changed(r#""spec": "first""#, r#""spec": "random""#),
                "the settings differ from their seal",
            ),
            (
                changed(r#""name": "level:3""#, r#""name": "Ana""#),
                "the settings differ from their seal",
            ),
            (
                changed("\"\n}\n", "\"}\n"),
                "the settings differ from their seal",
            ),
            (
                changed(",\n  \"seal\"", ", \"seal\""),
                "the settings have no seal",
            ),
        ] {
            let error = TournamentFile::parse(&file, ENGINE_PROTOCOLS).expect_err(expected);
            let error = error.to_string();
            assert!(error.contains(expected), "{expected}: {error}\n{file}");
        }
    }
}
