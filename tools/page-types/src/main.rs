//! `npm run api` in `web`: writes `web/types/api.d.ts`.

#![forbid(unsafe_code)]

use std::io;

fn main() -> io::Result<()> {
    page_types::write_page_types()
}
