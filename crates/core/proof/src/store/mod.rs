//! Proof stores: the goals of a proof in an `SQLite` file.

mod error;
mod lock;

use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kalah::{Margin, Position, Rules, SeedCount, Setup};
use kalah_engine::ProofNumbers;
use kalah_files::PendingFile;
use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension as _, TransactionBehavior, params,
};

use crate::coordinator::Coordinator;
use crate::goal::ProofGoal;
use crate::statement::ProofStatement;
use crate::tree::Tree;

pub use error::{ProofStoreError, StoreDamage};
use lock::StoreLock;

/// The application id in the header of a store: `KPrf` in ASCII.
const APPLICATION_ID: i32 = 0x4b50_7266;
/// The version of the schema.
const VERSION: i32 = 1;

/// The greatest absolute value of a target or an estimate: a margin counts all seeds of the
/// position, and the lead in its stores counts once more.
const MAX_TARGET: u32 = 2 * SeedCount::MAX.get() as u32 + 2;

/// The content of a proof store.
#[derive(Clone, Debug)]
pub struct StoredProof {
    /// The statement of the proof.
    pub statement: ProofStatement,
    /// The proof tree.
    pub tree: Tree,
    /// The runs of programs that worked on it.
    pub runs: Vec<Run>,
}

impl StoredProof {
    /// Checks that this proof, which the store at `path` has, is a proof of `position`.
    pub(crate) fn check_position(
        &self,
        path: &Path,
        position: &Position,
    ) -> Result<(), ProofStoreError> {
        let stored = &self.statement.position;
        if stored == position {
            return Ok(());
        }
        let describe = |position: &Position| format!("'{position}' under {}", position.rules());
        Err(ProofStoreError::OtherPosition {
            path: path.to_owned(),
            stored: describe(stored),
            expected: describe(position),
        })
    }
}

/// A run of a program that works on a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The process and its machine, such as `process 4711 on pluto`.
    pub holder: String,
    /// The version of the program.
    pub program: String,
    /// Its results.
    pub totals: RunTotals,
}

/// The results of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunTotals {
    /// The time from its start to its last result.
    pub time: Duration,
    /// The jobs that it has completed.
    pub jobs: u64,
    /// The nodes of these jobs.
    pub nodes: u64,
}

/// A proof store that this process writes. No other process can open it for writing.
pub struct ProofStore {
    path: PathBuf,
    connection: Connection,
    /// The number of this run in the table of runs, once it has results.
    run: Option<i64>,
    /// The number of goals in the file.
    goals: usize,
    /// The program of this run and its version.
    program: String,
    lock: StoreLock,
}

impl ProofStore {
    /// Extends the proof to the margins of all moves.
    pub(crate) fn extend_to_all_moves(
        &self,
        path: &Path,
        proof: &mut StoredProof,
    ) -> Result<(), ProofStoreError> {
        (self.connection)
            .execute("UPDATE proof SET all_moves = 1", [])
            .map_err(|error| ProofStoreError::from_sqlite(path, error))?;
        proof.statement.all_moves = true;
        Ok(())
    }

    /// Creates the store of a new proof. The file gets its name when it is a complete store.
    ///
    /// # Errors
    /// [`ProofStoreError`] if the file exists or cannot be written.
    pub fn create(path: &Path, statement: &ProofStatement) -> Result<Self, ProofStoreError> {
        Self::create_with_tree(path, statement, &Tree::default())
    }

    /// Creates the store of a new proof that begins with `tree`.
    pub(crate) fn create_with_tree(
        path: &Path,
        statement: &ProofStatement,
        tree: &Tree,
    ) -> Result<Self, ProofStoreError> {
        let lock = StoreLock::acquire(path)?;
        if path.exists() {
            return Err(ProofStoreError::Exists(path.to_owned()));
        }
        let cannot_create = |reason| ProofStoreError::Create {
            path: path.to_owned(),
            reason,
        };
        let pending = PendingFile::beside(path).map_err(cannot_create)?;
        write_new(pending.path(), statement, tree)
            .map_err(|error| ProofStoreError::from_sqlite(path, error))?;
        pending.create_target().map_err(cannot_create)?;
        let mut store = Self::connect(path, lock)?;
        store.goals = tree.len();
        Ok(store)
    }

    /// Opens a store, and returns it with its proof.
    ///
    /// # Errors
    /// [`ProofStoreError`] if there is no such file, if it is no store, damaged, or of another
    /// version, and if another process writes it.
    pub fn open(path: &Path) -> Result<(Self, StoredProof), ProofStoreError> {
        check_is_file(path)?;
        let mut store = Self::connect(path, StoreLock::acquire(path)?)?;
        let proof = load(path, &store.connection)?;
        store.goals = proof.tree.len();
        Ok((store, proof))
    }

    /// Opens a locked store for writing.
    fn connect(path: &Path, lock: StoreLock) -> Result<Self, ProofStoreError> {
        let connection = connect(path)?;
        configure(&connection).map_err(|error| ProofStoreError::from_sqlite(path, error))?;
        Ok(Self {
            path: path.to_owned(),
            connection,
            run: None,
            goals: 0,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            lock,
        })
    }

    /// Returns the store with `program`, the name and the version of the program, in the entry of
    /// this run. Without it the entry has the version of this crate.
    #[must_use]
    pub fn with_program(mut self, program: &str) -> Self {
        program.clone_into(&mut self.program);
        self
    }

    /// Reads the proof of a store, which another process can be writing.
    ///
    /// # Errors
    /// [`ProofStoreError`] as for [`ProofStore::open`], except that no lock is taken.
    pub fn read(path: &Path) -> Result<StoredProof, ProofStoreError> {
        // After a crash the first connection has to complete or undo the last change. Without
        // permission to write, SQLite opens the file for reading.
        let connection = connect(path)?;
        let sqlite = |error| ProofStoreError::from_sqlite(path, error);
        (connection.pragma_update(None, "query_only", true)).map_err(sqlite)?;
        // One state of the store, while another process writes it.
        let transaction = connection.unchecked_transaction().map_err(sqlite)?;
        load(path, &transaction)
    }

    /// Returns the runs so far, the last of which is that of this process if it has results.
    ///
    /// # Errors
    /// [`ProofStoreError`] if the file cannot be read.
    pub fn runs(&self) -> Result<Vec<Run>, ProofStoreError> {
        load_runs(&self.connection).map_err(|error| ProofStoreError::from_sqlite(&self.path, error))
    }

    /// Returns the name of the process that writes the store now; `None` if there is none.
    pub fn holder(path: &Path) -> Option<String> {
        lock::holder(path)
    }

    /// Writes the changes of a proof since the last successful write, and the totals of this run,
    /// which has taken `time` so far. They are in the file when the function returns, also if the
    /// process is killed then.
    ///
    /// # Errors
    /// [`ProofStoreError`] if the file cannot be written; it has none of the changes then.
    pub fn write(
        &mut self,
        coordinator: &mut Coordinator,
        time: Duration,
    ) -> Result<(), ProofStoreError> {
        let totals = RunTotals {
            time,
            jobs: coordinator.completed_jobs(),
            nodes: coordinator.completed_nodes(),
        };
        let mut write = || {
            let behavior = TransactionBehavior::Immediate;
            let transaction = self.connection.transaction_with_behavior(behavior)?;
            write_goals(&transaction, coordinator.tree(), self.goals)?;
            let run = write_run(
                &transaction,
                self.run,
                [self.lock.name(), &self.program],
                totals,
            )?;
            transaction.commit()?;
            self.run = Some(run);
            self.goals = coordinator.tree().len();
            coordinator.clear_changes();
            Ok(())
        };
        write().map_err(|error| ProofStoreError::from_sqlite(&self.path, error))
    }
}

impl ProofStore {
    /// Forgets the store in a forked process, which has a copy of it, so that it stays with the
    /// other process alone: otherwise its lock would last until both have ended. The file is not
    /// touched, and a small amount of memory is lost.
    pub fn forget_after_fork(self) {
        ManuallyDrop::new(self).lock.close();
    }
}

/// Leaves one file without a journal beside it, which can be copied and read in a folder without
/// write access.
impl Drop for ProofStore {
    fn drop(&mut self) {
        // The store is complete with its journal, too.
        let _ = (self.connection).pragma_update(None, "journal_mode", "DELETE");
    }
}

/// Writes the store of a new proof to an empty file.
fn write_new(path: &Path, statement: &ProofStatement, tree: &Tree) -> rusqlite::Result<()> {
    let mut connection = Connection::open(path)?;
    let transaction = connection.transaction()?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.execute_batch(include_str!("schema.sql"))?;
    transaction.execute(
        "INSERT INTO proof VALUES (0, ?1, ?2, ?3, ?4, ?5)",
        params![
            statement.position.to_string(),
            statement.position.rules().to_string(),
            statement.all_moves,
            statement.estimate.seeds(),
            env!("CARGO_PKG_VERSION"),
        ],
    )?;
    write_goals(&transaction, tree, 0)?;
    transaction.commit()?;
    connection.close().map_err(|(_, error)| error)
}

/// Checks that a path is that of a file.
fn check_is_file(path: &Path) -> Result<(), ProofStoreError> {
    if !path.exists() {
        return Err(ProofStoreError::NotFound(path.to_owned()));
    }
    if path.is_dir() {
        return Err(ProofStoreError::NotAStore(path.to_owned()));
    }
    Ok(())
}

/// Opens a file as a store of this version.
fn connect(path: &Path) -> Result<Connection, ProofStoreError> {
    check_is_file(path)?;
    let sqlite = |error| ProofStoreError::from_sqlite(path, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(sqlite)?;
    let pragma = |name: &str| {
        connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i32>(0))
    };
    let is_store = match pragma("application_id") {
        Ok(id) => id == APPLICATION_ID,
        Err(rusqlite::Error::SqliteFailure(error, _)) if error.code == ErrorCode::NotADatabase => {
            false
        }
        Err(error) => return Err(sqlite(error)),
    };
    if !is_store {
        return Err(ProofStoreError::NotAStore(path.to_owned()));
    }
    match pragma("user_version").map_err(sqlite)? {
        VERSION => Ok(connection),
        found => Err(ProofStoreError::Version {
            path: path.to_owned(),
            found,
            known: VERSION,
        }),
    }
}

/// Sets the journal of a connection: readers see a store that is being written, and a commit
/// survives the end of the process.
fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")
}

/// Writes the goals that have changed to a file that has the first `stored` goals.
fn write_goals(connection: &Connection, tree: &Tree, stored: usize) -> rusqlite::Result<()> {
    let mut changes = tree.changes().to_vec();
    changes.sort_unstable();
    changes.dedup();
    let mut insert =
        connection.prepare_cached("INSERT INTO goals VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?;
    let mut update = connection.prepare_cached(
        "UPDATE goals SET answer = ?2, expanded = ?3, proof = ?4, disproof = ?5, nodes = ?6
         WHERE id = ?1",
    )?;
    for id in changes {
        let (goal, node) = (tree.goal(id), tree.node(id));
        let (number, nodes) = (to_sql(id.index() as u64), to_sql(node.searched));
        let (answer, is_expanded) = (node.answer(), !node.is_leaf());
        let is_open_leaf = !is_expanded && answer.is_none();
        let proof = is_open_leaf.then_some(node.numbers.proof);
        let disproof = is_open_leaf.then_some(node.numbers.disproof);
        if id.index() < stored {
            update.execute(params![number, answer, is_expanded, proof, disproof, nodes])?;
        } else {
            let (position, target) = (goal.position().to_string(), goal.target().seeds());
            insert.execute(params![
                number,
                position,
                target,
                answer,
                is_expanded,
                proof,
                disproof,
                nodes
            ])?;
        }
    }
    Ok(())
}

/// Writes the totals of a run, and returns its number. Without `id` it is a new run.
fn write_run(
    connection: &Connection,
    id: Option<i64>,
    [holder, program]: [&str; 2],
    totals: RunTotals,
) -> rusqlite::Result<i64> {
    let RunTotals { time, jobs, nodes } = totals;
    connection
        .prepare_cached(
            "INSERT INTO runs VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (id) DO UPDATE SET seconds = excluded.seconds, jobs = excluded.jobs,
                 nodes = excluded.nodes
             RETURNING id",
        )?
        .query_row(
            params![
                id,
                holder,
                program,
                time.as_secs_f64(),
                to_sql(jobs),
                to_sql(nodes),
            ],
            |row| row.get(0),
        )
}

/// Returns a number as `SQLite` stores it.
fn to_sql(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A row of the table of goals.
struct GoalRow {
    goal: ProofGoal,
    answer: Option<bool>,
    is_expanded: bool,
    /// The proof and the disproof number.
    numbers: (Option<f64>, Option<f64>),
    nodes: u64,
}

impl GoalRow {
    /// Returns whether the row has the numbers of an open leaf: positive and finite ones.
    fn has_valid_numbers(&self) -> bool {
        let is_valid =
            |number: Option<f64>| number.is_some_and(|number| number.is_finite() && number > 0.0);
        is_valid(self.numbers.0) && is_valid(self.numbers.1)
    }
}

/// Reads the proof of a store.
fn load(path: &Path, connection: &Connection) -> Result<StoredProof, ProofStoreError> {
    let sqlite = |error| ProofStoreError::from_sqlite(path, error);
    let damaged = |damage| ProofStoreError::Damaged {
        path: path.to_owned(),
        damage,
    };
    let statement = load_statement(connection).map_err(sqlite)?;
    let statement = statement
        .ok_or(StoreDamage::NoStatement)
        .and_then(|statement| statement)
        .map_err(damaged)?;
    let rules = statement.position.rules();
    let mut tree = Tree::default();
    let mut goals = connection
        .prepare(
            "SELECT id, position, target, answer, expanded, proof, disproof, nodes
             FROM goals ORDER BY id",
        )
        .map_err(sqlite)?;
    let mut rows = goals.query([]).map_err(sqlite)?;
    let mut expanded = Vec::new();
    while let Some(row) = rows.next().map_err(sqlite)? {
        let id: i64 = row.get(0).map_err(sqlite)?;
        let row = read_row(row, rules).map_err(sqlite)?.map_err(damaged)?;
        let next = tree.len();
        if row.answer.is_none() && !row.is_expanded && !row.has_valid_numbers() {
            let text = |number: Option<f64>| number.map_or("none".to_owned(), |n| n.to_string());
            return Err(damaged(StoreDamage::Numbers {
                id: next,
                proof: text(row.numbers.0),
                disproof: text(row.numbers.1),
            }));
        }
        // The numbers of an expanded goal follow from its children, whatever its row says.
        let numbers = (row.numbers.0.zip(row.numbers.1)).filter(|_| !row.is_expanded);
        let numbers = numbers.map(|(proof, disproof)| ProofNumbers { proof, disproof });
        let (node, is_new) = tree.restore(row.goal, row.answer, numbers, row.nodes);
        if !is_new || usize::try_from(id) != Ok(next) {
            return Err(damaged(StoreDamage::Number {
                expected: next,
                found: id,
            }));
        }
        if row.is_expanded {
            expanded.push(node);
        }
    }
    for &id in &expanded {
        tree.restore_edges(id)
            .map_err(|mv| damaged(StoreDamage::MissingChild { id: id.index(), mv }))?;
    }
    tree.restore_numbers(&expanded);
    // The answers that follow from others can contradict those of rows, too.
    if let Some(id) = tree.find_contradiction() {
        return Err(damaged(StoreDamage::Contradiction { id: id.index() }));
    }
    let runs = load_runs(connection).map_err(sqlite)?;
    Ok(StoredProof {
        statement,
        tree,
        runs,
    })
}

fn load_runs(connection: &Connection) -> rusqlite::Result<Vec<Run>> {
    let query = "SELECT holder, program, seconds, jobs, nodes FROM runs ORDER BY id";
    let mut statement = connection.prepare(query)?;
    let runs = statement.query_map([], |row| {
        let (seconds, jobs, nodes): (f64, i64, i64) = (row.get(2)?, row.get(3)?, row.get(4)?);
        Ok(Run {
            holder: row.get(0)?,
            program: row.get(1)?,
            totals: RunTotals {
                time: Duration::try_from_secs_f64(seconds).unwrap_or_default(),
                jobs: jobs.unsigned_abs(),
                nodes: nodes.unsigned_abs(),
            },
        })
    })?;
    runs.collect()
}

fn load_statement(
    connection: &Connection,
) -> rusqlite::Result<Option<Result<ProofStatement, StoreDamage>>> {
    let query = "SELECT position, rules, all_moves, estimate FROM proof";
    connection
        .query_row(query, [], |row| {
            let (position, rules): (String, String) = (row.get(0)?, row.get(1)?);
            let (all_moves, estimate): (bool, i64) = (row.get(2)?, row.get(3)?);
            Ok(parse_position(&position, &rules).and_then(|position| {
                let seeds = i32::try_from(estimate).ok();
                let seeds = seeds.filter(|seeds| seeds.unsigned_abs() <= MAX_TARGET);
                Ok(ProofStatement {
                    position,
                    all_moves,
                    estimate: Margin::new(seeds.ok_or(StoreDamage::Estimate(estimate))?),
                })
            }))
        })
        .optional()
}

fn parse_position(text: &str, rules: &str) -> Result<Position, StoreDamage> {
    let rules = rules
        .parse::<Rules>()
        .map_err(|error| StoreDamage::Rules(error.to_string()))?;
    position_under(text, rules)
}

fn position_under(text: &str, rules: Rules) -> Result<Position, StoreDamage> {
    let setup = text
        .parse::<Setup>()
        .map_err(|error| StoreDamage::Position(error.to_string()))?;
    setup
        .position(rules)
        .map_err(|error| StoreDamage::Position(error.to_string()))
}

/// Returns the goal of a position and a target; `None` if they are not its normal form.
fn normal_goal(position: &Position, target: i64) -> Option<ProofGoal> {
    let target = i32::try_from(target).ok();
    let target = target.filter(|target| target.unsigned_abs() <= MAX_TARGET)?;
    let goal = ProofGoal::new(position, Margin::new(target));
    let is_normal = goal.position() == position && goal.target().seeds() == target;
    is_normal.then_some(goal)
}

fn read_row(
    row: &rusqlite::Row<'_>,
    rules: Rules,
) -> rusqlite::Result<Result<GoalRow, StoreDamage>> {
    let text: String = row.get(1)?;
    let target: i64 = row.get(2)?;
    let numbers = (row.get(5)?, row.get(6)?);
    let (answer, is_expanded) = (row.get(3)?, row.get(4)?);
    let nodes = row.get::<_, i64>(7)?.unsigned_abs();
    let goal = position_under(&text, rules).and_then(|position| {
        let goal = normal_goal(&position, target);
        goal.ok_or(StoreDamage::Goal {
            position: text,
            target,
        })
    });
    Ok(goal.map(|goal| GoalRow {
        goal,
        answer,
        is_expanded,
        numbers,
        nodes,
    }))
}
