//! The profile of the user: preferences and the rating, in a file in the folder of the program's
//! data.

pub(crate) mod elo;
mod fields;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;
use kalah::{BySide, PlayerId, Rules, Side};
use kalah_parse::describe_value_error;
use kalah_players::{PlayerSpec, quoted_path};
use kalah_record_files::text_file::{self, LockedFile, TextFileError};
use kalah_tui::{
    AnimationSpeed, GameSession, NewGameChoices, Preferences, Profile, PuzzleDifficulty,
    PuzzleProgress, PuzzleStep, RatedGame, RatingChange, RatingOutcome,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use self::elo::{GameRating, level_rating};
use crate::config::is_history_on;
use crate::error::CliError;

const FILE_NAME: &str = "profile.json";

/// The maximum number of damaged files that are kept.
const MAX_DAMAGED_FILES: u32 = 1000;

/// The contents of the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ProfileData {
    /// The preferences of the screen.
    preferences: StoredPreferences,
    /// The rating in games against levels.
    pub(crate) games: GameRating,
    /// The progress in puzzles.
    puzzles: StoredProgress,
}

/// [`PuzzleProgress`] in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "PuzzleProgress", deny_unknown_fields)]
struct ProgressFields {
    #[serde(default = "first_puzzle_rating")]
    rating: i32,
    #[serde(default)]
    streak: u32,
    #[serde(default)]
    best_streak: u32,
    #[serde(default)]
    solved: u32,
    #[serde(default)]
    played: u32,
    #[serde(default)]
    rated_day: Option<u32>,
    #[serde(default)]
    ended_day: Option<u32>,
    #[serde(default)]
    days: u32,
    #[serde(default)]
    best_days: u32,
}

fn first_puzzle_rating() -> i32 {
    PuzzleProgress::default().rating
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
struct StoredProgress(#[serde(with = "ProgressFields")] PuzzleProgress);

/// The preferences as texts, as the command line accepts them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct StoredPreferences {
    speed: Option<String>,
    shows_margins: bool,
    difficulty: Option<String>,
    new_game: Option<StoredNewGame>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct StoredNewGame {
    south: Option<String>,
    north: Option<String>,
    rules: String,
    houses: u8,
    seeds: u16,
    clock: Option<String>,
}

impl From<&Preferences> for StoredPreferences {
    fn from(preferences: &Preferences) -> Self {
        let new_game = preferences.new_game.as_ref().map(|choices| {
            let player = |side: Side| choices.players[side].map(|spec| spec.to_string());
            StoredNewGame {
                south: player(Side::South),
                north: player(Side::North),
                rules: choices.rules.to_string(),
                houses: choices.houses,
                seeds: choices.seeds,
                clock: choices.clock.map(|clock| clock.to_string()),
            }
        });
        Self {
            speed: preferences.speed.map(|speed| speed.as_str().to_owned()),
            shows_margins: preferences.shows_margins,
            difficulty: Some(preferences.difficulty.as_str().to_owned()),
            new_game,
        }
    }
}

impl StoredPreferences {
    /// Returns the preferences; what cannot be read is left out.
    fn to_preferences(&self) -> Preferences {
        let speed = |name: &String| {
            let mut speeds = AnimationSpeed::ALL.into_iter();
            speeds.find(|speed| speed.as_str() == name)
        };
        Preferences {
            speed: self.speed.as_ref().and_then(speed),
            shows_margins: self.shows_margins,
            difficulty: (self.difficulty.as_deref())
                .and_then(PuzzleDifficulty::from_name)
                .unwrap_or_default(),
            new_game: self.new_game.as_ref().and_then(StoredNewGame::to_choices),
        }
    }
}

impl StoredNewGame {
    fn to_choices(&self) -> Option<NewGameChoices> {
        let player = |text: &Option<String>| text.as_ref()?.parse::<PlayerSpec>().ok();
        Some(NewGameChoices {
            players: BySide::new(player(&self.south), player(&self.north)),
            rules: self.rules.parse::<Rules>().ok()?,
            houses: self.houses,
            seeds: self.seeds,
            clock: self.clock.as_ref().and_then(|clock| clock.parse().ok()),
        })
    }
}

/// The file with the profile. Several processes can use it at the same time.
#[derive(Debug)]
pub(crate) struct ProfileFile {
    path: PathBuf,
    /// Whether the file could not be read at the start, or not be kept aside although it is
    /// damaged. It is not written then.
    is_unusable: bool,
}

/// The reason why the profile cannot be read from its file.
#[derive(Debug, Error)]
enum ReadProfileError {
    #[error(transparent)]
    Unreadable(#[from] TextFileError),
    /// The file has other contents than a profile, for this reason.
    #[error("{} is damaged: {reason}", quoted_path(.path))]
    Damaged { path: PathBuf, reason: String },
}

/// Returns the path of the file, if the system has a folder for the data of programs.
pub(crate) fn profile_path() -> Option<PathBuf> {
    let project = ProjectDirs::from("", "", "kalah")?;
    Some(project.data_dir().join(FILE_NAME))
}

impl ProfileFile {
    /// Opens the file and reads it, unless the history is switched off. Returns it with a notice
    /// if it cannot be used.
    pub(crate) fn open(is_switched_off: bool) -> (Option<Self>, ProfileData, Option<String>) {
        match profile_path().filter(|_| is_history_on() && !is_switched_off) {
            Some(path) => Self::open_at(&path),
            None => (None, ProfileData::default(), None),
        }
    }

    /// Opens the file. A damaged file is kept under another name, and the profile begins anew.
    fn open_at(path: &Path) -> (Option<Self>, ProfileData, Option<String>) {
        let (data, is_unusable, notice) = match read(path) {
            Ok(data) => (data, false, None),
            Err(error) => {
                let (is_unusable, notice) = match keep_aside(path, &error) {
                    Some(aside) => (
                        false,
                        format!("{error}. It is kept as {}.", quoted_path(&aside)),
                    ),
                    None => (true, format!("{error}. It is not used and not changed.")),
                };
                (ProfileData::default(), is_unusable, Some(notice))
            }
        };
        let file = Self {
            path: path.to_owned(),
            is_unusable,
        };
        (Some(file), data, notice)
    }

    /// Changes the contents, and returns them before and after. An unusable file stays as it is:
    /// `None`.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub(crate) fn change(
        &mut self,
        change: impl Fn(&mut ProfileData),
    ) -> Result<Option<[ProfileData; 2]>, CliError> {
        if self.is_unusable {
            return Ok(None);
        }
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(|reason| {
                let folder = quoted_path(folder);
                CliError::Runtime(format!("cannot create the folder {folder}: {reason}"))
            })?;
        }
        loop {
            let file = LockedFile::lock(&self.path)?;
            let before = read(&self.path).map_err(|error| CliError::Runtime(error.to_string()))?;
            let mut after = before.clone();
            change(&mut after);
            let text = serde_json::to_string_pretty(&after)?;
            if file.replace(&(text + "\n"))? {
                return Ok(Some([before, after]));
            }
        }
    }
}

/// Reads the file, which may be absent.
fn read(path: &Path) -> Result<ProfileData, ReadProfileError> {
    if !text_file::exists(path)? {
        return Ok(ProfileData::default());
    }
    let damaged = |reason| ReadProfileError::Damaged {
        path: path.to_owned(),
        reason,
    };
    let text = match text_file::read(path) {
        Err(error @ TextFileError::NotText { .. }) => return Err(damaged(error.to_string())),
        text => text?,
    };
    let value = fields::parse(&text).map_err(damaged)?;
    serde_json::from_value(value)
        .map_err(|reason| damaged(describe_value_error(&reason.to_string())))
}

/// Gives a damaged file another name, which no other file has, and returns it; `None` if that is
/// not possible, or if the file is not damaged.
fn keep_aside(path: &Path, error: &ReadProfileError) -> Option<PathBuf> {
    if matches!(error, ReadProfileError::Unreadable(_)) {
        return None;
    }
    // Another process may just have kept the file aside.
    let _lock = LockedFile::lock(path).ok()?;
    read(path).err()?;
    for number in 1..=MAX_DAMAGED_FILES {
        let aside = path.with_extension(format!("damaged-{number}.json"));
        if !aside.exists() {
            return fs::rename(path, &aside).is_ok().then_some(aside);
        }
    }
    None
}

impl ProfileData {
    /// Returns the preferences of the screen.
    pub(crate) fn preferences(&self) -> Preferences {
        self.preferences.to_preferences()
    }

    /// Returns the progress in puzzles.
    pub(crate) fn puzzles(&self) -> PuzzleProgress {
        self.puzzles.0
    }
}

impl Profile for ProfileFile {
    fn save_preferences(&mut self, preferences: &Preferences) -> Result<(), Box<dyn Error>> {
        let stored = StoredPreferences::from(preferences);
        let changed = self.change(|data| data.preferences = stored.clone());
        changed.map_err(|error| error.message().unwrap_or_default())?;
        Ok(())
    }

    fn rate_game(&mut self, session: &GameSession) -> Result<RatingOutcome, Box<dyn Error>> {
        let Some((opponent, score)) = rated_result(session) else {
            return Ok(RatingOutcome::NotRated);
        };
        if session.is_helped() {
            return Ok(RatingOutcome::Helped);
        }
        let changed = self.change(|data| data.games = data.games.after(opponent, score));
        let changed = changed.map_err(|error| error.message().unwrap_or_default())?;
        Ok(changed.map_or(RatingOutcome::NotRated, |data| {
            let [before, after] = data.map(|data| data.games.rating);
            RatingOutcome::Changed(RatingChange { before, after })
        }))
    }

    fn count_puzzle(&mut self, step: PuzzleStep) -> Result<PuzzleProgress, Box<dyn Error>> {
        let changed = self.change(|data| {
            let StoredProgress(progress) = &mut data.puzzles;
            *progress = progress.after(step);
        });
        let changed = changed.map_err(|error| error.message().unwrap_or_default())?;
        let [_, after] = changed.ok_or("the profile cannot be used, and keeps no progress")?;
        Ok(after.puzzles())
    }
}

/// Returns the rating of the level against which a person has played, and the points of the
/// person; `None` if the game is not rated.
fn rated_result(session: &GameSession) -> Option<(i32, f64)> {
    let game = RatedGame::new(session.specs(), session.game().start()).ok()?;
    let side = PlayerId::new(game.person).side(session.game().is_swapped());
    let score = match session.ending()?.winner {
        Some(winner) if winner == side => 1.0,
        Some(_) => 0.0,
        None => 0.5,
    };
    Some((level_rating(game.level), score))
}

#[cfg(test)]
mod tests {
    use kalah::{Game, Position};

    use super::*;

    fn preferences() -> Preferences {
        Preferences {
            speed: Some(AnimationSpeed::Fast),
            shows_margins: true,
            difficulty: PuzzleDifficulty::Hard,
            new_game: Some(NewGameChoices {
                players: BySide::new(None, "level:3".parse().ok()),
                rules: Rules::STANDARD,
                houses: 6,
                seeds: 5,
                clock: "5m+3s".parse().ok(),
            }),
        }
    }

    #[test]
    fn preferences_are_read_as_they_were_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("data").join(FILE_NAME);
        let (file, data, notice) = ProfileFile::open_at(&path);
        assert_eq!((data.preferences(), notice), (Preferences::default(), None));
        let mut file = file.expect("a file");
        file.save_preferences(&preferences()).expect("a write");
        let (_, data, notice) = ProfileFile::open_at(&path);
        assert_eq!((data.preferences(), notice), (preferences(), None));
    }

    #[test]
    fn damaged_file_is_kept_aside_and_a_new_one_begins() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(FILE_NAME);
        let texts: [&[u8]; 5] = [b"{", b"[]", b"\xff", b"{\"games\":{\"rating\":\"1\"}}", b""];
        for (number, text) in (1..).zip(texts) {
            fs::write(&path, text).expect("a write");
            let (file, data, notice) = ProfileFile::open_at(&path);
            let notice = notice.expect("a notice");
            let name = format!("profile.damaged-{number}.json");
            assert!(notice.contains("profile.json' is damaged: "), "{notice}");
            assert!(
                notice.ends_with(&format!("{name}'.")) && notice.contains("It is kept as '"),
                "{notice}"
            );
            assert_eq!(data, ProfileData::default());
            let mut file = file.expect("a file");
            file.save_preferences(&preferences()).expect("a write");
            let aside = folder.path().join(name);
            assert_eq!(fs::read(aside).expect("a file"), text);
            let (_, data, notice) = ProfileFile::open_at(&path);
            assert_eq!((data.preferences(), notice), (preferences(), None));
        }
    }

    #[test]
    fn fields_that_are_missing_have_their_defaults() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(FILE_NAME);
        let text = "{\"games\":{\"games\":3},\"puzzles\":{\"solved\":2}}";
        fs::write(&path, text).expect("a write");
        let (_, data, notice) = ProfileFile::open_at(&path);
        assert_eq!((data.games.rating, data.games.games), (1000, 3));
        let expected = PuzzleProgress {
            solved: 2,
            ..PuzzleProgress::default()
        };
        assert_eq!((data.puzzles(), notice), (expected, None));
    }

    #[test]
    fn path_that_is_no_file_is_not_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, _, notice) = ProfileFile::open_at(folder.path());
        let notice = notice.expect("a notice");
        assert!(
            notice.ends_with("It is not used and not changed."),
            "{notice}"
        );
        let mut file = file.expect("a file");
        file.save_preferences(&preferences()).expect("no write");
        assert!(folder.path().is_dir());
    }

    /// Returns a game that the person who began on `person` has won by resignation or lost.
    fn finished(board: &str, north: &str, has_won: bool) -> GameSession {
        let setup: kalah::Setup = board.parse().expect("a board");
        let start: Position = setup.position(Rules::CS32).expect("a position");
        let specs = BySide::new(
            PlayerSpec::HUMAN.into(),
            north.parse::<PlayerSpec>().expect("a player").into(),
        );
        let mut session = GameSession::new(Game::new(start), specs, BySide::default());
        session.end(kalah::Ending {
            termination: kalah::Termination::Resign,
            winner: Some(if has_won { Side::South } else { Side::North }),
            outcome: None,
        });
        session
    }

    #[test]
    fn games_against_levels_without_help_are_rated() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(FILE_NAME);
        let mut file = ProfileFile::open_at(&path).0.expect("a file");
        let mut rate = |session: &GameSession| file.rate_game(session).expect("a write");
        let changed = |before, after| RatingOutcome::Changed(RatingChange { before, after });
        let won = finished("6x4", "level:2", true);
        assert_eq!(rate(&won), changed(1000, 1019));
        assert_eq!(rate(&finished("6x4", "level:2", false)), changed(1019, 996));
        let mut helped = won.clone();
        helped.set_helped();
        assert_eq!(rate(&helped), RatingOutcome::Helped);
        for (board, north) in [("6x5", "level:2"), ("6x4", "smart"), ("6x4", "human")] {
            let session = finished(board, north, true);
            assert_eq!(rate(&session), RatingOutcome::NotRated, "{board} {north}");
        }
        let (_, data, _) = ProfileFile::open_at(&path);
        assert_eq!((data.games.rating, data.games.games), (996, 2));
    }
}
