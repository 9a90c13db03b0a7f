//! Records with the results of a review.

use kalah::record::{Record, RecordBuilder, RecordEntry, RecordProblem, Tags, Turn};
use kalah::{Labels, Move};
use kalah_engine::{Commentary, MoveGrade, Reason, Review, ReviewedPly};

use crate::describe::Notation;
use crate::reasons::{BEAUTIFUL_SYMBOL, ply_symbol, reasons_text};
use crate::review::format_cost;

/// Returns the record of a reviewed game with the grades of its plies, their costs and reasons as
/// comments, the better moves as variations, and `annotator`, such as `kalah/0.1.0`, in the tag
/// `Annotator` after the other annotators of the record.
///
/// The grade is the first comment of its ply, such as `{ ?? }`, where the page reads it, and it
/// replaces the grade of an earlier review. Comments and variations of the record are not repeated.
///
/// # Errors
/// The record has a variation at a place where it cannot be written. Records that were read have
/// none.
///
/// # Panics
/// If the review is not one of the record's game.
pub fn annotate(
    record: &Record,
    review: &Review,
    commentary: &Commentary,
    annotator: &str,
) -> Result<Record, RecordProblem> {
    let mut tags = record.tags().clone();
    let annotators = annotators(tags.get(Tags::ANNOTATOR).unwrap_or_default(), annotator);
    tags.set(Tags::ANNOTATOR, annotators)?;
    let notation = Notation::new(&record.start(), Labels::Letters);
    let mut builder = RecordBuilder::new(tags)?;
    let mut plies = review.plies.iter().zip(&commentary.reasons);
    let (before, sections) = split_at_plies(record.entries());
    for entry in before {
        builder.push(entry)?;
    }
    // The moves of the current turn, with which its variations begin.
    let mut turn_moves: (Option<Turn>, Vec<Move>) = (None, Vec::new());
    for section in sections {
        let Some((ply, reasons)) = plies.next() else {
            unreachable!("the review has all plies of the game");
        };
        if turn_moves.0 != Some(section.turn) {
            turn_moves = (Some(section.turn), Vec::new());
        }
        section.write(ply, reasons, notation, &turn_moves.1, &mut builder)?;
        turn_moves.1.push(ply.mv);
    }
    builder.finish()
}

/// The separator of the names in the tag `Annotator`.
const ANNOTATOR_SEPARATOR: &str = "; ";

/// The begin of the name of every version of this program in the tag `Annotator`.
const PROGRAM_PREFIX: &str = "kalah/";

/// Returns the names of the tag `Annotator` with `program` at their end, which replaces an earlier
/// version of this program.
fn annotators(names: &str, program: &str) -> String {
    let others = names.split(ANNOTATOR_SEPARATOR.trim_end()).map(str::trim);
    let others =
        others.filter(|name| !matches!(*name, "" | "?") && !name.starts_with(PROGRAM_PREFIX));
    let all: Vec<&str> = others.chain([program]).collect();
    all.join(ANNOTATOR_SEPARATOR)
}

/// A ply of the main line with the entries up to the next one.
struct PlySection<'a> {
    turn: Turn,
    entry: &'a RecordEntry,
    /// The comments directly after the ply.
    comments: &'a [RecordEntry],
    /// The variations, and the comments on them.
    others: &'a [RecordEntry],
}

/// Returns the entries before the first ply, and each ply of the main line.
fn split_at_plies(entries: &[RecordEntry]) -> (&[RecordEntry], Vec<PlySection<'_>>) {
    let mut depth = 0;
    let mut starts = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        match entry {
            RecordEntry::BeginVariation(_) => depth += 1,
            RecordEntry::EndVariation => depth -= 1,
            RecordEntry::Ply { turn, .. } if depth == 0 => starts.push((index, *turn)),
            RecordEntry::Ply { .. } | RecordEntry::Comment(_) => {}
        }
    }
    let ends = starts.iter().skip(1).map(|&(start, _)| start);
    let ends: Vec<usize> = ends.chain([entries.len()]).collect();
    let sections = starts.iter().zip(ends).map(|(&(start, turn), end)| {
        let (entry, tail) = (&entries[start], &entries[start + 1..end]);
        let is_comment = |entry: &&RecordEntry| matches!(entry, RecordEntry::Comment(_));
        let comments = tail.iter().take_while(is_comment).count();
        let (comments, others) = tail.split_at(comments);
        PlySection {
            turn,
            entry,
            comments,
            others,
        }
    });
    let sections = sections.collect();
    let first = starts.first().map_or(entries.len(), |&(start, _)| start);
    (&entries[..first], sections)
}

impl PlySection<'_> {
    /// Writes the ply with its review. `turn_moves` are the moves before it in its turn.
    fn write(
        &self,
        ply: &ReviewedPly,
        reasons: &[Reason],
        notation: Notation,
        turn_moves: &[Move],
        builder: &mut RecordBuilder,
    ) -> Result<(), RecordProblem> {
        builder.push(self.entry)?;
        let symbol = ply_symbol(ply, reasons);
        if !symbol.is_empty() {
            builder.comment(symbol)?;
        }
        for (index, comment) in self.comments.iter().enumerate() {
            if index > 0 || !is_grade(comment) {
                builder.push(comment)?;
            }
        }
        if let Some(text) = comment_text(ply, reasons, notation)
            && !self.comments.contains(&RecordEntry::Comment(text.clone()))
        {
            builder.comment(&text)?;
        }
        for &better in &ply.better_moves {
            let moves: Vec<Move> = turn_moves.iter().copied().chain([better]).collect();
            if !self.has_variation(&moves) {
                builder.begin_variation(self.turn)?;
                for mv in moves {
                    builder.play(mv)?;
                }
                builder.end_variation()?;
            }
        }
        for entry in self.others {
            builder.push(entry)?;
        }
        Ok(())
    }

    /// Returns whether a variation from the turn of the ply begins with these moves.
    fn has_variation(&self, moves: &[Move]) -> bool {
        let mut others = self.others;
        while let Some((first, rest)) = others.split_first() {
            others = rest;
            let begins = matches!(first, RecordEntry::BeginVariation(turn) if *turn == self.turn);
            let plies = rest.iter().map_while(|entry| match entry {
                RecordEntry::Ply { mv, .. } => Some(*mv),
                _ => None,
            });
            if begins && plies.take(moves.len()).eq(moves.iter().copied()) {
                return true;
            }
        }
        false
    }
}

/// Returns whether an entry is the grade of an earlier review.
fn is_grade(entry: &RecordEntry) -> bool {
    let grades = MoveGrade::LOST_CHANCES.map(|(_, grade)| MoveGrade::symbol(grade));
    match entry {
        RecordEntry::Comment(text) => text == BEAUTIFUL_SYMBOL || grades.contains(&text.as_str()),
        _ => false,
    }
}

/// Returns the comment on a reviewed ply: its cost and the reasons.
fn comment_text(ply: &ReviewedPly, reasons: &[Reason], notation: Notation) -> Option<String> {
    let cost = ply
        .has_cost()
        .then(|| format!("Cost {}.", format_cost(ply)));
    let words = reasons_text(reasons, ply, notation);
    let parts: Vec<String> = cost.into_iter().chain(words).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use kalah_engine::{AnalysisGoal, Engine, Limits};

    use super::*;

    /// Reviews the game of a record with proven margins, and annotates it.
    fn reviewed(record: &Record) -> Record {
        let game = record.game();
        let limits = Limits {
            goal: AnalysisGoal::AllMargins,
            ..Limits::default()
        };
        let mut engine = Engine::new();
        let reports = Review::analyze_positions(&game, |position| {
            engine.analyze(position, limits, &|| Duration::ZERO)
        });
        let review = Review::from_reports(&game, &reports);
        let commentary = Commentary::new(&game, &reports, &review);
        annotate(record, &review, &commentary, "kalah/1.2.3").expect("a record that can be written")
    }

    fn words(record: &Record) -> String {
        let text = record.to_string();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn records_have_grades_costs_and_better_moves() {
        let text = "[Position \"3x2\"]\n\n1. A { [%emt 0:00:01] slow } c A b *";
        let record: Record = text.parse().expect("a record");
        let annotated = reviewed(&record);
        assert_eq!(
            words(&annotated),
            "[Position \"3x2\"] [Annotator \"kalah/1.2.3\"] \
             1. A { ?? } { [%emt 0:00:01] slow } { Cost 12 seeds. Missed a bonus turn with house B. } \
             ( 1. B ) \
             1... c { ?? } { Cost 10 seeds. Missed a bonus turn with house b. } ( 1... b ) \
             2. A { ?? } { Cost 10 seeds. } ( 2. C ) 2... b *"
        );
        assert_eq!(annotated.to_string().parse(), Ok(annotated.clone()));
        assert_eq!(annotated.game(), record.game());
        assert_eq!(annotated.ply_times(), record.ply_times());
    }

    #[test]
    fn other_annotators_are_kept() {
        for (names, expected) in [
            ("Prof. Bob", "Prof. Bob; kalah/1.2.3"),
            ("kalah/0.9.0", "kalah/1.2.3"),
            ("Ann; kalah/0.9.0;Prof. Bob", "Ann; Prof. Bob; kalah/1.2.3"),
            ("?", "kalah/1.2.3"),
        ] {
            let text = format!("[Position \"3x2\"]\n[Annotator \"{names}\"]\n\n1. A *");
            let record: Record = text.parse().expect("a record");
            let annotated = reviewed(&record);
            assert_eq!(annotated.tags().get(Tags::ANNOTATOR), Some(expected));
        }
    }

    #[test]
    fn better_moves_within_a_turn_follow_its_first_moves() {
        let text = "[Position \"3x2\"]\n\n1. B A ( 1. C { mine } ) *";
        let record: Record = text.parse().expect("a record");
        let annotated = words(&reviewed(&record));
        assert!(annotated.contains("( 1. BC )"), "{annotated}");
        assert!(annotated.contains("( 1. C { mine } )"), "{annotated}");
    }

    #[test]
    fn another_review_repeats_nothing() {
        let text = "[Position \"3x2\"]\n\n1. A { ! } { ?! } c A b a C b c B a A c A *";
        let record: Record = text.parse().expect("a record");
        let annotated = reviewed(&record);
        assert_eq!(reviewed(&annotated), annotated);
        let graded: Record = "[Position \"3x2\"]\n\n1. A { ?! } *"
            .parse()
            .expect("a record");
        assert!(words(&reviewed(&graded)).contains("1. A { ?? } { Cost"));
    }
}
