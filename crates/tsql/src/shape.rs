//! The shape of a statement: what is left of its text when blanks, comments, cases and the values of literals do not count. It is
//! what `query_hash` tells apart.
//!
//! What always holds: the hash is the same in every process and on every machine. It knows tokens alone: `a = 1` and `1 = a` are two
//! shapes, as are lists of another length.

use millpond_types::Watch;

use crate::ParseOptions;
use crate::lexer::tokenize;
use crate::token::TokenKind;

const FNV_START: u64 = 0xCBF2_9CE4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01B3;

/// A hash of a statement's shape. Of a text that cannot be cut into tokens what comes before the mistake counts.
#[must_use]
pub fn shape_hash(text: &str) -> u64 {
    let mut hash = FNV_START;
    let mut add = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME);
    for token in tokenize(text, ParseOptions { quoted_identifier: true }, Watch::NONE).tokens {
        let written = text.get(token.start as usize..token.end as usize).unwrap_or_default();
        let shown = match token.kind {
            TokenKind::String
            | TokenKind::NationalString
            | TokenKind::Integer
            | TokenKind::Decimal
            | TokenKind::Float
            | TokenKind::Money
            | TokenKind::Binary => "?",
            TokenKind::Quoted => written.get(1..written.len().saturating_sub(1)).unwrap_or_default(),
            TokenKind::Semicolon | TokenKind::End => continue,
            _ => written,
        };
        shown.chars().flat_map(char::to_lowercase).for_each(|c| {
            let mut bytes = [0; 4];
            c.encode_utf8(&mut bytes).bytes().for_each(&mut add);
        });
        // No token has it.
        add(0xFF);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::shape_hash;

    #[test]
    fn blanks_comments_cases_quotes_and_values_do_not_count() {
        let hash = shape_hash("select a, N'x' from t where b = 1");
        for same in [
            "SELECT a,\n  n'another' -- said why\nFROM [t] WHERE b=27.5;",
            "select \"a\", 'x' from T /* t */ where b = 0xFF",
        ] {
            assert_eq!(shape_hash(same), hash, "{same}");
        }
        for other in [
            "select a, N'x' from t where c = 1",
            "select a, N'x' from t where b = @b",
            "select a, N'x' from t where b = null",
            "select a from t where b = 1",
            "",
        ] {
            assert_ne!(shape_hash(other), hash, "{other}");
        }
        // Where tokens end counts.
        assert_ne!(shape_hash("select ab c"), shape_hash("select a bc"));
    }

    #[test]
    fn it_is_the_same_in_every_process() {
        assert_eq!(shape_hash("select 1"), shape_hash("SELECT 2"));
        assert_eq!(format!("{:016x}", shape_hash("select 1")), "165e1b1e8e81b5dc");
    }
}
