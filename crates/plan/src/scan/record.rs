//! A stored row as scans meet it: where it is, its record opened, and the text of its bytes.

use std::borrow::Cow;

use millpond_access::Rid;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_types::row::{RowError, RowView};
use millpond_types::{CodePage, Value};

/// What identifies a row: its place in a heap of tempdb, or its key in the tree of the rows.
#[derive(Clone, Copy)]
pub(crate) enum Locator<'a> {
    Rid(Rid),
    Key(&'a [u8]),
}

impl Locator<'_> {
    pub(crate) fn value(self) -> Value {
        match self {
            Locator::Rid(rid) => Value::BigInt(rid.to_u64().cast_signed()),
            Locator::Key(key) => Value::binary(key),
        }
    }
}

/// A row of a page: its record, opened, and where it is.
pub(crate) struct PageRow<'l, 'r> {
    pub(crate) view: RowView<'l, 'r>,
    pub(crate) locator: Locator<'r>,
}

impl<'l, 'r> AsRef<RowView<'l, 'r>> for PageRow<'l, 'r> {
    #[inline]
    fn as_ref(&self) -> &RowView<'l, 'r> {
        &self.view
    }
}

/// The text of a `char` or `varchar`. ASCII is the same in both code pages, and not copied.
pub(crate) fn narrow_text(bytes: &[u8], page: CodePage) -> SqlResult<Cow<'_, str>> {
    match (std::str::from_utf8(bytes), page) {
        (Ok(text), CodePage::Utf8) => Ok(Cow::Borrowed(text)),
        (Ok(text), _) if text.is_ascii() => Ok(Cow::Borrowed(text)),
        (Err(_), CodePage::Utf8) => Err(message::of_row(RowError::Damaged { what: "text that is no UTF-8" })),
        _ => Ok(Cow::Owned(millpond_types::text::decode(bytes, page).into())),
    }
}
