//! The code pages of `char` and `varchar` beside 1252 and UTF-8: texts as their bytes, and back.
//!
//! What always holds: ASCII is itself in each of them. A text that came from bytes, or through [`in_page`], has characters
//! of the page alone, and is the same after a way to bytes and back.
//!
//! Those of Windows are encoding_rs's, which follows the WHATWG: bytes that mean nothing become U+FFFD, and a character
//! that a page lacks becomes `?`, one for each of its UTF-16 units; no other characters look like it (`best_fit` has those
//! of 1252 alone).

use std::borrow::Cow;

use encoding_rs::{EncoderResult, Encoding};

use crate::sql_type::CodePage;

/// What a page puts in place of a character that it lacks.
const REPLACEMENT: u8 = b'?';

/// The characters of bytes 0x80 and above.
const CP437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";
const CP850: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}";

/// How a page is coded.
enum Coding {
    /// A byte per character: these from 0x80.
    Table(&'static str),
    Windows(&'static Encoding),
}

fn coding(page: CodePage) -> Coding {
    Coding::Windows(match page {
        CodePage::Cp437 => return Coding::Table(CP437),
        CodePage::Cp850 => return Coding::Table(CP850),
        CodePage::Cp874 => encoding_rs::WINDOWS_874,
        CodePage::Cp932 => encoding_rs::SHIFT_JIS,
        CodePage::Cp936 => encoding_rs::GBK,
        CodePage::Cp949 => encoding_rs::EUC_KR,
        CodePage::Cp950 => encoding_rs::BIG5,
        CodePage::Cp1250 => encoding_rs::WINDOWS_1250,
        CodePage::Cp1251 => encoding_rs::WINDOWS_1251,
        CodePage::Cp1252 => encoding_rs::WINDOWS_1252,
        CodePage::Cp1253 => encoding_rs::WINDOWS_1253,
        CodePage::Cp1254 => encoding_rs::WINDOWS_1254,
        CodePage::Cp1255 => encoding_rs::WINDOWS_1255,
        CodePage::Cp1256 => encoding_rs::WINDOWS_1256,
        CodePage::Cp1257 => encoding_rs::WINDOWS_1257,
        CodePage::Cp1258 => encoding_rs::WINDOWS_1258,
        CodePage::Utf8 => encoding_rs::UTF_8,
    })
}

/// Appends the bytes of a text in a page.
pub(crate) fn encode(text: &str, page: CodePage, out: &mut Vec<u8>) {
    if text.is_ascii() {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    match coding(page) {
        Coding::Table(table) => {
            for c in text.chars() {
                let high = || table.chars().position(|high| high == c).map(|at| 0x80 + at as u8);
                let byte = if c.is_ascii() { Some(c as u8) } else { high() };
                out.extend(std::iter::repeat_n(byte.unwrap_or(REPLACEMENT), c.len_utf16()));
            }
        }
        Coding::Windows(encoding) => encode_by(encoding, text, out),
    }
}

fn encode_by(encoding: &'static Encoding, text: &str, out: &mut Vec<u8>) {
    let mut encoder = encoding.new_encoder();
    let mut rest = text;
    loop {
        // No character has more bytes in a page than in UTF-8.
        let start = out.len();
        out.resize(start + rest.len() + 16, 0);
        let (result, read, written) = encoder.encode_from_utf8_without_replacement(rest, &mut out[start..], true);
        out.truncate(start + written);
        rest = &rest[read..];
        match result {
            EncoderResult::Unmappable(c) => out.extend(std::iter::repeat_n(REPLACEMENT, c.len_utf16())),
            EncoderResult::InputEmpty => return,
            EncoderResult::OutputFull => {}
        }
    }
}

/// The text of bytes in a page.
pub(crate) fn decode(bytes: &[u8], page: CodePage) -> Cow<'_, str> {
    match coding(page) {
        Coding::Table(table) => {
            let char_of = |byte: &u8| match byte.checked_sub(0x80) {
                Some(at) => table.chars().nth(at.into()).unwrap_or(char::REPLACEMENT_CHARACTER),
                None => char::from(*byte),
            };
            Cow::Owned(bytes.iter().map(char_of).collect())
        }
        Coding::Windows(encoding) => encoding.decode_without_bom_handling(bytes).0,
    }
}

/// The text as a page holds it.
pub(crate) fn in_page(text: &str, page: CodePage) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    encode(text, page, &mut bytes);
    let held = decode(&bytes, page);
    if held == text { Cow::Borrowed(text) } else { Cow::Owned(held.into_owned()) }
}

/// Bytes of a text in a page.
pub(crate) fn len(text: &str, page: CodePage) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    let mut bytes = Vec::with_capacity(text.len());
    encode(text, page, &mut bytes);
    bytes.len()
}

/// Bytes of a character in a page.
pub(crate) fn char_len(c: char, page: CodePage) -> usize {
    len(c.encode_utf8(&mut [0; 4]), page)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str, page: CodePage) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode(text, page, &mut bytes);
        bytes
    }

    /// Bytes from the Unicode Consortium's tables of vendors' code pages.
    #[test]
    fn texts_have_the_bytes_of_their_page() {
        for (page, text, expected) in [
            (CodePage::Cp437, "é╬αß ", &[0x82, 0xCE, 0xE0, 0xE1, b' '][..]),
            (CodePage::Cp850, "éÁ³¤", &[0x82, 0xB5, 0xFC, 0xCF]),
            (CodePage::Cp1250, "Łódź€", &[0xA3, 0xF3, b'd', 0x9F, 0x80]),
            (CodePage::Cp1251, "Привет", &[0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2]),
            (CodePage::Cp1253, "Ωδ€", &[0xD9, 0xE4, 0x80]),
            (CodePage::Cp1254, "İğ", &[0xDD, 0xF0]),
            (CodePage::Cp1255, "שלום", &[0xF9, 0xEC, 0xE5, 0xED]),
            (CodePage::Cp1256, "سلام", &[0xD3, 0xE1, 0xC7, 0xE3]),
            (CodePage::Cp1257, "Šąž", &[0xD0, 0xE0, 0xFE]),
            (CodePage::Cp1258, "ơđ", &[0xF5, 0xF0]),
            (CodePage::Cp874, "ก€", &[0xA1, 0x80]),
            (CodePage::Cp932, "日本ｱ", &[0x93, 0xFA, 0x96, 0x7B, 0xB1]),
            (CodePage::Cp936, "中€", &[0xD6, 0xD0, 0x80]),
            (CodePage::Cp949, "한", &[0xC7, 0xD1]),
            (CodePage::Cp950, "中", &[0xA4, 0xA4]),
        ] {
            assert_eq!(bytes(text, page), expected, "{page:?}");
            assert_eq!(decode(expected, page), text, "{page:?}");
            assert_eq!(len(text, page), expected.len());
        }
    }

    #[test]
    fn what_a_page_lacks_becomes_question_marks() {
        assert_eq!(bytes("жé日😀", CodePage::Cp1251), [0xE6, b'?', b'?', b'?', b'?']);
        assert_eq!(in_page("日本é", CodePage::Cp932), "日本?");
        assert_eq!(bytes("日😀", CodePage::Cp437), b"???");
    }

    /// Each character of a page is the same after a way to bytes and back.
    #[test]
    fn what_a_page_holds_stays() {
        for page in CodePage::ALL.into_iter().filter(|page| *page != CodePage::Utf8) {
            for c in ('\u{80}'..'\u{FFFF}').filter(|c| !('\u{E000}'..='\u{F8FF}').contains(c)) {
                let held = in_page(c.encode_utf8(&mut [0; 4]), page).into_owned();
                assert_eq!(in_page(&held, page), held, "{c:?} in {page:?}");
                assert!(len(&held, page) <= held.len());
            }
        }
    }
}
