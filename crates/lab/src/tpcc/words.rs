//! Texts and skewed numbers as the standard wants them (revision 5.11, clauses 2.1.6 and 4.3.2).

use std::fmt::Write;

use super::scale::Scale;
use crate::chance::Chance;

const SYLLABLES: [&str; 10] = ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];
const ALPHANUMERIC: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// The last name of a number below 1000: a syllable per digit.
pub(crate) fn last_name(number: u32) -> String {
    assert!(number < 1000, "a last name has three syllables");
    [number / 100, number / 10 % 10, number % 10].map(|digit| SYLLABLES[digit as usize]).concat()
}

/// Letters and digits, `low` to `high` of them.
pub(crate) fn letters(chance: &mut Chance, low: u32, high: u32) -> String {
    let length = chance.between(low, high);
    (0..length).map(|_| char::from(ALPHANUMERIC[chance.between(0, 61) as usize])).collect()
}

/// Digits, that many.
pub(crate) fn digits(chance: &mut Chance, length: u32) -> String {
    (0..length).map(|_| char::from(b'0' + u8::try_from(chance.between(0, 9)).expect("a digit"))).collect()
}

/// A zip code: four random digits, then 11111.
pub(crate) fn zip(chance: &mut Chance) -> String {
    digits(chance, 4) + "11111"
}

/// Data of an item or of stock: 26 to 50 letters, in a tenth of the cases with ORIGINAL somewhere in them.
pub(crate) fn data(chance: &mut Chance) -> String {
    const MARK: &str = "ORIGINAL";
    let mut data = letters(chance, 26, 50);
    if chance.percent(10) {
        let room = u32::try_from(data.len() - MARK.len()).expect("a short text");
        let place = chance.between(0, room) as usize;
        data.replace_range(place..place + MARK.len(), MARK);
    }
    data
}

/// The order lines of a New-Order as its procedure takes them: 14 characters each.
pub(crate) fn pack_lines(lines: impl Iterator<Item = Line>) -> String {
    let mut packed = String::with_capacity(210);
    for Line { item, supply_warehouse, quantity } in lines {
        write!(packed, "{item:06}{supply_warehouse:06}{quantity:02}").expect("strings take everything");
    }
    packed
}

/// A line of an order that is to be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) item: u32,
    pub(crate) supply_warehouse: u32,
    pub(crate) quantity: u32,
}

/// The constant C of NURand for last names while loading; that of a run has a distance from it.
const LAST_NAME_C_OF_LOAD: u32 = 157;
/// The constants A of NURand for as many last names, customers and items as the standard has.
const LAST_NAME_A: u32 = 255;
const CUSTOMER_A: u32 = 1023;
const ITEM_A: u32 = 8191;

/// NURand: numbers of which some are drawn much more often; which ones, its constants say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Skew {
    scale: Scale,
    last_name_c: u32,
    customer_c: u32,
    item_c: u32,
}

impl Skew {
    /// For the loader.
    pub(crate) fn of_load(scale: Scale) -> Self {
        Self { scale, last_name_c: LAST_NAME_C_OF_LOAD, customer_c: 0, item_c: 0 }
    }

    /// For a run: constants by chance, that of last names in the distance from the loader's that the standard wants.
    pub(crate) fn of_run(chance: &mut Chance, scale: Scale) -> Self {
        let last_name_c = loop {
            let candidate = chance.between(0, 255);
            let distance = candidate.abs_diff(LAST_NAME_C_OF_LOAD);
            if (65..=119).contains(&distance) && distance != 96 && distance != 112 {
                break candidate;
            }
        };
        Self { scale, last_name_c, customer_c: chance.between(0, 1023), item_c: chance.between(0, 8191) }
    }

    /// A last name's number, 0 to 999.
    pub(crate) fn last_name(&self, chance: &mut Chance) -> u32 {
        let names = self.scale.names();
        nurand(chance, scaled(LAST_NAME_A, names, Scale::STANDARD.names()), self.last_name_c, 0, names - 1)
    }

    /// A customer, 1 to 3,000.
    pub(crate) fn customer(&self, chance: &mut Chance) -> u32 {
        let customers = self.scale.customers;
        nurand(chance, scaled(CUSTOMER_A, customers, Scale::STANDARD.customers), self.customer_c, 1, customers)
    }

    /// An item, 1 to 100,000.
    pub(crate) fn item(&self, chance: &mut Chance) -> u32 {
        let items = self.scale.items;
        nurand(chance, scaled(ITEM_A, items, Scale::STANDARD.items), self.item_c, 1, items)
    }
}

/// NURand's A, all ones in binary, for `range` numbers where the standard has `range_of_standard`: the next that is as
/// large in proportion.
fn scaled(a: u32, range: u32, range_of_standard: u32) -> u32 {
    (a.saturating_mul(range) / range_of_standard + 1).next_power_of_two() - 1
}

fn nurand(chance: &mut Chance, a: u32, c: u32, low: u32, high: u32) -> u32 {
    let mixed = chance.between(0, a) | chance.between(low, high);
    (mixed + c) % (high - low + 1) + low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_names_are_syllables_of_the_digits() {
        assert_eq!(last_name(0), "BARBARBAR");
        assert_eq!(last_name(371), "PRICALLYOUGHT");
        assert_eq!(last_name(999), "EINGEINGEING");
        assert!((0..1000).all(|number| last_name(number).len() <= 16));
    }

    #[test]
    fn skewed_numbers_stay_in_their_ranges_and_are_skewed() {
        let mut chance = Chance::new(1, 1);
        let skew = Skew::of_run(&mut chance, Scale::STANDARD);
        let mut items = vec![0_u32; 100_001];
        let (mut customers, mut names) = (vec![0_u32; 3001], vec![0_u32; 1000]);
        for _ in 0..200_000 {
            items[skew.item(&mut chance) as usize] += 1;
            customers[skew.customer(&mut chance) as usize] += 1;
            names[skew.last_name(&mut chance) as usize] += 1;
        }
        assert_eq!((items[0], customers[0]), (0, 0));
        assert!(names.iter().filter(|&&count| count > 0).count() > 900);
        // Uniform, the busiest customer would have some 70 + 4 × 8 draws.
        assert!(*customers.iter().max().unwrap() > 300);
        assert!(*items.iter().max().unwrap() > 30);
    }

    #[test]
    fn fewer_rows_are_drawn_with_the_same_skew() {
        assert_eq!([scaled(ITEM_A, 100_000, 100_000), scaled(CUSTOMER_A, 3_000, 3_000)], [8191, 1023]);
        let mut chance = Chance::new(1, 1);
        let scale = Scale::fraction(10);
        let skew = Skew::of_run(&mut chance, scale);
        let (mut items, mut customers, mut names) = (0, 0, 0);
        for _ in 0..20_000 {
            items = items.max(skew.item(&mut chance));
            customers = customers.max(skew.customer(&mut chance));
            names = names.max(skew.last_name(&mut chance));
        }
        assert_eq!((customers, names), (300, 99));
        assert!((9_900..=10_000).contains(&items), "{items}");
        assert_eq!([scaled(ITEM_A, 10_000, 100_000), scaled(CUSTOMER_A, 300, 3_000)], [1023, 127]);
    }

    #[test]
    fn the_constant_of_a_run_keeps_its_distance() {
        for seed in 0..200 {
            let distance =
                Skew::of_run(&mut Chance::new(seed, 0), Scale::STANDARD).last_name_c.abs_diff(LAST_NAME_C_OF_LOAD);
            assert!((65..=119).contains(&distance), "{distance}");
            assert!(![96, 112].contains(&distance));
        }
    }

    #[test]
    fn a_tenth_of_the_data_is_original() {
        let mut chance = Chance::new(4, 4);
        let texts: Vec<String> = (0..5000).map(|_| data(&mut chance)).collect();
        assert!(texts.iter().all(|text| (26..=50).contains(&text.len())));
        let originals = texts.iter().filter(|text| text.contains("ORIGINAL")).count();
        assert!((400..600).contains(&originals), "{originals}");
    }

    #[test]
    fn lines_have_fixed_places() {
        let line = |item, supply_warehouse, quantity| Line { item, supply_warehouse, quantity };
        let packed = pack_lines([line(7, 12, 3), line(100_001, 999_999, 10)].into_iter());
        assert_eq!(packed, "00000700001203".to_owned() + "10000199999910");
    }

    #[test]
    fn texts_have_the_length_that_was_asked_for() {
        let mut chance = Chance::new(5, 5);
        let lengths: Vec<usize> = (0..1000).map(|_| letters(&mut chance, 8, 16).len()).collect();
        assert_eq!((lengths.iter().min(), lengths.iter().max()), (Some(&8), Some(&16)));
        assert_eq!(digits(&mut chance, 16).len(), 16);
        let zip = zip(&mut chance);
        assert!(zip.len() == 9 && zip.ends_with("11111"));
    }
}
