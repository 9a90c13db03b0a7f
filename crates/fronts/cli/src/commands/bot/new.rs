//! `kalah bot new`: a bot that plays, as a start for one's own.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};
use kalah_players::quoted_path;

use crate::error::CliError;
use crate::output::messages::print_stderr;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The bot speaks UKI and receives the current position, so that it needs no rules. README.md in the
folder has the commands that build, test and check it, and those that play against it.

Examples:
  kalah bot new python mybot
  kalah bot new rust my-rust-bot")]
pub(super) struct BotNewArgs {
    /// The programming language
    #[arg(value_name = "LANGUAGE")]
    language: BotLanguage,
    /// The folder, which is created and must be empty
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
}

/// A programming language of bots.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum BotLanguage {
    Python,
    C,
    Cpp,
    Java,
    Rust,
}

/// The files of a bot, and the commands in its folder.
struct BotTemplate {
    /// The file with the bot, and its content.
    source: (&'static str, &'static str),
    /// The file with the tests, unless they are in the source.
    tests: Option<(&'static str, &'static str)>,
    /// The command that builds the bot, if one is needed.
    build: Option<&'static str>,
    test: &'static str,
    /// The command of the bot.
    run: &'static str,
}

/// The file with the commands, and its content, in which `{...}` are replaced.
const README: (&str, &str) = ("README.md", include_str!("templates/README.md.template"));

impl BotLanguage {
    const fn template(self) -> BotTemplate {
        match self {
            Self::Python => BotTemplate {
                source: ("bot.py", include_str!("templates/bot.py")),
                tests: Some(("test_bot.py", include_str!("templates/test_bot.py"))),
                build: None,
                test: "python3 test_bot.py",
                run: "python3 bot.py",
            },
            Self::C => BotTemplate {
                source: ("bot.c", include_str!("templates/bot.c")),
                tests: Some(("test_bot.c", include_str!("templates/test_bot.c"))),
                build: Some("cc -O2 -Wall -o bot bot.c"),
                test: "cc -o test_bot test_bot.c && ./test_bot",
                run: "./bot",
            },
            Self::Cpp => BotTemplate {
                source: ("bot.cpp", include_str!("templates/bot.cpp")),
                tests: Some(("test_bot.cpp", include_str!("templates/test_bot.cpp"))),
                build: Some("g++ -std=c++17 -O2 -Wall -o bot bot.cpp"),
                test: "g++ -std=c++17 -o test_bot test_bot.cpp && ./test_bot",
                run: "./bot",
            },
            Self::Java => BotTemplate {
                source: ("Bot.java", include_str!("templates/Bot.java")),
                tests: Some(("BotTest.java", include_str!("templates/BotTest.java"))),
                build: Some("javac Bot.java"),
                test: "javac Bot.java BotTest.java && java BotTest",
                run: "java Bot",
            },
            Self::Rust => BotTemplate {
                source: ("bot.rs", include_str!("templates/bot.rs.template")),
                tests: None,
                build: Some("rustc -O bot.rs"),
                test: "rustc --test -o test_bot bot.rs && ./test_bot",
                run: "./bot",
            },
        }
    }
}

pub(super) fn run(arguments: &BotNewArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let folder = &arguments.folder;
    let missing: Vec<&Path> = (folder.ancestors())
        .take_while(|ancestor| !ancestor.as_os_str().is_empty() && !ancestor.exists())
        .collect();
    if missing.is_empty() {
        let mut entries = fs::read_dir(folder).map_err(|reason| cannot_write(folder, &reason))?;
        if entries.next().is_some() {
            let text = format!("{} is not empty", quoted_path(folder));
            return Err(CliError::Runtime(text));
        }
    }
    let template = arguments.language.template();
    let readme = readme(&template);
    let files = [
        Some(template.source),
        template.tests,
        Some((README.0, &*readme)),
    ];
    let files: Vec<(PathBuf, &str)> = (files.into_iter().flatten())
        .map(|(name, content)| (folder.join(name), content))
        .collect();
    if let Err(error) = write_files(folder, &files) {
        // The folder must be empty when the command runs again.
        for (path, _) in &files {
            let _ = fs::remove_file(path);
        }
        for folder in missing {
            let _ = fs::remove_dir(folder);
        }
        return Err(error);
    }
    for (path, _) in &files {
        writeln!(output, "{}", path.display())?;
    }
    let readme = quoted_path(&folder.join(README.0));
    print_stderr(&format!(
        "note: {readme} has the commands that test the bot, check it and play against it"
    ));
    Ok(())
}

/// Creates the folder, and writes the files.
fn write_files(folder: &Path, files: &[(PathBuf, &str)]) -> Result<(), CliError> {
    fs::create_dir_all(folder).map_err(|reason| cannot_write(folder, &reason))?;
    for (path, content) in files {
        fs::write(path, content).map_err(|reason| cannot_write(path, &reason))?;
    }
    Ok(())
}

fn cannot_write(path: &Path, reason: &io::Error) -> CliError {
    CliError::Runtime(format!("cannot write {}: {reason}", quoted_path(path)))
}

/// Returns the README of a bot.
fn readme(template: &BotTemplate) -> String {
    let build =
        (template.build).map_or_else(String::new, |build| format!("| build | `{build}` |\n"));
    let spec = format!("cmd='{}',name=Mine", template.run);
    README
        .1
        .replace("{source}", template.source.0)
        .replace("{build}", &build)
        .replace("{test}", template.test)
        .replace("{spec}", &spec)
}
