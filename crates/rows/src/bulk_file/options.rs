//! The options of BULK INSERT: what they say of the file, of batches and of errors.
//!
//! What always holds: an option that is known and not built is refused by its name; those that only advise (ORDER,
//! ROWS_PER_BATCH, KILOBYTES_PER_BATCH) change nothing.

use crate::bulk_file::fields::{Encoding, Format};

use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_tsql::ast::whole_number;
use millpond_tsql::ast::{BulkInsert, Expr, ExprKind, Literal, NamedOption, OptionValue};
use millpond_types::text::{decode_utf16, encode_cp1252};

/// Errors of rows that are passed over where MAXERRORS is not said.
const ERRORS_MAX: u64 = 10;

/// Options as they stand.
pub struct Options {
    field: Option<String>,
    row: Option<String>,
    quote: u8,
    is_csv: bool,
    /// Of the bytes of `char`.
    code_page: Encoding,
    /// Whether DATAFILETYPE says that the file is UTF-16.
    pub is_wide: bool,
    /// From 1.
    pub first_row: u64,
    /// The last row that is loaded, from 1.
    pub last_row: u64,
    /// Rows of a transaction.
    pub batch_rows: u64,
    /// Rows that may be skipped.
    pub errors_max: u64,
    /// KEEPIDENTITY
    pub keeps_identity: bool,
    /// TABLOCK
    pub table_lock: bool,
    /// KEEPNULLS
    pub keeps_nulls: bool,
    /// FIRE_TRIGGERS
    pub fires_triggers: bool,
    /// CHECK_CONSTRAINTS
    pub looks_after: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            field: None,
            row: None,
            quote: b'"',
            is_csv: false,
            code_page: Encoding::Cp1252,
            is_wide: false,
            first_row: 1,
            last_row: u64::MAX,
            batch_rows: u64::MAX,
            errors_max: ERRORS_MAX,
            keeps_identity: false,
            table_lock: false,
            keeps_nulls: false,
            fires_triggers: false,
            looks_after: false,
        }
    }
}

impl Options {
    /// # Errors
    /// 40517 for what is not built, 102 for what is no option or no value of one.
    pub fn of(statement: &BulkInsert) -> SqlResult<Options> {
        let mut options = Options::default();
        for option in &statement.options {
            options.set(option)?;
        }
        Ok(options)
    }

    fn set(&mut self, option: &NamedOption) -> SqlResult<()> {
        match option.name.as_str() {
            "FIELDTERMINATOR" => self.field = Some(terminator(option)?),
            "ROWTERMINATOR" => self.row = Some(terminator(option)?),
            "FORMAT" => self.is_csv = one_of(option, &["CSV"])? == 0,
            "FIELDQUOTE" => match text(option)?.as_bytes() {
                &[quote] => self.quote = quote,
                _ => return Err(refused(option)),
            },
            "DATAFILETYPE" => self.is_wide = one_of(option, &["char", "widechar"])? == 1,
            "CODEPAGE" => {
                let utf8 = one_of(option, &["65001", "RAW", "ACP", "1252"])? == 0;
                self.code_page = if utf8 { Encoding::Utf8 } else { Encoding::Cp1252 };
            }
            "FIRSTROW" => self.first_row = number(option)?.max(1),
            "LASTROW" => self.last_row = or_all(number(option)?),
            "BATCHSIZE" => self.batch_rows = or_all(number(option)?),
            "MAXERRORS" => self.errors_max = number(option)?,
            "KEEPIDENTITY" => self.keeps_identity = true,
            "KEEPNULLS" => self.keeps_nulls = true,
            "FIRE_TRIGGERS" => self.fires_triggers = true,
            "TABLOCK" => self.table_lock = true,
            "CHECK_CONSTRAINTS" => self.looks_after = true,
            "ORDER" => {}
            "ROWS_PER_BATCH" | "KILOBYTES_PER_BATCH" => _ = number(option)?,
            "ERRORFILE" | "ERRORFILE_DATA_SOURCE" | "DATA_SOURCE" | "FORMATFILE" | "FORMATFILE_DATA_SOURCE" => {
                return Err(message::missing(&format!("BULK INSERT … WITH {}", option.name)));
            }
            other => return Err(message::syntax_near(other)),
        }
        Ok(())
    }

    /// How the fields of a file are separated whose bytes are UTF-16 or not.
    pub fn format(&self, is_wide: bool) -> Format {
        let encoding = if is_wide { Encoding::Utf16 } else { self.code_page };
        let field = self.field.as_deref().unwrap_or(if self.is_csv { "," } else { "\\t" });
        let row = self.row.as_deref().unwrap_or("\\n");
        let row = terminator_bytes(row, encoding);
        Format {
            encoding,
            field: terminator_bytes(field, encoding),
            takes_crlf: *row == *b"\n" && !self.row.as_deref().is_some_and(is_hex),
            row,
            quote: self.is_csv.then_some(self.quote),
        }
    }
}

/// 0 means no limit.
fn or_all(number: u64) -> u64 {
    if number == 0 { u64::MAX } else { number }
}

fn constant(option: &NamedOption) -> Option<&Expr> {
    match &option.value {
        OptionValue::Constant(expr) => Some(expr),
        _ => None,
    }
}

fn number(option: &NamedOption) -> SqlResult<u64> {
    let number = constant(option).and_then(whole_number).and_then(|number| u64::try_from(number).ok());
    number.ok_or_else(|| message::syntax_near(&option.name))
}

fn text(option: &NamedOption) -> SqlResult<&str> {
    match constant(option).map(|expr| &expr.kind) {
        Some(ExprKind::Literal(Literal::String(text) | Literal::NationalString(text))) => Ok(text),
        _ => Err(message::syntax_near(&option.name)),
    }
}

fn terminator(option: &NamedOption) -> SqlResult<String> {
    match text(option)? {
        "" => Err(refused(option)),
        text => Ok(text.to_owned()),
    }
}

/// Which of the words an option says, in any case.
fn one_of(option: &NamedOption, words: &[&str]) -> SqlResult<usize> {
    let text = text(option)?;
    let found = words.iter().position(|word| word.eq_ignore_ascii_case(text));
    found.ok_or_else(|| refused(option))
}

fn refused(option: &NamedOption) -> millpond_message::error::SqlError {
    message::missing(&format!("BULK INSERT … WITH {} = '{}'", option.name, text(option).unwrap_or_default()))
}

fn is_hex(text: &str) -> bool {
    text.len() > 2 && text.len().is_multiple_of(2) && hex_of(text).is_some()
}

/// `0x0D0A`
fn hex_of(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// A terminator as it is in the window of the file: bytes of its own code page, UTF-8 where the file is UTF-16.
fn terminator_bytes(written: &str, encoding: Encoding) -> Box<[u8]> {
    if is_hex(written) {
        let bytes = hex_of(written).expect("looked at above");
        return match encoding {
            Encoding::Utf16 if bytes.len().is_multiple_of(2) => decode_utf16(&bytes).as_bytes().into(),
            _ => bytes.into(),
        };
    }
    let text = unescaped(written);
    let mut bytes = Vec::new();
    match encoding {
        Encoding::Cp1252 => encode_cp1252(&text, &mut bytes),
        Encoding::Utf8 | Encoding::Utf16 => bytes.extend_from_slice(text.as_bytes()),
    }
    bytes.into()
}

/// `\t`, `\n`, `\r`, `\0` and `\\` as the characters that they mean.
fn unescaped(written: &str) -> String {
    let mut text = String::with_capacity(written.len());
    let mut chars = written.chars().peekable();
    while let Some(c) = chars.next() {
        let meant = (c == '\\').then(|| chars.peek()).flatten().and_then(|next| match next {
            't' => Some('\t'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            '0' => Some('\0'),
            '\\' => Some('\\'),
            _ => None,
        });
        if meant.is_some() {
            chars.next();
        }
        text.push(meant.unwrap_or(c));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminators_are_written_in_several_ways() {
        let cases: [(&str, Encoding, &[u8]); 7] = [
            ("\\t", Encoding::Cp1252, b"\t"),
            ("\\r\\n", Encoding::Utf8, b"\r\n"),
            ("|\\n", Encoding::Utf16, b"|\n"),
            ("\\x\\\\", Encoding::Utf8, b"\\x\\"),
            ("0x0D0a", Encoding::Utf8, b"\r\n"),
            ("0x0a00", Encoding::Utf16, b"\n"),
            ("§", Encoding::Cp1252, b"\xA7"),
        ];
        for (written, encoding, bytes) in cases {
            assert_eq!(&*terminator_bytes(written, encoding), bytes, "{written}");
        }
        assert_eq!(&*terminator_bytes("0xzz", Encoding::Utf8), b"0xzz");
    }

    #[test]
    fn a_carriage_return_is_taken_unless_the_row_ends_as_a_byte() {
        let format =
            |row: Option<&str>| Options { row: row.map(str::to_owned), ..Options::default() }.format(false).takes_crlf;
        assert!(format(None) && format(Some("\\n")));
        assert!(!format(Some("0x0a")) && !format(Some("\\r\\n")) && !format(Some("|")));
    }
}
