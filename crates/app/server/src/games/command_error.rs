//! The reasons why a game between friends rejects a command.

use kalah::Side;
use thiserror::Error;

/// The reason why a game rejects a command.
#[derive(Clone, Debug, PartialEq, Error)]
pub(crate) enum CommandError {
    /// The token belongs to neither player.
    #[error("the token belongs to neither player of this game")]
    InvalidToken,
    /// The code of a seat is wrong, was used, or is too old.
    #[error("the code of the seat is wrong, was used before, or is too old")]
    InvalidCode,
    /// The command needs a token, and the client is a spectator.
    #[error("only players may do this: the request has no token")]
    MissingToken,
    /// Both seats are taken.
    #[error("both seats of this game are taken")]
    NoFreeSeat,
    /// No other player has joined.
    #[error("no other player has joined this game")]
    NoOtherPlayer,
    /// Another ply was played first, or the client's state is outdated.
    #[error("ply {requested} is out of order: expected ply {expected}")]
    WrongPly {
        /// The ply of the command.
        requested: usize,
        /// The next ply of the game.
        expected: usize,
    },
    /// The other player is to move.
    #[error("it is {to_move}'s turn")]
    NotYourTurn {
        /// The side to move.
        to_move: Side,
    },
    /// The game has ended.
    #[error("the game has ended")]
    GameEnded,
    /// A rematch is possible only after the end.
    #[error("the game has not ended yet")]
    GameNotEnded,
    /// The player has not made a move in this game.
    #[error("you have made no move that could be taken back")]
    NoMoveToTakeBack,
    /// The other player waits for the answer to another takeback.
    #[error("the other player has offered a takeback: accept or decline it first")]
    OtherOfferOpen,
    /// There is no open offer that the action could apply to.
    #[error("there is no open offer to accept, decline or withdraw")]
    NoOffer,
    /// The other player has declined the same offer.
    #[error("the other player has declined this offer")]
    OfferDeclined,
    /// The leader of the room has paused the game.
    #[error("the leader of the room has paused the game")]
    Paused,
    /// The room of the game allows no takebacks.
    #[error("the games of this room have no takebacks")]
    NoTakebacks,
    /// The members of a room are paired by the room.
    #[error("the games of a room have no rematch: start or accept a game in the room")]
    NoRematch,
    /// The move is invalid or illegal.
    #[error(transparent)]
    InvalidMove(#[from] kalah_api::RequestError),
}
