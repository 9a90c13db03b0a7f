//! The opening statistics in the database. They are those of the finished games that are stored,
//! and change in the transactions that end and delete games.

use kalah::{Ending, PlayerId};
use kalah_book::{MoveCounts, OpeningKey, OpeningMove, OpeningResults, opening_moves};
use rusqlite::{Connection, OptionalExtension as _, named_params, params};

use crate::error::GameStoreError;
use crate::model::{GameId, GameState, StoredGame};
use crate::room::RoomCode;
use crate::sql;

/// The games of which statistics tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningScope {
    /// The games between friends whose players both share them.
    Server,
    /// The games of a room.
    Room(RoomCode),
}

impl OpeningScope {
    /// Returns the scope as the table has it.
    fn as_str(&self) -> &str {
        match self {
            Self::Server => "",
            Self::Room(code) => code.as_str(),
        }
    }

    /// Returns the statistics to which a game belongs.
    fn of_game(game: &StoredGame) -> Option<Self> {
        match &game.room {
            Some(room) => Some(Self::Room(room.code.clone())),
            None => (game.state.is_shared()).then_some(Self::Server),
        }
    }
}

impl GameState {
    /// Returns whether both players let the game count in the opening statistics of the server.
    pub fn is_shared(&self) -> bool {
        PlayerId::ALL.into_iter().all(|player| self.shares[player])
    }
}

/// Selects a game with a scope, which is counted only once.
const SELECT_UNCOUNTED: &str = "
    SELECT 1 FROM games
    WHERE id = ?1 AND counted = 0 AND termination IS NOT NULL
        AND (room IS NOT NULL OR south_shares AND north_shares)";
const SELECT_ALL_UNCOUNTED: &str = "
    SELECT id FROM games
    WHERE counted = 0 AND termination IS NOT NULL
        AND (room IS NOT NULL OR south_shares AND north_shares)";
const SELECT_COUNTED: &str = "SELECT counted FROM games WHERE id = ?1";
const MARK_COUNTED: &str = "UPDATE games SET counted = 1 WHERE id = ?1";
const ADD: &str = "
    INSERT INTO openings (scope, rules, position, move, wins, ties, losses)
    VALUES (:scope, :rules, :position, :move, :wins, :ties, :losses)
    ON CONFLICT DO UPDATE SET wins = wins + excluded.wins, ties = ties + excluded.ties,
        losses = losses + excluded.losses";
const SUBTRACT: &str = "
    UPDATE openings SET wins = wins - :wins, ties = ties - :ties, losses = losses - :losses
    WHERE scope = :scope AND rules = :rules AND position = :position AND move = :move";
const DELETE_EMPTY: &str = "
    DELETE FROM openings
    WHERE scope = ?1 AND rules = ?2 AND position = ?3 AND move = ?4 AND wins + ties + losses = 0";
const DELETE_SCOPE: &str = "DELETE FROM openings WHERE scope = ?1";
const SELECT: &str = "
    SELECT move, wins, ties, losses FROM openings
    WHERE scope = ?1 AND rules = ?2 AND position = ?3";

/// Counts a game that belongs to statistics, if it has ended and is not counted.
pub(crate) fn count_game(connection: &Connection, id: GameId) -> Result<(), GameStoreError> {
    let is_due = connection
        .prepare_cached(SELECT_UNCOUNTED)?
        .exists([id.as_bytes()])?;
    if !is_due {
        return Ok(());
    }
    change_counts(connection, id, ADD)?;
    connection
        .prepare_cached(MARK_COUNTED)?
        .execute([id.as_bytes()])?;
    Ok(())
}

/// Counts all games that have ended and are not counted, such as those of older databases.
pub(crate) fn count_all(connection: &Connection) -> Result<(), rusqlite::Error> {
    let mut statement = connection.prepare(SELECT_ALL_UNCOUNTED)?;
    let ids = statement.query_map([], |row| row.get::<_, [u8; 16]>(0))?;
    for id in ids.collect::<Result<Vec<_>, _>>()? {
        count_game(connection, GameId::from(id))
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    }
    Ok(())
}

/// Takes a game that will be deleted out of the statistics.
pub(crate) fn uncount_game(connection: &Connection, id: GameId) -> Result<(), GameStoreError> {
    let counted: Option<bool> = connection
        .prepare_cached(SELECT_COUNTED)?
        .query_row([id.as_bytes()], |row| row.get(0))
        .optional()?;
    if counted != Some(true) {
        return Ok(());
    }
    change_counts(connection, id, SUBTRACT)?;
    let mut delete_empty = connection.prepare_cached(DELETE_EMPTY)?;
    for (scope, OpeningMove { key, mv, .. }) in moves_of(connection, id) {
        delete_empty.execute(params![scope.as_str(), key.rules, key.position, mv])?;
    }
    Ok(())
}

/// Changes the counts of the moves of a game by their results.
fn change_counts(connection: &Connection, id: GameId, change: &str) -> Result<(), GameStoreError> {
    let mut statement = connection.prepare_cached(change)?;
    for (scope, OpeningMove { key, mv, result }) in moves_of(connection, id) {
        let OpeningResults { wins, ties, losses } = result;
        statement.execute(named_params! {
            ":scope": scope.as_str(),
            ":rules": key.rules,
            ":position": key.position,
            ":move": mv,
            ":wins": wins,
            ":ties": ties,
            ":losses": losses,
        })?;
    }
    Ok(())
}

/// Deletes the statistics of a room.
pub(crate) fn delete_room(connection: &Connection, room: &RoomCode) -> Result<(), GameStoreError> {
    connection
        .prepare_cached(DELETE_SCOPE)?
        .execute([room.as_str()])?;
    Ok(())
}

/// Returns the counts of the moves of a position.
pub(crate) fn select_counts(
    connection: &Connection,
    scope: &OpeningScope,
    key: &OpeningKey,
) -> Result<MoveCounts, GameStoreError> {
    let mut statement = connection.prepare_cached(SELECT)?;
    let counts = statement.query_map([scope.as_str(), &key.rules, &key.position], |row| {
        let counts = OpeningResults {
            wins: row.get("wins")?,
            ties: row.get("ties")?,
            losses: row.get("losses")?,
        };
        Ok((row.get("move")?, counts))
    })?;
    Ok(counts.collect::<Result<_, _>>()?)
}

/// Returns the moves of a game for the statistics to which it belongs. A game that cannot be read
/// or replayed has none.
fn moves_of(connection: &Connection, id: GameId) -> Vec<(OpeningScope, OpeningMove)> {
    let Ok(Some(game)) = sql::load_game(connection, id) else {
        return Vec::new();
    };
    let (Some(scope), Some(ending)) = (OpeningScope::of_game(&game), game.state.ending) else {
        return Vec::new();
    };
    let Ok(replayed) = game.replay() else {
        return Vec::new();
    };
    let ending = Ending {
        termination: ending.termination,
        winner: ending.winner,
        outcome: None,
    };
    opening_moves(&replayed, &ending)
        .into_iter()
        .map(|opening| (scope.clone(), opening))
        .collect()
}

#[cfg(test)]
mod tests;
