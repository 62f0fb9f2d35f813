//! SQL Server's values: types, decimals, dates, strings and collations, casts, arithmetic, rows as bytes.
//!
//! What always holds: a [`Value`] does not carry its type; the typed place that holds it (a column, a variable, an
//! expression) does. All functions here are pure. Nothing here knows pages, the wire or the catalog.

pub mod arith;
mod ascii;
mod best_fit;
pub mod cast;
mod code_page;
pub mod coerce;
pub mod collation;
pub mod compare;
pub mod date_functions;
pub mod date_style;
pub mod decimal;
pub mod error;
pub mod format;
pub mod key;
pub mod long;
mod ordered;
pub mod row;
pub mod sql_type;
pub mod temporal;
pub mod text;
pub mod type_name;
pub mod value;
pub mod variant;
pub mod watch;

pub use arith::ArithOp;
pub use cast::CastRules;
pub use collation::Collation;
pub use decimal::Decimal;
pub use error::EvalError;
pub use key::{KeyOrder, append_key, append_key_beginning, key_len_max};
pub use long::{Bytes, Charge, Memory, Text};
pub use row::{Cell, LobPointer, RowError, RowLayout, RowView};
pub use sql_type::{CodePage, DecimalName, MaxLen, SqlType};
pub use temporal::{Date, DatePart, DateTime, DateTime2, DateTimeOffset, SmallDateTime, Time};
pub use type_name::{MAX_ARGUMENT, TypeNameError, parse_cast_type_name, parse_type_name};
pub use value::{Value, Variant};
pub use watch::{Stopped, Ticker, Watch};
