//! Sharing: short addresses of games, previews of links in messengers, and the board in a frame of
//! another site.

pub(crate) mod board_picture;
pub(crate) mod embed;
mod preview_texts;
pub(crate) mod previews;
pub(crate) mod records;
