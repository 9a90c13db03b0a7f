//! Extensions of a tournament: late and corrected contestants, and more rounds.

use kalah_players::ContestantSpec;

use super::config::{ArenaConfig, ContestantConfig, DuplicateId, number_names};
use super::error::ConfigError;
use crate::schedule::{TournamentFormat, TournamentSize};
use crate::stats::Contestant;

/// The changes of a tournament that is resumed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extension {
    /// The contestants that play against all others, in all rounds.
    pub added: Vec<ContestantSpec>,
    /// The names of contestants that withdraw, or that take no part because they did not start,
    /// with those that play in their place, from the first round. A new one without a name or an
    /// identifier has those of the old one.
    pub replaced: Vec<(String, ContestantSpec)>,
    /// The number of all rounds, unless it is that of the tournament.
    pub rounds: Option<usize>,
}

impl Extension {
    /// Adds those contestants of a file of engines that the tournament does not have.
    /// One with another name is new. One that takes no part because it did not start is new if its
    /// program is another one, and one that this extension replaces is left out.
    ///
    /// # Errors
    /// [`ConfigError::ChangedContestant`] if a contestant of the tournament has another program,
    /// player, time or identifier than in the file.
    pub fn add_from_file(
        &mut self,
        config: &ArenaConfig,
        contestants: Vec<ContestantSpec>,
    ) -> Result<(), ConfigError> {
        let mut late = Vec::new();
        for ContestantConfig { name, spec, .. } in number_names(contestants) {
            if self.replaced.iter().any(|(replaced, _)| *replaced == name) {
                continue;
            }
            let active = config.active_with_name(&name);
            let skipped = config.skipped.iter().map(|skipped| &skipped.contestant);
            let mut skipped = skipped.filter(|contestant| contestant.name == name);
            let is_same = |stored: &ContestantConfig| {
                (&stored.spec.kind, stored.spec.time_control, &stored.spec.id)
                    == (&spec.kind, spec.time_control, &spec.id)
            };
            match active {
                Some((_, stored)) if is_same(stored) => {}
                Some((_, stored)) => {
                    return Err(ConfigError::ChangedContestant {
                        name,
                        stored: stored.spec.to_string(),
                        given: spec.to_string(),
                    });
                }
                None if skipped.any(is_same) => {}
                None => late.push(spec),
            }
        }
        self.added.splice(..0, late);
        Ok(())
    }

    /// Returns whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.replaced.is_empty() && self.rounds.is_none()
    }
}

impl ArenaConfig {
    /// Returns the configuration with the changes of `extension`. The finished games belong to it,
    /// too, and those of contestants that have withdrawn do not count.
    ///
    /// # Errors
    /// If the format or a sequential test admits no other contestants, a name is unknown or taken,
    /// an identifier is taken, there would be fewer rounds, or a protocol does not support the
    /// configuration.
    pub fn extended(&self, extension: &Extension) -> Result<Self, ConfigError> {
        let changes_contestants = !(extension.added.is_empty() && extension.replaced.is_empty());
        if changes_contestants && self.sprt.is_some() {
            return Err(ConfigError::ExtendedSprt);
        }
        if changes_contestants && self.tournament.format == TournamentFormat::Swiss {
            return Err(ConfigError::ExtendedSwiss);
        }
        let rounds = extension.rounds.unwrap_or(self.tournament.rounds);
        if rounds < self.tournament.rounds {
            return Err(ConfigError::FewerRounds {
                stored: self.tournament.rounds,
                given: rounds,
            });
        }
        let mut config = self.clone();
        for (name, spec) in &extension.replaced {
            config.replace(name, spec.clone())?;
        }
        for spec in &extension.added {
            if let Some(name) = &spec.custom_name
                && config.active_with_name(name).is_some()
            {
                return Err(ConfigError::NameTaken(name.clone()));
            }
            config.add(spec.clone());
        }
        config.tournament.extend(TournamentSize {
            contestants: config.contestants.len(),
            rounds,
        });
        let skipped = config.skipped.iter().map(|skipped| &skipped.contestant);
        let active = config.active_contestants().map(|(_, active)| active);
        DuplicateId::check(active.chain(skipped))?;
        config.check_protocols()?;
        Ok(config)
    }

    fn replace(&mut self, name: &str, spec: ContestantSpec) -> Result<(), ConfigError> {
        let old_id = match self.active_with_name(name) {
            Some((old, _))
                if old == Contestant(0) && self.tournament.format == TournamentFormat::Gauntlet =>
            {
                return Err(ConfigError::ReplacedFirst(name.to_owned()));
            }
            Some((old, config)) => {
                let id = config.spec.id.clone();
                self.tournament.withdrawn.push(old);
                id
            }
            None => {
                let mut skipped = self.skipped.iter();
                let index = skipped.position(|skipped| skipped.contestant.name == name);
                let index = index.ok_or_else(|| ConfigError::UnknownContestant {
                    name: name.to_owned(),
                    names: self.active_names(),
                })?;
                self.skipped.remove(index).contestant.spec.id
            }
        };
        self.add(ContestantSpec {
            custom_name: spec.custom_name.or_else(|| Some(name.to_owned())),
            id: spec.id.or(old_id),
            ..spec
        });
        Ok(())
    }

    /// Adds a contestant, with a number behind its name if another one has the same. One with this
    /// name that takes no part is forgotten.
    fn add(&mut self, spec: ContestantSpec) {
        let plain = spec.name();
        (self.skipped).retain(|skipped| skipped.contestant.name != plain);
        let mut name = plain.clone();
        let mut number = 2_u64;
        while self.active_with_name(&name).is_some() {
            name = format!("{plain} ({number})");
            number += 1;
        }
        self.contestants.push(ContestantConfig::new(name, spec));
    }

    /// Returns the contestants that have not withdrawn, those that are being added included.
    fn active_contestants(&self) -> impl Iterator<Item = (Contestant, &ContestantConfig)> {
        let all = Contestant::all(self.contestants.len()).zip(&self.contestants);
        all.filter(|&(contestant, _)| !self.tournament.is_withdrawn(contestant))
    }

    fn active_with_name(&self, name: &str) -> Option<(Contestant, &ContestantConfig)> {
        let mut active = self.active_contestants();
        active.find(|(_, config)| config.name == name)
    }

    fn active_names(&self) -> Vec<String> {
        let active = self.active_contestants();
        active.map(|(_, config)| config.name.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use kalah_players::ParticipantFailure;

    use super::*;
    use crate::run::error::StartFault;
    use crate::run::{ArenaOptions, OpeningsOption, SprtParam};

    fn spec(text: &str) -> ContestantSpec {
        ContestantSpec::parse(text, &[]).expect(text)
    }

    fn config(
        format: TournamentFormat,
        engines: &[&str],
        sprt: Option<Vec<SprtParam>>,
    ) -> ArenaConfig {
        ArenaConfig::new(&ArenaOptions {
            contestants: Some(engines.iter().map(|text| spec(text)).collect()),
            format: Some(format),
            rounds: Some(2),
            openings: Some(OpeningsOption::Start),
            sprt,
            ..ArenaOptions::default()
        })
        .expect("a valid configuration")
    }

    #[test]
    fn replaced_contestant_passes_its_name_and_identifier_on() {
        let engines = ["first", "level:1,id=s7,name=Ana", "random"];
        let config = config(TournamentFormat::RoundRobin, &engines, None);
        assert_eq!(config.planned_games(), 12);
        let extension = Extension {
            added: vec![spec("random"), spec("level:3,name=Bo")],
            replaced: vec![("Ana".to_owned(), spec("level:2"))],
            rounds: Some(3),
        };
        let extended = config.extended(&extension).expect("valid");
        let names = extended
            .contestants
            .iter()
            .map(|contestant| contestant.name.as_str());
        let expected = ["first", "Ana", "random", "Ana", "random (2)", "Bo"];
        assert_eq!(names.collect::<Vec<_>>(), expected);
        assert_eq!(extended.tournament.withdrawn, [Contestant(1)]);
        assert_eq!(extended.contestants[3].spec, spec("level:2,id=s7,name=Ana"));
        // Five active contestants in three rounds.
        assert_eq!(extended.planned_games(), 60);
        let parsed = ArenaConfig::from_worker_text(&extended.to_worker_text(), &[]).expect("valid");
        assert_eq!(parsed.tournament, extended.tournament);
    }

    #[test]
    fn only_new_contestants_of_a_file_are_added() {
        let engines = ["level:1,name=Ana", "first", "first", "smart,name=Bo"];
        let config = config(TournamentFormat::RoundRobin, &engines, None);
        let fault = StartFault {
            name: "Bo".to_owned(),
            protocol_hint: None,
            failure: ParticipantFailure::not_running(),
            ignored_line: None,
        };
        let config = config.without_broken(vec![fault]).expect("three are left");
        let added = |replaced: &[&str], file: &[&str]| {
            let mut extension = Extension {
                added: vec![spec("level:9")],
                replaced: replaced
                    .iter()
                    .map(|&name| (name.to_owned(), spec("level:5")))
                    .collect(),
                rounds: None,
            };
            let file = file.iter().map(|text| spec(text)).collect();
            extension.add_from_file(&config, file)?;
            let added = extension.added.iter().map(ToString::to_string);
            Ok::<_, ConfigError>(added.collect::<Vec<_>>())
        };
        assert_eq!(added(&[], &engines), Ok(vec!["level:9".to_owned()]));
        let late = [
            "first",
            "first",
            "first",
            "smart:1s,name=Bo",
            "level:2,name=Eve",
        ];
        let expected = ["first", "smart:1s,name=Bo", "level:2,name=Eve", "level:9"];
        assert_eq!(added(&[], &late), Ok(expected.map(str::to_owned).into()));
        let changed = ["level:2,name=Ana"];
        assert_eq!(added(&["Ana"], &changed), Ok(vec!["level:9".to_owned()]));
        let error = added(&[], &changed).expect_err("another player");
        assert_eq!(
            error.to_string(),
            "`Ana` is `level:1,name=Ana` in the tournament, not `level:2,name=Ana`: to play its \
             games again with another program, use --replace Ana ENGINE"
        );
    }

    #[test]
    fn corrected_contestant_plays_that_took_no_part() {
        let engines = ["first", "random", "smart,name=Ana,id=s7", "smart,name=Bo"];
        let fault = |name: &str| StartFault {
            name: name.to_owned(),
            protocol_hint: None,
            failure: ParticipantFailure::not_running(),
            ignored_line: None,
        };
        let config = config(TournamentFormat::RoundRobin, &engines, None);
        let config = config.without_broken(vec![fault("Ana"), fault("Bo")]);
        let config = config.expect("two contestants are left");
        let extension = Extension {
            added: vec![spec("level:1,name=Bo")],
            replaced: vec![("Ana".to_owned(), spec("level:2"))],
            rounds: None,
        };
        let extended = config.extended(&extension).expect("an extension");
        assert_eq!(extended.skipped, []);
        assert_eq!(extended.tournament.withdrawn, []);
        let specs = extended
            .contestants
            .iter()
            .map(|contestant| &contestant.spec);
        let expected = [
            "first",
            "random",
            "level:2,id=s7,name=Ana",
            "level:1,name=Bo",
        ]
        .map(spec);
        assert!(specs.eq(&expected), "{:?}", extended.contestants);
    }

    #[test]
    fn impossible_extensions_are_refused() {
        use TournamentFormat::{Gauntlet, RoundRobin, Swiss};

        let added = || Extension {
            added: vec![spec("random")],
            ..Extension::default()
        };
        let replaced = |name: &str| Extension {
            replaced: vec![(name.to_owned(), spec("random"))],
            ..Extension::default()
        };
        let rounds = |rounds| Extension {
            rounds: Some(rounds),
            ..Extension::default()
        };
        let engines = ["first", "level:1,id=s7"];
        let test = || Some(Vec::new());
        for (format, sprt, extension, expected) in [
            (Swiss, None, added(), "a Swiss tournament"),
            (RoundRobin, test(), added(), "a sequential test"),
            (
                RoundRobin,
                None,
                rounds(1),
                "the tournament has 2 rounds, and cannot have 1",
            ),
            (
                RoundRobin,
                None,
                Extension {
                    added: vec![spec("random,name=first")],
                    ..Extension::default()
                },
                "`first` is already an engine of the tournament",
            ),
            (
                RoundRobin,
                None,
                Extension {
                    added: vec![spec("random,id=s7,name=Bo")],
                    ..Extension::default()
                },
                "the identifier `s7` is that of `level:1` and of `Bo`",
            ),
            (
                RoundRobin,
                None,
                replaced("Ana"),
                "`Ana` is not an engine of the tournament",
            ),
            (
                Gauntlet,
                None,
                replaced("first"),
                "`first` plays against all others",
            ),
        ] {
            let error = config(format, &engines, sprt)
                .extended(&extension)
                .expect_err(expected);
            assert!(error.to_string().starts_with(expected), "{error}");
        }
        for (format, extension) in [
            (Swiss, rounds(3)),
            (Gauntlet, replaced("level:1")),
            (RoundRobin, Extension::default()),
        ] {
            assert!(config(format, &engines, None).extended(&extension).is_ok());
        }
    }
}
