//! Where C++ is compiled and run: every object once, whoever asks for it.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};
use std::time::{Duration, Instant};
use std::{fs, thread};

use test_tools::Tool;

/// How long a program may run before it counts as hanging.
const PATIENCE: Duration = Duration::from_mins(10);
/// Gives `SmartPlayer` more than the five seconds that the kit measures elsewhere.
const UNHURRIED: &str = "-DKIT_SMART_SECONDS=300";
/// `KIT_SECONDS` for checks that have to end by themselves, on a machine as slow as may be.
pub(crate) const NO_HANG_SECONDS: &str = "300";
/// How long the waiting thread sleeps between two looks at a program.
const NAP: Duration = Duration::from_millis(5);

/// The crate, where the C++ sources are.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Somebody's `Board`, `Player` and `Game`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Classes {
    pub(crate) board: Author,
    pub(crate) player: Author,
    pub(crate) game: Author,
}

/// Whose a pair of a header and a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Author {
    /// The front itself.
    Front,
    /// The stand-ins of these tests.
    StandIn,
    /// A stand-in, of `Board` alone, that throws when it is told to.
    Brittle,
}

/// How code is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Build {
    /// As anybody would, with all warnings as errors.
    Plain,
    /// With checks of memory and undefined behaviour.
    Sanitized,
    /// With no warnings, for code that is wrong on purpose.
    Careless,
}

/// What a translation unit of these tests sees of the classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sees {
    Nothing,
    Board,
    BoardAndPlayer,
    Everything,
}

/// A program that has ended, or was ended.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Classes {
    pub(crate) const FRONT: Self = Self {
        board: Author::Front,
        player: Author::Front,
        game: Author::Front,
    };

    fn authors(self) -> [(&'static str, Author); 3] {
        [
            ("Board", self.board),
            ("Player", self.player),
            ("Game", self.game),
        ]
    }

    /// These classes where they are seen, the front's elsewhere: what is not seen does not matter.
    fn seen(self, sees: Sees) -> Self {
        let mut classes = Self::FRONT;
        if sees != Sees::Nothing {
            classes.board = self.board;
        }
        if matches!(sees, Sees::BoardAndPlayer | Sees::Everything) {
            classes.player = self.player;
        }
        if sees == Sees::Everything {
            classes.game = self.game;
        }
        classes
    }

    fn name(self) -> String {
        let names: Vec<_> = (self.authors().into_iter())
            .filter_map(|(name, author)| match author {
                Author::Front => None,
                Author::StandIn => Some(name.to_lowercase()),
                Author::Brittle => Some(format!("brittle-{}", name.to_lowercase())),
            })
            .collect();
        if names.is_empty() {
            "front".to_owned()
        } else {
            format!("stand-in-{}", names.join("-"))
        }
    }
}

impl Build {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Sanitized => "sanitized",
            Self::Careless => "careless",
        }
    }

    fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &[],
            Self::Careless => &["-w"],
            Self::Sanitized => &[
                "-g",
                "-fsanitize=address,undefined",
                "-fno-sanitize-recover=all",
            ],
        }
    }
}

/// Flags that all code of this crate compiles under.
pub(crate) const STRICT: [&str; 9] = [
    "-std=c++17",
    "-pedantic",
    "-Wall",
    "-Wextra",
    "-Wshadow",
    "-Wconversion",
    "-Wold-style-cast",
    "-Wnon-virtual-dtor",
    "-Werror",
];

/// The compiler, the library and what has been compiled so far.
pub(crate) struct Workshop {
    directory: PathBuf,
    pub(crate) library: PathBuf,
    objects: Mutex<HashMap<PathBuf, Arc<OnceLock<()>>>>,
}

static WORKSHOP: LazyLock<Workshop> = LazyLock::new(Workshop::open);

/// The workshop; fails the test where g++ is missing.
pub(crate) fn workshop() -> &'static Workshop {
    Tool::Gpp.require();
    &WORKSHOP
}

impl Workshop {
    fn open() -> Self {
        // A directory of this process: nothing in it is older than what it is made from.
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("front");
        if directory.exists() {
            fs::remove_dir_all(&directory).unwrap();
        }
        fs::create_dir_all(&directory).unwrap();
        Self {
            directory,
            library: library_beside_the_tests().unwrap_or_else(build_library),
            objects: Mutex::default(),
        }
    }

    /// A directory of that name, empty when it is asked for first.
    pub(crate) fn directory(&self, name: &str) -> PathBuf {
        let directory = self.directory.join(name);
        fs::create_dir_all(&directory).unwrap();
        directory
    }

    /// The directory with the headers and the sources of these classes, `Side` included.
    pub(crate) fn sources(&self, classes: Classes) -> PathBuf {
        let directory = self.directory(&classes.name());
        self.once(&directory, || {
            let front = root().join("cpp");
            for file in ["Side.h", "Side.cpp", "kalah.h"] {
                copy(&front, file, &directory);
            }
            for (name, author) in classes.authors() {
                let from = match author {
                    Author::Front => front.clone(),
                    Author::StandIn => root().join("tests/front/cpp/standin"),
                    Author::Brittle => root().join("tests/front/cpp/brittle"),
                };
                copy(&from, &format!("{name}.h"), &directory);
                copy(&from, &format!("{name}.cpp"), &directory);
            }
        });
        directory
    }

    /// The objects of these classes, with the helpers of the front.
    pub(crate) fn objects(&self, classes: Classes, build: Build) -> Vec<PathBuf> {
        let sources = self.sources(classes);
        [
            ("Board", Sees::Board),
            ("Player", Sees::BoardAndPlayer),
            ("Game", Sees::Everything),
            ("Side", Sees::Board),
        ]
        .map(|(name, sees)| {
            let source = sources.join(format!("{name}.cpp"));
            self.object(&source, sees, classes, build)
        })
        .to_vec()
    }

    /// The object of a source that sees that much of these classes.
    pub(crate) fn object(
        &self,
        source: &Path,
        sees: Sees,
        classes: Classes,
        build: Build,
    ) -> PathBuf {
        let classes = classes.seen(sees);
        let stem = source.file_stem().and_then(OsStr::to_str).unwrap();
        // `board` is a check, `Board` a class: not every file system tells them apart.
        let kind = match source.parent().and_then(Path::file_name) {
            Some(parent) if parent == "kit" => "kit",
            Some(parent) if parent == "cpp" => "program",
            _ => "class",
        };
        let directory = self.directory(&format!("{}-{}", classes.name(), build.name()));
        let object = directory.join(format!("{kind}-{stem}.o"));
        let include = self.sources(classes);
        self.once(&object, || {
            let made = Command::new("g++")
                .args(STRICT)
                .args(build.flags())
                .arg(UNHURRIED)
                .arg("-I")
                .arg(&include)
                .arg("-I")
                .arg(root().join("kit"))
                .arg("-c")
                .arg(source)
                .arg("-o")
                .arg(&object)
                .output();
            succeed(&format!("compiling {}", source.display()), made);
        });
        object
    }

    /// A program of these objects and the library.
    pub(crate) fn link(&self, name: &str, objects: &[PathBuf], build: Build) -> PathBuf {
        let program = self.directory("programs").join(name);
        self.once(&program, || {
            let made = Command::new("g++")
                .args(build.flags())
                .args(objects)
                .arg(&self.library)
                .args(["-lpthread", "-ldl", "-lm", "-o"])
                .arg(&program)
                .output();
            succeed(&format!("linking {name}"), made);
        });
        program
    }

    /// One of the kit's programs, `board`, `player`, `game` or `play`, for these classes.
    pub(crate) fn kit(&self, checks: &str, classes: Classes, build: Build) -> PathBuf {
        let mut objects = self.objects(classes, build);
        objects.extend(self.kit_objects(checks, classes, build));
        let name = format!("kit-{checks}-{}-{}", classes.name(), build.name());
        self.link(&name, &objects, build)
    }

    /// The kit's part of [`Workshop::kit`].
    pub(crate) fn kit_objects(&self, checks: &str, classes: Classes, build: Build) -> Vec<PathBuf> {
        let sees = match checks {
            "board" => Sees::Board,
            "player" => Sees::BoardAndPlayer,
            _ => Sees::Everything,
        };
        let mut sources = vec![
            ("checker", Sees::Nothing),
            ("model", Sees::Board),
            (checks, sees),
        ];
        if sees == Sees::Everything {
            sources.push(("outcome", sees));
        }
        let object = |(name, sees)| {
            let source = root().join("kit").join(format!("{name}.cpp"));
            self.object(&source, sees, classes, build)
        };
        sources.into_iter().map(object).collect()
    }

    /// Does `work` when `subject` is named first; whoever names it meanwhile waits.
    fn once(&self, subject: &Path, work: impl FnOnce()) {
        let done = Arc::clone(
            self.objects
                .lock()
                .unwrap()
                .entry(subject.to_owned())
                .or_default(),
        );
        done.get_or_init(work);
    }
}

fn copy(from: &Path, file: &str, to: &Path) {
    fs::copy(from.join(file), to.join(file)).unwrap();
}

/// The static library that cargo has built together with these tests: the newest of those beside them.
fn library_beside_the_tests() -> Option<PathBuf> {
    let tests = std::env::current_exe().ok()?;
    fs::read_dir(tests.parent()?)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let stem = path.file_stem().and_then(OsStr::to_str);
            stem.is_some_and(|stem| stem.starts_with("libkalah_capi-"))
                && path.extension().is_some_and(|extension| extension == "a")
        })
        .max_by_key(|path| fs::metadata(path).and_then(|data| data.modified()).ok())
}

/// Builds the static library as these tests were built, and finds it wherever cargo puts it.
fn build_library() -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--package", "kalah-capi", "--lib"])
        .args(["--message-format", "json"])
        .current_dir(root())
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success(), "the library does not build");
    String::from_utf8(output.stdout)
        .unwrap()
        .split('"')
        .find(|word| word.ends_with("libkalah_capi.a"))
        .map(PathBuf::from)
        .expect("cargo names the static library")
}

/// That a command could be run and did not fail.
#[track_caller]
pub(crate) fn succeed(what: &str, output: std::io::Result<Output>) {
    let output = output.unwrap();
    assert!(
        output.status.success(),
        "{what}:\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Runs a command with that input, which ends then.
#[track_caller]
pub(crate) fn run(command: &mut Command, input: &str) -> Ended {
    let what = format!("{command:?}");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    let mut stdin = child.stdin.take().unwrap();
    let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let input = input.to_owned();
    // A program that does not read its input ends before all of it is written.
    let writer = thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let out = thread::spawn(|| std::io::read_to_string(stdout).unwrap());
    let err = thread::spawn(|| std::io::read_to_string(stderr).unwrap());
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{what} hangs");
        }
        thread::sleep(NAP);
    };
    writer.join().unwrap();
    Ended {
        status,
        out: out.join().unwrap(),
        err: err.join().unwrap(),
    }
}

impl Ended {
    /// That it ended with success.
    #[track_caller]
    pub(crate) fn expect_success(&self) {
        assert!(
            self.status.success(),
            "{}\n{}{}",
            self.status,
            self.out,
            self.err
        );
    }
}
