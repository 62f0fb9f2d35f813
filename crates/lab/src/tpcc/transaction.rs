//! The five transactions: how often each comes, and what a terminal asks of it (revision 5.11 of the standard, clauses
//! 2.4.1, 2.5.1, 2.6.1, 2.7.1, 2.8.1 and 5.2.4).

use millpond_tds::rpc::RpcParameter;

use super::scale::{DISTRICTS, LINES_MAX, LINES_MIN, Scale};
use super::words::{Line, Skew, last_name, pack_lines};
use crate::chance::Chance;
use crate::parameter::{bit, hundredths, int, int_or_null, smallint, tinyint, varchar};

/// A transaction of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Clause 2.4: an order of 5 to 15 lines; one in a hundred is rolled back.
    NewOrder,
    /// Clause 2.5.
    Payment,
    /// Clause 2.6: a customer's last order.
    OrderStatus,
    /// Clause 2.7: the oldest order of each district.
    Delivery,
    /// Clause 2.8: items of recent orders that run low.
    StockLevel,
}

impl Kind {
    /// All, in the order of their numbers.
    pub const ALL: [Self; 5] = [Self::NewOrder, Self::Payment, Self::OrderStatus, Self::Delivery, Self::StockLevel];

    /// For reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::NewOrder => "new order",
            Self::Payment => "payment",
            Self::OrderStatus => "order status",
            Self::Delivery => "delivery",
            Self::StockLevel => "stock level",
        }
    }

    /// The name of the procedure, with its schema.
    #[must_use]
    pub fn procedure(self) -> &'static str {
        match self {
            Self::NewOrder => "dbo.tpcc_new_order",
            Self::Payment => "dbo.tpcc_payment",
            Self::OrderStatus => "dbo.tpcc_order_status",
            Self::Delivery => "dbo.tpcc_delivery",
            Self::StockLevel => "dbo.tpcc_stock_level",
        }
    }

    /// The procedure's parameters as they are declared, for prepared statements.
    pub(crate) fn declarations(self) -> &'static str {
        match self {
            Self::NewOrder => "@w_id int,@d_id tinyint,@c_id int,@ol_cnt tinyint,@all_local bit,@lines varchar(210)",
            Self::Payment => {
                "@w_id int,@d_id tinyint,@c_w_id int,@c_d_id tinyint,@c_id int,@c_last varchar(16),@amount decimal(6,2)"
            }
            Self::OrderStatus => "@w_id int,@d_id tinyint,@c_id int,@c_last varchar(16)",
            Self::Delivery => "@w_id int,@carrier_id tinyint",
            Self::StockLevel => "@w_id int,@d_id tinyint,@threshold smallint",
        }
    }

    /// Cards of a deck of 100: 45/43/4/4/4.
    fn cards(self) -> usize {
        match self {
            Self::NewOrder => 45,
            Self::Payment => 43,
            Self::OrderStatus | Self::Delivery | Self::StockLevel => 4,
        }
    }
}

/// Cards that say which transaction comes next; shuffled again when all were drawn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deck {
    cards: Vec<Kind>,
}

impl Deck {
    pub(crate) fn draw(&mut self, chance: &mut Chance) -> Kind {
        if self.cards.is_empty() {
            for kind in Kind::ALL {
                self.cards.extend(std::iter::repeat_n(kind, kind.cards()));
            }
            chance.shuffle(&mut self.cards);
        }
        self.cards.pop().expect("just filled")
    }
}

/// Draws what transactions ask for.
#[derive(Clone, Debug)]
pub(crate) struct Asker {
    pub(crate) chance: Chance,
    pub(crate) skew: Skew,
    pub(crate) scale: Scale,
    /// Of the whole database.
    pub(crate) warehouses: u32,
    /// The terminal's own, for Stock-Level.
    pub(crate) district: u32,
}

impl Asker {
    /// Parameters of a call from a terminal of that warehouse.
    pub(crate) fn ask(&mut self, kind: Kind, home: u32) -> Vec<RpcParameter> {
        match kind {
            Kind::NewOrder => self.new_order(home),
            Kind::Payment => self.payment(home),
            Kind::OrderStatus => {
                let district = self.chance.between(1, DISTRICTS);
                let (id, name) = self.customer();
                vec![
                    int("@w_id", home),
                    tinyint("@d_id", district),
                    int_or_null("@c_id", id),
                    varchar("@c_last", 16, name.as_deref()),
                ]
            }
            Kind::Delivery => vec![int("@w_id", home), tinyint("@carrier_id", self.chance.between(1, 10))],
            Kind::StockLevel => vec![
                int("@w_id", home),
                tinyint("@d_id", self.district),
                smallint("@threshold", self.chance.between(10, 20)),
            ],
        }
    }

    fn new_order(&mut self, home: u32) -> Vec<RpcParameter> {
        let district = self.chance.between(1, DISTRICTS);
        let customer = self.skew.customer(&mut self.chance);
        let count = self.chance.between(LINES_MIN, LINES_MAX);
        let is_mistaken = self.chance.percent(1);
        let mut lines: Vec<Line> = (0..count).map(|_| self.line(home)).collect();
        if is_mistaken {
            // An item that does not exist: the order is to be rolled back.
            lines.last_mut().expect("at least five").item = self.scale.items + 1;
        }
        let is_local = lines.iter().all(|line| line.supply_warehouse == home);
        vec![
            int("@w_id", home),
            tinyint("@d_id", district),
            int("@c_id", customer),
            tinyint("@ol_cnt", count),
            bit("@all_local", is_local),
            varchar("@lines", 210, Some(&pack_lines(lines.into_iter()))),
        ]
    }

    fn line(&mut self, home: u32) -> Line {
        let item = self.skew.item(&mut self.chance);
        let is_remote = self.chance.percent(1);
        let supply_warehouse = if is_remote { self.other_warehouse(home) } else { home };
        Line { item, supply_warehouse, quantity: self.chance.between(1, 10) }
    }

    fn payment(&mut self, home: u32) -> Vec<RpcParameter> {
        let district = self.chance.between(1, DISTRICTS);
        let is_remote = self.chance.percent(15) && self.warehouses > 1;
        let (customer_warehouse, customer_district) =
            if is_remote { (self.other_warehouse(home), self.chance.between(1, DISTRICTS)) } else { (home, district) };
        let (id, name) = self.customer();
        vec![
            int("@w_id", home),
            tinyint("@d_id", district),
            int("@c_w_id", customer_warehouse),
            tinyint("@c_d_id", customer_district),
            int_or_null("@c_id", id),
            varchar("@c_last", 16, name.as_deref()),
            hundredths("@amount", 6, self.chance.between(100, 500_000)),
        ]
    }

    /// By last name in 60 of 100 cases, else by number.
    fn customer(&mut self) -> (Option<u32>, Option<String>) {
        if self.chance.percent(60) {
            (None, Some(last_name(self.skew.last_name(&mut self.chance))))
        } else {
            (Some(self.skew.customer(&mut self.chance)), None)
        }
    }

    /// Any but that one; that one when there is no other.
    fn other_warehouse(&mut self, home: u32) -> u32 {
        if self.warehouses < 2 {
            return home;
        }
        let drawn = self.chance.between(1, self.warehouses - 1);
        if drawn >= home { drawn + 1 } else { drawn }
    }
}

#[cfg(test)]
mod tests {
    use millpond_types::Value;

    use super::*;

    fn asker(warehouses: u32) -> Asker {
        let mut chance = Chance::new(11, 0);
        let skew = Skew::of_run(&mut chance, Scale::STANDARD);
        Asker { chance, skew, scale: Scale::STANDARD, warehouses, district: 3 }
    }

    #[test]
    fn a_deck_has_the_standards_mix() {
        let (mut deck, mut chance) = (Deck::default(), Chance::new(1, 0));
        for _ in 0..3 {
            let drawn: Vec<Kind> = (0..100).map(|_| deck.draw(&mut chance)).collect();
            let counts = Kind::ALL.map(|kind| drawn.iter().filter(|drawn| **drawn == kind).count());
            assert_eq!(counts, [45, 43, 4, 4, 4]);
        }
    }

    /// Names and types of the parameters are those that the procedure declares.
    #[test]
    fn parameters_are_those_of_the_procedures() {
        let mut asker = asker(4);
        for kind in Kind::ALL {
            let declared: Vec<&str> = kind.declarations().split(",@").map(|one| one.trim_start_matches('@')).collect();
            for _ in 0..50 {
                let asked = asker.ask(kind, 2);
                assert_eq!(asked.len(), declared.len());
                for (parameter, declared) in asked.iter().zip(&declared) {
                    assert_eq!(parameter.name.trim_start_matches('@'), declared.split(' ').next().unwrap());
                    let written = format!("{} {}", &parameter.name[1..], parameter.sql_type).replace(", ", ",");
                    assert_eq!(written, *declared);
                    assert!(parameter.is_consistent());
                }
            }
        }
    }

    #[test]
    fn one_order_in_a_hundred_has_an_item_that_is_not_sold() {
        let mut asker = asker(4);
        let (mut mistaken, mut remote) = (0, 0);
        for _ in 0..20_000 {
            let asked = asker.ask(Kind::NewOrder, 2);
            let (Value::TinyInt(count), Value::Str(lines)) = (&asked[3].value, &asked[5].value) else { panic!() };
            assert_eq!(lines.len(), 14 * usize::from(*count));
            mistaken += u32::from(lines[lines.len() - 14..].starts_with("100001"));
            remote += u32::from(asked[4].value == Value::Bit(false));
        }
        assert!((140..260).contains(&mistaken), "{mistaken}");
        // Ten lines, each remote in one case of a hundred.
        assert!((1700..2150).contains(&remote), "{remote}");
    }

    #[test]
    fn customers_of_payments_are_remote_and_named_as_often_as_they_should() {
        let mut asker = asker(4);
        let (mut remote, mut named) = (0, 0);
        for _ in 0..20_000 {
            let asked = asker.ask(Kind::Payment, 2);
            remote += u32::from(asked[2].value != asked[0].value);
            named += u32::from(asked[4].value.is_null());
            assert_ne!(asked[4].value.is_null(), asked[5].value.is_null());
        }
        assert!((2700..3300).contains(&remote), "{remote}");
        assert!((11_600..12_400).contains(&named), "{named}");
    }

    #[test]
    fn a_single_warehouse_has_no_other() {
        let mut asker = asker(1);
        for _ in 0..2000 {
            assert_eq!(asker.ask(Kind::Payment, 1)[2].value, Value::Int(1));
            assert_eq!(asker.ask(Kind::NewOrder, 1)[4].value, Value::Bit(true));
        }
        let mut seen = [0; 6];
        let mut asker = self::asker(5);
        for _ in 0..1000 {
            seen[asker.other_warehouse(3) as usize] += 1;
        }
        assert_eq!((seen[0], seen[3]), (0, 0));
        assert!([1, 2, 4, 5].iter().all(|&other| seen[other] > 150));
    }
}
