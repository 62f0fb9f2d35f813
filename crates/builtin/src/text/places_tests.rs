//! Places of characters in long texts against counting, by both ways to count.

use millpond_catalog::run::places::{Count, Places};
use millpond_types::{Value, Watch};

use crate::text::string::{Characters, Units};

fn check<C: Count>(text: &str) {
    let value = Value::str(text);
    let places = Places::of(Watch::NONE, &value).expect("not cancelled").expect("a long text");
    let mut counted = 0;
    for (byte, c) in text.char_indices() {
        assert_eq!(places.before::<C>(text, byte), counted);
        assert_eq!(places.byte_of::<C>(text, counted), byte);
        if C::of_char(c) == 2 {
            assert_eq!(places.byte_of::<C>(text, counted + 1), byte + c.len_utf8(), "half a pair");
        }
        counted += C::of_char(c);
    }
    assert_eq!(places.before::<C>(text, text.len()), counted);
    assert_eq!(places.byte_of::<C>(text, counted), text.len());
    assert_eq!(places.byte_of::<C>(text, counted + 1_000), text.len());
    for (start, len) in [(0, 5), (1_023, 2), (1_500, 3_000), (counted - 3, 10), (counted + 5, 5), (7, usize::MAX)] {
        let (around, at) = places.around::<C>(text, start, len);
        let part = C::part(Watch::NONE, around, at, len).expect("not cancelled");
        assert_eq!(part, C::part(Watch::NONE, text, start, len).expect("not cancelled"), "{len} from {start}");
    }
}

#[test]
fn places_are_those_that_counting_finds() {
    let texts = ["ascii only ".repeat(900), "grüße, €, 😀! ".repeat(600), "😀".repeat(2_000), "é".repeat(5_000)];
    for text in &texts {
        check::<Units>(text);
        check::<Characters>(text);
    }
    assert!(Places::of(Watch::NONE, &Value::str("short")).expect("not cancelled").is_none());
    assert!(Places::of(Watch::NONE, &Value::Null).expect("not cancelled").is_none());
}
