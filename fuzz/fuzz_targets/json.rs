//! Any text as JSON, and any other as a path.
//!
//! What must hold: nothing panics; what is wrong has a place in the text, at a character; a text that is right is read to its
//! end; a path that leads to a value leads to one that is JSON by itself; what is written as a string reads as what it was
//! written of; bytes of Base64 are those that were written.

#![no_main]

use libfuzzer_sys::fuzz_target;
use millpond_builtin::json::base64;
use millpond_builtin::json::find::{Found, find};
use millpond_builtin::json::path::Path;
use millpond_builtin::json::reader::{Fault, Reader, Scalar, Token};
use millpond_builtin::json::write::Writer;
use millpond_types::Watch;

fn read(text: &str) {
    match Reader::of_any(text, Watch::NONE).finish() {
        Ok(()) | Err(Fault::TooDeep) => {}
        Err(Fault::Unexpected(at)) => assert!(text.is_char_boundary(at), "{at}"),
        Err(Fault::Stopped) => unreachable!("nothing stops it"),
    }
}

fn follow(text: &str, path: &str) {
    let Ok(path) = Path::parse(path, true) else { return };
    if let Ok(Found::Value(place)) = find(&mut Reader::new(text, Watch::NONE), &path.steps) {
        let value = &text[place.range];
        Reader::of_any(value, Watch::NONE).finish().expect("a part of JSON is JSON");
    }
}

fn write(text: &str) {
    let mut writer = Writer::new(Watch::NONE);
    writer.string(text).expect("a short text has room");
    let written = writer.into_text();
    match Reader::of_any(&written, Watch::NONE).token() {
        Ok(Token::Scalar(Scalar::String(raw))) => assert_eq!(raw.meaning(), text),
        other => panic!("{other:?} of {written}"),
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut encoded = String::new();
    base64::encode(bytes, &mut encoded).expect("a String takes all");
    assert_eq!(base64::decode(&encoded).as_deref(), Some(bytes));
    let Ok(all) = std::str::from_utf8(bytes) else { return };
    let (path, text) = all.split_once('\n').unwrap_or(("$", all));
    let _ = base64::decode(text);
    read(text);
    follow(text, path);
    write(text);
});
