use std::cell::RefCell;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, IsTerminal as _, Write};
use std::rc::Rc;
use std::time::Duration;

use kalah::record::{Record, Tags};
use kalah::{BySide, Event, Game, Referee, Seat, Side, Termination};
use kalah_engine::LevelNumber;

use super::side_word;
use crate::arguments::PlayArguments;
use crate::chair::{Chair, Furnishing};
use crate::line::Line;
use crate::record_file::{self, RecordFileError};
use crate::saves::Saves;
use crate::shell_word::resume_option;
use crate::{
    EngineArguments, Engines, Failure, Palette, PlayerKind, PlayerSpec, Recorder, StdinLines,
    Teller, text_file,
};

/// A program that may take this long is said to be thinking, where a person watches.
const LONG_WAIT: Duration = Duration::from_secs(1);

/// A hint takes no longer than this, and no longer than the players may.
const LONGEST_HINT: Duration = Duration::from_secs(1);

pub(super) fn run(arguments: &PlayArguments) -> Result<(), Failure> {
    let palette = Palette::of_stdout();
    let mut found = Found::find(arguments)?;
    let specs = found.choose_players(arguments)?;
    let names = found.name_players(arguments, specs)?;
    let mut teller = Teller::new(anstream::stdout(), BySide::from_fn(|side| &*names[side]))
        .labels(arguments.labels.labels)
        .palette(palette);

    let ending = found.record.ending();
    if arguments.resume.is_some() && ending.termination != Termination::Unfinished {
        let referee = Referee::new(found.record.game(), BySide::default());
        teller.introduce(&referee)?;
        return Ok(teller.tell(&referee, &Event::Ended(ending))?);
    }

    let mut recorder = found.recorder(arguments)?;
    let kept_in = recorder.as_ref().map(|recorder| recorder.path().to_owned());
    let saves = Rc::new(RefCell::new(Saves::new(found.record.clone(), kept_in)));
    let engines = EngineArguments {
        tables: arguments.tables.clone(),
        ..EngineArguments::default()
    };
    let engines = Engines::new(&engines, found.record.game().position())?;
    let seed = arguments
        .seed
        .unwrap_or_else(|| RandomState::new().build_hasher().finish());
    let chair = |side: Side| {
        let furnishing = Furnishing {
            name: &names[side],
            seed: match side {
                Side::South => seed,
                // Two random players of one seed must not play alike.
                Side::North => !seed,
            },
            labels: arguments.labels.labels,
            palette,
            saves: &saves,
            engines: &engines,
            hint_limit: arguments.time.get().min(LONGEST_HINT),
        };
        Chair::new(specs[side], &furnishing)
    };
    let mut chairs = BySide::new(chair(Side::South), chair(Side::North));
    let interactive = BySide::new(
        chairs.south.player().is_interactive(),
        chairs.north.player().is_interactive(),
    );
    let limit = |side: Side| specs[side].limit.unwrap_or(arguments.time).get();
    let seats = BySide::new(
        Seat {
            player: chairs.south.player(),
            limit: limit(Side::South),
        },
        Seat {
            player: chairs.north.player(),
            limit: limit(Side::North),
        },
    );

    let mut referee = Referee::new(found.record.game(), interactive);
    teller.introduce(&referee)?;
    if !referee.game().plies().is_empty() {
        let plies = referee.game().plies().len();
        teller.remark(&format!("The game goes on after ply {plies}."))?;
    }
    let nobody_plays = interactive == BySide::new(false, false);
    let mut pauses =
        (nobody_plays && !arguments.no_pause && io::stdin().is_terminal()).then(Pauses::default);
    referee.run(seats, |referee, event| {
        if let Some(recorder) = &mut recorder {
            record(recorder, referee, event)?;
            if let Event::Ended(ending) = event
                && ending.termination == Termination::Unfinished
            {
                let resume = resume_option(recorder.path());
                let how = format!("To go on with this game: kalah play {resume}");
                teller.remark(&how)?;
            }
        }
        teller.tell(referee, event)?;
        if let (Some(pauses), Event::ToMove(side)) = (&mut pauses, event) {
            pauses.before(*side)?;
        }
        if let Event::ToMove(side) = event
            && may_take_long(referee, specs[referee.seated(*side)], arguments)
        {
            teller.thinks(referee, *side)?;
        }
        Ok::<(), Failure>(())
    })?;
    let [south, north] = [chairs.south.take_failure(), chairs.north.take_failure()];
    south.or(north).map_or(Ok(()), Err)
}

/// Whether somebody watches who would wonder what the player to move is doing.
fn may_take_long(referee: &Referee, player: PlayerSpec, arguments: &PlayArguments) -> bool {
    let keeps_time = match player.kind {
        PlayerKind::Smart => true,
        PlayerKind::Level { number } => number == LevelNumber::MAX,
        _ => false,
    };
    keeps_time
        && player.limit.unwrap_or(arguments.time).get() >= LONG_WAIT
        && referee.position().choices().nth(1).is_some()
        && io::stdout().is_terminal()
}

/// The tags that say who plays, as `--south` and `--north` take it.
const PLAYER_TAGS: BySide<&str> = BySide {
    south: "SouthPlayer",
    north: "NorthPlayer",
};

/// A game to be played, and what stands before it in its file.
struct Found {
    before: Vec<Record>,
    record: Record,
}

impl Found {
    /// A new game, or the last one of the file that is to be resumed.
    fn find(arguments: &PlayArguments) -> Result<Self, Failure> {
        let Some(path) = &arguments.resume else {
            let typed = arguments.position.as_ref().unwrap_or(&arguments.board);
            let position = typed.playable(arguments.rules.rules)?;
            return Ok(Self {
                before: Vec::new(),
                record: Record::from_game(&Game::new(position)),
            });
        };
        let mut before = record_file::read(path)?;
        match before.pop() {
            Some(record) => Ok(Self { before, record }),
            None => Err(Failure::from(RecordFileError::NoSuchGame {
                path: path.clone(),
                game: 1,
                games: 0,
            })),
        }
    }

    /// Who plays by the side on which they began: as the arguments say, or else the record, or else
    /// a person against the engine. From here on the record says so too.
    fn choose_players(&mut self, arguments: &PlayArguments) -> Result<BySide<PlayerSpec>, Failure> {
        let given = BySide::new(arguments.south, arguments.north);
        let mut specs = BySide::new(PlayerSpec::HUMAN, PlayerSpec::SMART);
        for side in Side::ALL {
            let tag = PLAYER_TAGS[side];
            if let Some(spec) = given[side] {
                specs[side] = spec;
            } else if let Some(recorded) = self.record.tags().get(tag) {
                specs[side] = recorded.parse().map_err(|reason| {
                    let option = side_word(side);
                    Failure::Work(format!(
                        "tag {tag}: {reason}; --{option} PLAYER takes its place"
                    ))
                })?;
            }
            self.record
                .set_tag(tag, specs[side].to_string())
                .map_err(|reason| Failure::Work(reason.to_string()))?;
        }
        Ok(specs)
    }

    /// The players' names by the side on which they began: as the arguments say, or else the
    /// record, or else as such players are called. From here on the record says so too.
    fn name_players(
        &mut self,
        arguments: &PlayArguments,
        specs: BySide<PlayerSpec>,
    ) -> Result<BySide<String>, Failure> {
        let given = BySide::new(&arguments.south_name, &arguments.north_name);
        let tags = BySide::new(Tags::SOUTH, Tags::NORTH);
        let names = BySide::from_fn(|side| {
            let recorded = self.record.tags().get(tags[side]);
            match (given[side], recorded) {
                (Some(name), _) => name.clone(),
                (None, Some(name)) => name.to_owned(),
                (None, None) => specs[side].default_name(),
            }
        });
        for side in Side::ALL {
            self.record
                .set_tag(tags[side], names[side].as_str())
                .map_err(|reason| Failure::Work(reason.to_string()))?;
        }
        Ok(names)
    }

    /// What records the game, which is on disk then.
    fn recorder(&self, arguments: &PlayArguments) -> Result<Option<Recorder>, Failure> {
        let recorder = match (&arguments.resume, &arguments.record) {
            (None, None) => return Ok(None),
            (None, Some(path)) => Recorder::append(path, self.record.clone())?,
            (Some(file), Some(path)) if !text_file::same(file, path) => {
                Recorder::append(path, self.record.clone())?
            }
            (Some(path), _) => Recorder::go_on(path, &self.before, self.record.clone())?,
        };
        Ok(Some(recorder))
    }
}

/// Writes down what has changed, if anything has.
fn record(recorder: &mut Recorder, referee: &Referee, event: &Event) -> Result<(), Failure> {
    match event {
        Event::ToMove(_) => {}
        Event::Refused { .. } if referee.ending().is_none() => {}
        _ => recorder.write(referee.game(), referee.ending())?,
    }
    Ok(())
}

/// Waits for ENTER between the turns of two programs, until the input ends.
#[derive(Default)]
struct Pauses {
    /// Whose turn it was last.
    turn: Option<Side>,
    input: StdinLines,
    ended: bool,
}

impl Pauses {
    /// Waits if `side` begins a turn.
    fn before(&mut self, side: Side) -> Result<(), Failure> {
        let begins = self.turn.replace(side).is_some_and(|turn| turn != side);
        if begins && !self.ended {
            let mut output = anstream::stdout();
            write!(output, "Press ENTER to go on. ")?;
            output.flush()?;
            let line = Line::read(&mut self.input);
            if !matches!(line, Ok(ref line) if *line != Line::End) {
                self.ended = true;
                writeln!(output)?;
            }
            line.map_err(Failure::Input)?;
        }
        Ok(())
    }
}
