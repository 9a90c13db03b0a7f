//! The build directory of the C++ tests, which compiles every object once, and the programs that
//! the tests run.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};
use std::time::{Duration, Instant};
use std::{fs, thread};

use test_tools::Tool;

/// The time after which a program counts as hanging.
const TIMEOUT: Duration = Duration::from_mins(10);
/// Sets the kit's limit for `SmartPlayer`, 5 seconds by default, to a time that a busy machine
/// keeps.
const SMART_SECONDS_FLAG: &str = "-DKIT_SMART_SECONDS=300";
/// `KIT_SECONDS` for checks that must end without a timeout, also on a slow machine.
pub(crate) const NO_HANG_SECONDS: &str = "300";
/// The interval at which a running program is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Returns the folder of the crate.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The authors of `Board`, `Player` and `Game` in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Classes {
    pub(crate) board: Author,
    pub(crate) player: Author,
    pub(crate) game: Author,
}

/// The author of a pair of a header and a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Author {
    /// The front, in `cpp/`.
    Front,
    /// These tests, in `tests/front/cpp/standin/`.
    StandIn,
    /// These tests, in `tests/front/cpp/throwing/`: a `Board` that throws on request.
    Throwing,
}

/// The compiler flags of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Build {
    /// Warnings are errors.
    Plain,
    /// The address and undefined behaviour sanitizers are on.
    Sanitized,
    /// Warnings are off, for code that is wrong on purpose.
    NoWarnings,
}

/// The classes that a translation unit includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Includes {
    Nothing,
    Board,
    BoardAndPlayer,
    Everything,
}

/// The result of a program.
pub(crate) struct ProgramResult {
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

    /// Replaces the classes that are not included by the front's, so that builds that differ only
    /// in those share their objects.
    fn included(self, includes: Includes) -> Self {
        let mut classes = Self::FRONT;
        if includes != Includes::Nothing {
            classes.board = self.board;
        }
        if matches!(includes, Includes::BoardAndPlayer | Includes::Everything) {
            classes.player = self.player;
        }
        if includes == Includes::Everything {
            classes.game = self.game;
        }
        classes
    }

    fn name(self) -> String {
        let names: Vec<_> = (self.authors().into_iter())
            .filter_map(|(name, author)| match author {
                Author::Front => None,
                Author::StandIn => Some(name.to_lowercase()),
                Author::Throwing => Some(format!("throwing-{}", name.to_lowercase())),
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
            Self::NoWarnings => "no-warnings",
        }
    }

    fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &[],
            Self::NoWarnings => &["-w"],
            Self::Sanitized => &[
                "-g",
                "-fsanitize=address,undefined",
                "-fno-sanitize-recover=all",
            ],
        }
    }
}

/// Flags for all C++ code of this crate.
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

/// The build directory with the static library and the objects compiled so far.
pub(crate) struct CppBuild {
    directory: PathBuf,
    pub(crate) library: PathBuf,
    objects: Mutex<HashMap<PathBuf, Arc<OnceLock<()>>>>,
}

static BUILD: LazyLock<CppBuild> = LazyLock::new(CppBuild::create);

/// Returns the build directory. Panics if g++ is missing.
pub(crate) fn cpp_build() -> &'static CppBuild {
    Tool::Gpp.require();
    &BUILD
}

impl CppBuild {
    fn create() -> Self {
        // Emptied at the start of the process, so that no object is older than its source.
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

    /// Creates the directory of that name if it does not exist.
    pub(crate) fn directory(&self, name: &str) -> PathBuf {
        let directory = self.directory.join(name);
        fs::create_dir_all(&directory).unwrap();
        directory
    }

    /// Returns the directory with the headers and sources of these classes and of `Side`.
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
                    Author::Throwing => root().join("tests/front/cpp/throwing"),
                };
                copy(&from, &format!("{name}.h"), &directory);
                copy(&from, &format!("{name}.cpp"), &directory);
            }
        });
        directory
    }

    /// Compiles these classes and `Side`.
    pub(crate) fn objects(&self, classes: Classes, build: Build) -> Vec<PathBuf> {
        let sources = self.sources(classes);
        [
            ("Board", Includes::Board),
            ("Player", Includes::BoardAndPlayer),
            ("Game", Includes::Everything),
            ("Side", Includes::Board),
        ]
        .map(|(name, includes)| {
            let source = sources.join(format!("{name}.cpp"));
            self.object(&source, includes, classes, build)
        })
        .to_vec()
    }

    /// Compiles a source that includes the given ones of these classes.
    pub(crate) fn object(
        &self,
        source: &Path,
        includes: Includes,
        classes: Classes,
        build: Build,
    ) -> PathBuf {
        let classes = classes.included(includes);
        let stem = source.file_stem().and_then(OsStr::to_str).unwrap();
        // The check `board` and the class `Board` need different names on a file system that
        // ignores case.
        let kind = match source.parent().and_then(Path::file_name) {
            Some(parent) if parent == "kit" || parent == "lib" => "kit",
            Some(parent) if parent == "cpp" => "program",
            _ => "class",
        };
        let directory = self.directory(&format!("{}-{}", classes.name(), build.name()));
        let object = directory.join(format!("{kind}-{stem}.o"));
        let include = self.sources(classes);
        self.once(&object, || {
            let output = Command::new("g++")
                .args(STRICT)
                .args(build.flags())
                .arg(SMART_SECONDS_FLAG)
                .arg("-I")
                .arg(&include)
                .arg("-I")
                .arg(root().join("kit/lib"))
                .arg("-c")
                .arg(source)
                .arg("-o")
                .arg(&object)
                .output();
            assert_success(&format!("compiling {}", source.display()), output);
        });
        object
    }

    /// Links these objects with the library.
    pub(crate) fn link(&self, name: &str, objects: &[PathBuf], build: Build) -> PathBuf {
        self.link_with(name, |command| {
            command
                .args(build.flags())
                .args(objects)
                .arg(&self.library)
                .args(["-lpthread", "-ldl", "-lm"]);
        })
    }

    /// Links these objects, which call nothing of the library.
    pub(crate) fn link_without_library(&self, name: &str, objects: &[PathBuf]) -> PathBuf {
        self.link_with(name, |command| {
            command.args(objects);
        })
    }

    /// Links a program with the arguments that `add_arguments` adds.
    fn link_with(&self, name: &str, add_arguments: impl FnOnce(&mut Command)) -> PathBuf {
        let program = self.directory("programs").join(name);
        self.once(&program, || {
            let mut command = Command::new("g++");
            add_arguments(&mut command);
            let output = command.arg("-o").arg(&program).output();
            assert_success(&format!("linking {name}"), output);
        });
        program
    }

    /// Builds one of the kit's programs, `board`, `player`, `game` or `play`, for these classes.
    pub(crate) fn kit(&self, checks: &str, classes: Classes, build: Build) -> PathBuf {
        let mut objects = self.objects(classes, build);
        objects.extend(self.kit_objects(checks, classes, build));
        let name = format!("kit-{checks}-{}-{}", classes.name(), build.name());
        self.link(&name, &objects, build)
    }

    /// Compiles the kit's part of [`CppBuild::kit`].
    pub(crate) fn kit_objects(&self, checks: &str, classes: Classes, build: Build) -> Vec<PathBuf> {
        let includes = match checks {
            "board" => Includes::Board,
            "player" => Includes::BoardAndPlayer,
            _ => Includes::Everything,
        };
        let mut sources = vec![
            ("lib/checker", Includes::Nothing),
            ("lib/model", Includes::Board),
            (checks, includes),
        ];
        if includes == Includes::Everything {
            sources.push(("lib/outcome", includes));
        }
        let object = |(name, includes)| {
            let source = root().join("kit").join(format!("{name}.cpp"));
            self.object(&source, includes, classes, build)
        };
        sources.into_iter().map(object).collect()
    }

    /// Calls `build` for the first caller with this path. Other callers with the path wait for it.
    fn once(&self, path: &Path, build: impl FnOnce()) {
        let done = Arc::clone(
            self.objects
                .lock()
                .unwrap()
                .entry(path.to_owned())
                .or_default(),
        );
        done.get_or_init(build);
    }
}

fn copy(from: &Path, file: &str, to: &Path) {
    fs::copy(from.join(file), to.join(file)).unwrap();
}

/// Finds the static library that cargo built with these tests: the newest one beside them.
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

/// Builds the static library and returns its path.
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

/// Asserts that a command started and succeeded.
#[track_caller]
pub(crate) fn assert_success(what: &str, output: std::io::Result<Output>) {
    let output = output.unwrap();
    assert!(
        output.status.success(),
        "{what}:\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Runs a command with `input` as its whole standard input.
#[track_caller]
pub(crate) fn run(command: &mut Command, input: &str) -> ProgramResult {
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
    // The write fails if the program ends without reading all of its input.
    let writer = thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let out = thread::spawn(|| std::io::read_to_string(stdout).unwrap());
    let err = thread::spawn(|| std::io::read_to_string(stderr).unwrap());
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > TIMEOUT {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{what} hangs");
        }
        thread::sleep(POLL_INTERVAL);
    };
    writer.join().unwrap();
    ProgramResult {
        status,
        out: out.join().unwrap(),
        err: err.join().unwrap(),
    }
}

impl ProgramResult {
    /// Asserts that the program succeeded.
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
