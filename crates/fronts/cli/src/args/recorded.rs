//! The games of a record file, as a command line gives them.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, ValueHint};
use kalah::Quoted;
use kalah::record::Tags;
use kalah_record_files::{FileGame, GameSelector, RecordSource, read_one};

use super::values::STDIN_ARGUMENT;
use crate::batch::BatchGames;
use crate::error::CliError;

/// The name of a player without a name in the record.
pub(crate) const UNNAMED: &str = "?";

/// A record file, or standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RecordFile {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl From<PathBuf> for RecordFile {
    fn from(path: PathBuf) -> Self {
        if path.as_os_str() == STDIN_ARGUMENT {
            Self::Stdin
        } else {
            Self::File(path)
        }
    }
}

impl RecordFile {
    /// Opens the source of the games.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if it cannot be read.
    pub(crate) fn open(&self) -> Result<RecordSource, CliError> {
        Ok(match self {
            Self::Stdin => RecordSource::stdin()?,
            Self::File(path) => RecordSource::open(path)?,
        })
    }
}

/// A record file with a game of it and a ply of that game, as in `game.kgn#3@17`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GameReference {
    pub(crate) path: PathBuf,
    /// The game of the file, if the text has one.
    pub(crate) game: Option<GameSelector>,
    /// The number of plies, if the text has one.
    pub(crate) ply: Option<usize>,
}

impl GameReference {
    /// Parses a path, which `#` with the number or the round of a game and `@` with a number of
    /// plies may follow. The text of an existing file is its path.
    ///
    /// # Errors
    /// A message if an existing file, or `-`, is followed by something else.
    pub(crate) fn parse(path: &Path) -> Result<Self, String> {
        let whole = Self {
            path: path.to_owned(),
            game: None,
            ply: None,
        };
        let Some(text) = path.to_str().filter(|_| !path.exists()) else {
            return Ok(whole);
        };
        let (rest, ply) = split_suffix(text, '@');
        let (rest, game) = split_suffix(rest, '#');
        if let Some((file, suffix)) = split_existing_file(text).filter(|&(file, _)| file != rest) {
            return Err(format!(
                "{} after {} selects no game: expected # with the number of a game, from 1, or its \
                 round, or @ with a number of plies, or both as in #3@17",
                Quoted::new(suffix),
                Quoted::new(file)
            ));
        }
        Ok(Self {
            path: rest.into(),
            game,
            ply,
        })
    }

    /// Returns the text after the path, such as `#3@17`; an empty text after the path alone.
    pub(crate) fn suffix(&self) -> String {
        let game = self.game.as_ref().map(|game| format!("#{}", game.text()));
        let ply = self.ply.map(|ply| format!("@{ply}"));
        [game, ply].into_iter().flatten().collect()
    }
}

/// Splits a text into the path of an existing file, or `-`, and the rest from `#` or `@` on. The
/// path is the longest one.
fn split_existing_file(text: &str) -> Option<(&str, &str)> {
    let ends = text.rmatch_indices(['#', '@']).map(|(end, _)| end);
    let mut splits = ends.map(|end| text.split_at(end));
    splits.find(|&(file, _)| file == STDIN_ARGUMENT || Path::new(file).is_file())
}

/// Splits a text into the part before the last `sign` and the value after it. A text without such
/// a value stays as it is.
fn split_suffix<T: FromStr>(text: &str, sign: char) -> (&str, Option<T>) {
    let split = text.rsplit_once(sign);
    let split = split.and_then(|(start, value)| Some((start, value.parse().ok()?)));
    split.map_or((text, None), |(start, value)| (start, Some(value)))
}

/// Returns the parser of a record file with a game and a ply of it.
pub(crate) fn recorded_game_parser() -> impl TypedValueParser<Value = GameReference> {
    PathBufValueParser::new().try_map(|path| GameReference::parse(&path))
}

/// One game of a record file, or many of them.
#[derive(Clone, Debug, Args)]
pub(crate) struct RecordedGamesArgs {
    /// The record file, or `-` for standard input; game.kgn#3 or game.kgn#1.10.2 for a game of it
    #[arg(value_name = "FILE.kgn|-", value_hint = ValueHint::FilePath, value_parser = recorded_game_parser())]
    file: GameReference,
    /// The game: its number in the file, from 1, or its round, such as 1.10.2 [default: 1]
    #[arg(long, value_name = "N|ROUND")]
    game: Option<GameSelector>,
    /// All games: the output has a row of JSON or CSV for each of them
    #[arg(long, conflicts_with = "game")]
    all: bool,
    /// All games of a player whose name contains this text, in capital or small letters
    #[arg(long, value_name = "TEXT", conflicts_with = "game")]
    player: Option<String>,
}

/// The games that a command line selects.
pub(crate) enum RecordedGames {
    /// One game.
    One(FileGame),
    /// Many games.
    Many(BatchGames),
}

impl RecordedGamesArgs {
    /// Returns the game, or the source of the games.
    ///
    /// # Errors
    /// [`CliError::Usage`] if the argument of the file and the options contradict each other, and
    /// [`CliError::Runtime`] if the game cannot be read.
    pub(crate) fn to_games(&self) -> Result<RecordedGames, CliError> {
        let GameReference { path, game, .. } = self.file.clone();
        let file = RecordFile::from(path);
        if self.all || self.player.is_some() {
            if let Some(game) = game {
                let option = if self.all { "--all" } else { "--player" };
                return Err(contradiction(&format!("#{}", game.text()), option));
            }
            let player = self.player.clone();
            return Ok(RecordedGames::Many(BatchGames { file, player }));
        }
        if let (Some(game), Some(other)) = (&game, &self.game)
            && game != other
        {
            let (part, option) = (
                format!("#{}", game.text()),
                format!("--game {}", other.text()),
            );
            return Err(contradiction(&part, &option));
        }
        let selector = game.or_else(|| self.game.clone()).unwrap_or_default();
        Ok(RecordedGames::One(read_one(file.open()?, &selector)?))
    }

    /// Returns the number of plies after the file, as in `game.kgn@17`.
    pub(crate) fn ply(&self) -> Option<usize> {
        self.file.ply
    }
}

/// Returns the error about a part of the argument of a file and an option that select other games
/// or plies.
pub(crate) fn contradiction(part: &str, option: &str) -> CliError {
    CliError::Usage(format!(
        "{part} after the file and {option} contradict each other: leave out one of them"
    ))
}

/// Returns whether the name of a player contains `name`, which has small letters.
pub(crate) fn has_player(tags: &Tags, name: &str) -> bool {
    let names = [Tags::SOUTH, Tags::NORTH].map(|tag| tags.get(tag));
    let mut names = names.into_iter().flatten();
    names.any(|player| player.to_lowercase().contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn game_and_ply_follow_the_path() {
        for (text, path, game, ply) in [
            ("a.kgn", "a.kgn", None, None),
            ("a.kgn#3", "a.kgn", Some("3"), None),
            ("a.kgn#1.10.2@17", "a.kgn", Some("1.10.2"), Some(17)),
            ("a@b#c.kgn@0", "a@b#c.kgn", None, Some(0)),
            ("-#2@1", "-", Some("2"), Some(1)),
            ("a.kgn#0", "a.kgn#0", None, None),
            ("a.kgn@x", "a.kgn@x", None, None),
            ("a.kgn@2#1", "a.kgn@2", Some("1"), None),
        ] {
            let game = game.map(|game| game.parse().expect("a game"));
            let path = path.into();
            let expected = GameReference { path, game, ply };
            assert_eq!(
                GameReference::parse(Path::new(text)),
                Ok(expected),
                "{text}"
            );
        }
    }

    #[test]
    fn name_of_an_existing_file_has_no_game() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a#3");
        std::fs::write(&path, "").expect("a file");
        let expected = GameReference {
            path: path.clone(),
            game: None,
            ply: None,
        };
        assert_eq!(GameReference::parse(&path), Ok(expected));
        let file = path.to_str().expect("UTF-8");
        for suffix in ["#0", "#x", "#", "#1@", "#1@-1", "@x", "@1#2"] {
            let text = format!("{file}{suffix}");
            let error = GameReference::parse(Path::new(&text)).expect_err(suffix);
            let start = format!("`{suffix}` after `{file}` selects no game: expected # ");
            assert!(error.starts_with(&start), "{error}");
        }
        let text = format!("{file}#2@1");
        let parsed = GameReference::parse(Path::new(&text)).expect("a game");
        assert_eq!((&parsed.path, &*parsed.suffix()), (&path, "#2@1"));
    }
}
