//! Compilers, language standards and include orders that the front supports.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use test_tools::Tool;

use crate::cpp_build::{CppBuild, STRICT, assert_success, cpp_build, root};

/// The headers that a student includes.
const HEADERS: [&str; 4] = ["Side", "Board", "Player", "Game"];

/// Returns the sources of the front and of its demonstrations.
fn sources() -> Vec<PathBuf> {
    ["cpp", "demos"]
        .iter()
        .flat_map(|directory| fs::read_dir(root().join(directory)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cpp"))
        .collect()
}

/// Asserts that a compiler accepts the sources with these flags.
fn compile(compiler: Tool, flags: &[&str], sources: &[PathBuf]) {
    let output = Command::new(compiler.require())
        .args(flags)
        .arg("-fsyntax-only")
        .arg("-I")
        .arg(root().join("cpp"))
        .args(sources)
        .output();
    assert_success(&format!("{} {flags:?}", compiler.name()), output);
}

/// Creates a source that includes these headers in this order.
fn including(cpp_build: &CppBuild, headers: &[&str]) -> PathBuf {
    let mut text = String::new();
    for header in headers {
        writeln!(text, "#include \"{header}.h\"").unwrap();
    }
    let path = cpp_build
        .directory("includes")
        .join(format!("{}.cpp", headers.join("")));
    fs::write(&path, text).unwrap();
    path
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn headers_compile_alone_twice_and_in_any_order() {
    let cpp_build = cpp_build();
    let mut sources = Vec::new();
    for first in HEADERS {
        sources.push(including(cpp_build, &[first]));
        sources.push(including(cpp_build, &[first, first]));
        for second in HEADERS {
            for third in HEADERS {
                for fourth in HEADERS {
                    let order = [first, second, third, fourth];
                    if HEADERS.iter().all(|header| order.contains(header)) {
                        sources.push(including(cpp_build, &order));
                    }
                }
            }
        }
    }
    assert_eq!(sources.len(), 4 + 4 + 24);
    compile(Tool::Gpp, &STRICT, &sources);
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn front_compiles_as_cpp11_to_cpp20() {
    for standard in ["-std=c++11", "-std=c++14", "-std=c++20"] {
        compile(
            Tool::Gpp,
            &["-pedantic", "-Wall", "-Wextra", "-Werror", standard],
            &sources(),
        );
    }
}

#[test]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
fn front_compiles_without_warnings_at_o2() {
    compile(Tool::Gpp, &[&STRICT[..], &["-O2"]].concat(), &sources());
}

#[test]
#[cfg_attr(not(has_clangpp), ignore = "clang++ not found")]
fn clang_compiles_the_front() {
    compile(Tool::Clangpp, &STRICT, &sources());
}

#[test]
fn only_demonstrations_define_main() {
    for source in sources() {
        let text = fs::read_to_string(&source).unwrap();
        let is_demo = source
            .parent()
            .is_some_and(|parent| parent.ends_with("demos"));
        assert_eq!(text.contains("main("), is_demo, "{}", source.display());
    }
}

#[test]
fn classes_use_no_friend_protected_or_set_beans() {
    for path in fs::read_dir(root().join("cpp")).unwrap() {
        let path = path.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let code: String = (text.lines())
            .map(|line| line.split("//").next().unwrap_or(line))
            .fold(String::new(), |code, line| code + line + "\n");
        for word in ["friend", "protected"] {
            assert!(!code.contains(word), "{word} in {}", path.display());
        }
        let setters = code.matches("setBeans").count();
        let is_board = path.file_stem().is_some_and(|stem| stem == "Board");
        assert_eq!(
            setters,
            usize::from(is_board),
            "setBeans in {}",
            path.display()
        );
    }
}
