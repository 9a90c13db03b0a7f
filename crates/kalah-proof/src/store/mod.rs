//! Proof stores: the goals of a proof in an `SQLite` file.

mod error;
mod lock;

use std::path::{Path, PathBuf};

use kalah::{Margin, Position, Rules, Setup};
use kalah_engine::ProofNumbers;
use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension as _, TransactionBehavior, params,
};

use crate::goal::ProofGoal;
use crate::tree::{NodeId, Tree};

pub use error::{StoreDamage, StoreError};
use lock::StoreLock;

/// The application id in the header of a store: `KPrf` in ASCII.
const APPLICATION_ID: i32 = 0x4b50_7266;
/// The version of the schema.
const VERSION: i32 = 1;

/// The statement of a proof: what it proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofTask {
    /// The position.
    pub position: Position,
    /// Whether the margins of all moves are proven, and not only that of the best one.
    pub all_moves: bool,
    /// The margin that the first goals are chosen by.
    pub estimate: Margin,
}

/// A proof store that this process writes. No other process can open it for writing.
pub struct ProofStore {
    path: PathBuf,
    connection: Connection,
    _lock: StoreLock,
}

impl ProofStore {
    /// Creates the store of a new proof.
    ///
    /// # Errors
    /// [`StoreError`] if the file exists or cannot be written.
    pub fn create(path: &Path, task: &ProofTask) -> Result<Self, StoreError> {
        let lock = StoreLock::acquire(path)?;
        if path.exists() {
            return Err(StoreError::Exists(path.to_owned()));
        }
        let sqlite = |error| StoreError::from_sqlite(path, error);
        let mut connection = Connection::open(path).map_err(sqlite)?;
        let create = |connection: &mut Connection| {
            configure(connection)?;
            let transaction = connection.transaction()?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
            transaction.execute_batch(include_str!("schema.sql"))?;
            transaction.execute(
                "INSERT INTO proof VALUES (0, ?1, ?2, ?3, ?4, ?5)",
                params![
                    task.position.to_string(),
                    task.position.rules().to_string(),
                    task.all_moves,
                    task.estimate.seeds(),
                    env!("CARGO_PKG_VERSION"),
                ],
            )?;
            transaction.commit()
        };
        create(&mut connection).map_err(sqlite)?;
        Ok(Self {
            path: path.to_owned(),
            connection,
            _lock: lock,
        })
    }

    /// Opens a store, and returns it with its proof.
    ///
    /// # Errors
    /// [`StoreError`] if there is no such file, if it is no store, damaged, or of another version,
    /// and if another process writes it.
    pub fn open(path: &Path) -> Result<(Self, ProofTask, Tree), StoreError> {
        let lock = StoreLock::acquire(path)?;
        let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        configure(&connection).map_err(|error| StoreError::from_sqlite(path, error))?;
        let (task, tree) = load(path, &connection)?;
        let store = Self {
            path: path.to_owned(),
            connection,
            _lock: lock,
        };
        Ok((store, task, tree))
    }

    /// Reads the proof of a store, which another process can be writing.
    ///
    /// # Errors
    /// [`StoreError`] as for [`ProofStore::open`], except that no lock is taken.
    pub fn read(path: &Path) -> Result<(ProofTask, Tree), StoreError> {
        let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        load(path, &connection)
    }

    /// Writes the changes of a tree. They are in the file when the function returns, also if the
    /// process is killed then.
    ///
    /// # Errors
    /// [`StoreError`] if the file cannot be written; it has none of the changes then.
    pub fn write(&mut self, tree: &Tree, changes: &[NodeId]) -> Result<(), StoreError> {
        let path = &self.path;
        write(&mut self.connection, tree, changes)
            .map_err(|error| StoreError::from_sqlite(path, error))
    }
}

/// Opens a file as a store of this version.
fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    if !path.exists() {
        return Err(StoreError::NotFound(path.to_owned()));
    }
    let sqlite = |error| StoreError::from_sqlite(path, error);
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(sqlite)?;
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
        return Err(StoreError::NotAStore(path.to_owned()));
    }
    match pragma("user_version").map_err(sqlite)? {
        VERSION => Ok(connection),
        found => Err(StoreError::Version {
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

fn write(connection: &mut Connection, tree: &Tree, changes: &[NodeId]) -> rusqlite::Result<()> {
    let mut changes = changes.to_vec();
    changes.sort_unstable();
    changes.dedup();
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let mut statement = transaction.prepare_cached(
            "INSERT INTO goals VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
             ON CONFLICT (id) DO UPDATE SET answer = excluded.answer, expanded = excluded.expanded,
                 proof = excluded.proof, disproof = excluded.disproof, nodes = excluded.nodes",
        )?;
        for id in changes {
            let (goal, node) = (tree.goal(id), tree.node(id));
            let number =
                |number: f64| (node.is_leaf() && node.answer().is_none()).then_some(number);
            statement.execute(params![
                to_sql(id.index() as u64),
                goal.position().to_string(),
                goal.target().seeds(),
                node.answer(),
                !node.is_leaf(),
                number(node.numbers.proof),
                number(node.numbers.disproof),
                to_sql(node.searched),
            ])?;
        }
    }
    transaction.commit()
}

/// Returns a number as `SQLite` stores it.
fn to_sql(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A row of the table of goals.
struct Row {
    goal: ProofGoal,
    answer: Option<bool>,
    is_expanded: bool,
    numbers: Option<ProofNumbers>,
    nodes: u64,
}

/// Reads the proof of a store.
fn load(path: &Path, connection: &Connection) -> Result<(ProofTask, Tree), StoreError> {
    let sqlite = |error| StoreError::from_sqlite(path, error);
    let damaged = |damage| StoreError::Damaged {
        path: path.to_owned(),
        damage,
    };
    let task = load_task(connection).map_err(sqlite)?;
    let task = task
        .ok_or(StoreDamage::NoTask)
        .and_then(|task| task)
        .map_err(damaged)?;
    let rules = task.position.rules();
    let mut tree = Tree::default();
    let mut statement = connection
        .prepare(
            "SELECT id, position, target, answer, expanded, proof, disproof, nodes
             FROM goals ORDER BY id",
        )
        .map_err(sqlite)?;
    let mut rows = statement.query([]).map_err(sqlite)?;
    let mut expanded = Vec::new();
    while let Some(row) = rows.next().map_err(sqlite)? {
        let id: i64 = row.get(0).map_err(sqlite)?;
        let row = read_row(row, rules).map_err(sqlite)?.map_err(damaged)?;
        let next = tree.len();
        let (node, is_new) = tree.restore(row.goal, row.answer, row.numbers, row.nodes);
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
    Ok((task, tree))
}

fn load_task(connection: &Connection) -> rusqlite::Result<Option<Result<ProofTask, StoreDamage>>> {
    let query = "SELECT position, rules, all_moves, estimate FROM proof";
    connection
        .query_row(query, [], |row| {
            let (position, rules): (String, String) = (row.get(0)?, row.get(1)?);
            let (all_moves, estimate) = (row.get(2)?, row.get(3)?);
            Ok(parse_position(&position, &rules).map(|position| ProofTask {
                position,
                all_moves,
                estimate: Margin::new(estimate),
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

fn read_row(row: &rusqlite::Row<'_>, rules: Rules) -> rusqlite::Result<Result<Row, StoreDamage>> {
    let text: String = row.get(1)?;
    let target: i32 = row.get(2)?;
    let (proof, disproof): (Option<f64>, Option<f64>) = (row.get(5)?, row.get(6)?);
    let (answer, is_expanded) = (row.get(3)?, row.get(4)?);
    let nodes = row.get::<_, i64>(7)?.unsigned_abs();
    let goal = position_under(&text, rules).and_then(|position| {
        let goal = ProofGoal::new(&position, Margin::new(target));
        let is_canonical = goal.position() == &position && goal.target().seeds() == target;
        is_canonical.then_some(goal).ok_or(StoreDamage::Goal {
            position: text,
            target,
        })
    });
    Ok(goal.map(|goal| Row {
        goal,
        answer,
        is_expanded,
        numbers: proof
            .zip(disproof)
            .map(|(proof, disproof)| ProofNumbers { proof, disproof }),
        nodes,
    }))
}
