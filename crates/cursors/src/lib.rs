//! API server cursors: those that ODBC, OLE DB and JDBC open, move and change rows through by calls of `sp_cursoropen` and its kin.
//!
//! ```text
//!   sp_cursoropen, sp_cursorexecute, sp_cursorprepexec ──DECLARE, OPEN──▶ handle ── fetch buffer ── sp_cursorclose
//!                                                        sp_cursorfetch ────▶│  first row … last row
//!                                                             sp_cursor ────▶┘  UPDATE, DELETE, LOCK, REFRESH of its rows
//! ```
//! What always holds:
//! - A1: an API cursor is a cursor of T-SQL without a name (`code::cursors`): what it sees of later changes, and how it changes
//!   rows, is that one's. What is added here is the fetch buffer, the options of clients and what is sent.
//! - A2: a handle is the session's. It lasts until sp_cursorclose, the end of the session or its reset.
//! - A3: between two calls the cursor stands on the first row of its fetch buffer, or where SETPOSITION has put it: what UPDATE
//!   and DELETE WHERE CURRENT OF change by the name that sp_cursoroption gave.
//!
//! It knows no session: what runs a text and moves a cursor is a [`Host`].

pub mod answer;
pub mod buffer;
pub mod calls;
pub mod fetch;
pub mod fetched;
pub mod host;
pub mod kept;
pub mod open;
pub mod option;
pub mod options;
pub mod origins;
pub mod positioned;
pub mod texts;

pub use answer::{Answer, Failure, Procedure};
pub use calls::call;
pub use host::{Host, Mover, Ran, Step};
