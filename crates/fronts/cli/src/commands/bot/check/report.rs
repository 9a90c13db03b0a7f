//! The results of the checks, as a table and as JSON.

use std::io::{self, Write};

use kalah_players::escape_control;
use serde_json::json;

/// The results of the checks, in their order.
#[derive(Debug, Default)]
pub(super) struct BotReport {
    checks: Vec<BotCheck>,
    /// The checks that were not made, because the program could not be asked after its last fault.
    not_run: Vec<&'static str>,
}

/// The result of a check.
#[derive(Debug)]
struct BotCheck {
    name: &'static str,
    /// The number of cases and anything else that people want to know.
    note: String,
    fault: Option<BotFault>,
}

/// A fault of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct BotFault {
    /// The behaviour that was expected.
    pub(super) expected: String,
    /// The behaviour of the program.
    pub(super) actual: String,
    /// The lines before it: those of the host begin with `>`, those of the program with `<`.
    pub(super) lines: Vec<String>,
}

impl BotReport {
    /// Adds a check without a fault.
    pub(super) fn add_ok(&mut self, name: &'static str, note: impl Into<String>) {
        self.add(name, note, Ok(()));
    }

    /// Adds a check. Returns whether it has no fault.
    pub(super) fn add(
        &mut self,
        name: &'static str,
        note: impl Into<String>,
        result: Result<(), BotFault>,
    ) -> bool {
        self.checks.push(BotCheck {
            name,
            note: note.into(),
            fault: result.err(),
        });
        self.checks
            .last()
            .is_some_and(|check| check.fault.is_none())
    }

    /// Notes which of `checks` were not made.
    pub(super) fn add_not_run(&mut self, checks: &[&'static str]) {
        let made = |name: &&str| self.checks.iter().any(|check| check.name == *name);
        self.not_run = checks.iter().copied().filter(|name| !made(name)).collect();
    }

    pub(super) fn wrong_count(&self) -> usize {
        self.checks
            .iter()
            .filter(|check| check.fault.is_some())
            .count()
    }
}

/// Returns the word of a check in the table.
fn word(check: &BotCheck) -> &'static str {
    if check.fault.is_some() { "WRONG" } else { "ok" }
}

/// Writes a line for each check, and below them each fault once.
pub(super) fn write_table(report: &BotReport, output: &mut dyn Write) -> io::Result<()> {
    let names = report.checks.iter().map(|check| check.name);
    let width = names
        .chain(report.not_run.iter().copied())
        .map(str::len)
        .max();
    let width = width.unwrap_or_default();
    for check in &report.checks {
        let line = format!("{:width$}  {:5}  {}", check.name, word(check), check.note);
        writeln!(output, "{}", line.trim_end())?;
    }
    for name in &report.not_run {
        writeln!(output, "{name:width$}  not run")?;
    }
    let mut written: Vec<&BotFault> = Vec::new();
    for check in &report.checks {
        // A position can be of several kinds.
        let Some(fault) = check
            .fault
            .as_ref()
            .filter(|fault| !written.contains(fault))
        else {
            continue;
        };
        written.push(fault);
        writeln!(output, "\n{}:", check.name)?;
        for line in &fault.lines {
            writeln!(output, "  {}", escape_control(line))?;
        }
        writeln!(output, "  {}", escape_control(&fault.actual))?;
        writeln!(output, "  expected: {}", escape_control(&fault.expected))?;
    }
    Ok(())
}

/// Writes one document of JSON.
pub(super) fn write_json(
    report: &BotReport,
    protocol: &str,
    output: &mut dyn Write,
) -> io::Result<()> {
    let checks = report.checks.iter().map(|check| {
        let mut document = json!({
            "name": check.name,
            "is_ok": check.fault.is_none(),
            "note": check.note,
        });
        if let Some(fault) = &check.fault {
            document["actual"] = json!(fault.actual);
            document["expected"] = json!(fault.expected);
            document["lines"] = json!(fault.lines);
        }
        document
    });
    let document = json!({
        "protocol": protocol,
        "is_ok": report.wrong_count() == 0,
        "is_complete": report.not_run.is_empty(),
        "checks": checks.collect::<Vec<_>>(),
        "not_run": report.not_run,
    });
    writeln!(output, "{document}")
}
