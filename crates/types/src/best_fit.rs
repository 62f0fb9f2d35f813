//! What becomes of characters that code page 1252 lacks: those that look alike become what they look like, all others `?`.
//!
//! This is Windows' own table (the Unicode Consortium keeps it as `WindowsBestFit/bestfit1252.txt`), which SQL Server uses
//! where `nvarchar` becomes `varchar`. Characters above U+FFFF have no fit.

use std::sync::LazyLock;

/// A character of code page 1252, and those that become it.
const FITS: &[(char, &str)] = &[
    (' ', "\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{3000}"),
    ('!', "ǃ"),
    ('"', "ʺ\u{30e}"),
    ('%', "٪"),
    ('\'', "ʹʼˈ′"),
    ('(', "⌠"),
    (')', "⌡"),
    ('*', "∗"),
    ('+', "┌┐└┘├┼╒╓╔╕╖╗╘╙╚╛╜╝╪╫╬"),
    ('-', "‐‑−─┬┴═╤╥╦╧╨╩"),
    ('/', "⁄∕"),
    ('0', "₀"),
    ('1', "₁"),
    ('2', "₂"),
    ('3', "₃"),
    ('4', "⁴₄"),
    ('5', "⁵₅"),
    ('6', "⁶₆"),
    ('7', "⁷₇"),
    ('8', "⁸₈∞"),
    ('9', "₉"),
    (':', "։∶"),
    (';', "\u{37e}"),
    ('<', "\u{2329}〈"),
    ('=', "‗≡≤≥"),
    ('>', "\u{232a}〉"),
    ('A', "ĀĂĄǍǞ"),
    ('B', "ℬ"),
    ('C', "ĆĈĊČℂℭ"),
    ('D', "Ď"),
    ('E', "ĒĔĖĘĚℇℰ"),
    ('F', "Φℱ"),
    ('G', "ĜĞĠĢǤǦΓ"),
    ('H', "ĤĦℋℌℍ"),
    ('I', "ĨĪĬĮİƗǏℐℑ"),
    ('J', "Ĵ"),
    ('K', "ĶǨ\u{212a}"),
    ('L', "ĹĻĽŁℒ"),
    ('M', "ℳ"),
    ('N', "ŃŅŇℕ"),
    ('O', "ŌŎŐƟƠǑǪǬΩ"),
    ('P', "₧℘ℙ"),
    ('Q', "ℚ"),
    ('R', "ŔŖŘℛℜℝ"),
    ('S', "ŚŜŞΣ"),
    ('T', "ŢŤŦƮΘ"),
    ('U', "ŨŪŬŮŰŲƯǓǕǗǙǛ"),
    ('W', "Ŵ"),
    ('Y', "Ŷ"),
    ('Z', "ŹŻℤℨ"),
    ('[', "〚"),
    ('\\', "∖"),
    (']', "〛"),
    ('^', "˄\u{302}⌃"),
    ('_', "ˍ\u{331}\u{332}▄"),
    ('`', "ˋ\u{300}‵"),
    ('a', "āăąǎǟα"),
    ('b', "ƀ"),
    ('c', "ćĉċč"),
    ('d', "ďđδ"),
    ('e', "ēĕėęěε℮ℯ"),
    ('f', "φ"),
    ('g', "ĝğġģǥǧɡℊ"),
    ('h', "ĥħһℎ"),
    ('i', "ĩīĭįıǐ"),
    ('j', "ĵǰ"),
    ('k', "ķǩ"),
    ('l', "ĺļľłƚℓ"),
    ('n', "ńņňⁿ∩"),
    ('o', "ōŏőơǒǫǭℴ"),
    ('p', "π"),
    ('r', "ŕŗř"),
    ('s', "śŝşσ"),
    ('t', "ţťŧƫτ"),
    ('u', "ũūŭůűųưǔǖǘǚǜ"),
    ('v', "√"),
    ('w', "ŵ"),
    ('y', "ŷ"),
    ('z', "źżƶ"),
    ('|', "ǀ∣❘"),
    ('~', "\u{303}∼"),
    ('ƒ', "Ƒ"),
    ('˜', "≈"),
    ('¢', "₡"),
    ('£', "₤"),
    ('¤', "☼"),
    ('¦', "⌂│┤║╞╟╠╡╢╣█▌▐░▒▓■"),
    ('¨', "\u{308}"),
    ('«', "≪《"),
    ('¬', "⌐"),
    ('¯', "ˉ\u{304}\u{305}▀"),
    ('°', "˚\u{30a}⁰∘"),
    ('±', "∓"),
    ('´', "ˊ\u{301}"),
    ('µ', "μ"),
    ('·', "․∙⋅・"),
    ('¸', "\u{327}"),
    ('»', "≫》"),
    ('Å', "\u{212b}"),
    ('Ð', "ĐƉ"),
    ('Ø', "∅"),
    ('ß', "β"),
];

/// ASCII's printable characters in the width of an ideograph: U+FF01 is `!`.
const WIDE: std::ops::RangeInclusive<char> = '\u{ff01}'..='\u{ff5e}';

static SORTED: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    let mut all: Vec<(char, char)> = FITS.iter().flat_map(|(fit, of)| of.chars().map(|c| (c, *fit))).collect();
    all.sort_unstable();
    all
});

/// The character of code page 1252 that stands for one that it lacks.
#[must_use]
pub fn best_fit(c: char) -> Option<char> {
    if WIDE.contains(&c) {
        return char::from_u32(c as u32 - 0xff01 + u32::from('!'));
    }
    SORTED.binary_search_by_key(&c, |(of, _)| *of).ok().map(|at| SORTED[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::cp1252_byte;

    #[test]
    fn what_looks_alike_is_what_it_looks_like() {
        for (c, fit) in
            [('Ł', 'L'), ('ā', 'a'), ('Đ', 'Ð'), ('ʼ', '\''), ('∞', '8'), ('Ａ', 'A'), ('～', '~'), ('π', 'p')]
        {
            assert_eq!(best_fit(c), Some(fit), "{c}");
        }
        assert_eq!([best_fit('ж'), best_fit('語'), best_fit('😀'), best_fit('\u{132}')], [None; 4]);
    }

    /// The table has 698 entries, of which 256 are the bytes themselves.
    #[test]
    fn the_table_is_whole() {
        assert_eq!(SORTED.len() + WIDE.count(), 698 - 256);
        assert!(SORTED.windows(2).all(|pair| pair[0].0 < pair[1].0), "each character once");
        assert!(SORTED.iter().all(|(of, fit)| cp1252_byte(*of).is_none() && cp1252_byte(*fit).is_some()));
    }
}
