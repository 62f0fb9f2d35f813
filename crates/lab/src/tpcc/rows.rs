//! The rows that a database begins with (revision 5.11 of the standard, clause 4.3.3.1).
//!
//! What always holds: all consistency conditions of clause 3.3.2 hold for the rows of a warehouse together; values come
//! in the order of the columns in `schema.sql`.

use super::scale::{LINES_MAX, LINES_MIN, Scale};
use super::words::{Skew, data, digits, last_name, letters, zip};
use crate::chance::Chance;
use crate::insert::{Insert, Row};

/// What all rows of a load share: one date and time, as a literal.
pub(crate) struct Maker<'a> {
    pub(crate) chance: Chance,
    pub(crate) scale: Scale,
    pub(crate) now: &'a str,
}

impl Maker<'_> {
    fn address(&mut self, row: &mut Row<'_>) {
        for _ in 0..3 {
            row.text(&letters(&mut self.chance, 10, 20));
        }
        row.text(&letters(&mut self.chance, 2, 2)).text(&zip(&mut self.chance));
    }

    fn number(&mut self, low: u32, high: u32) -> i64 {
        self.chance.between(low, high).into()
    }

    pub(crate) fn item(&mut self, insert: &mut Insert, id: u32) {
        let mut row = insert.row();
        row.int(id).int(self.number(1, 10_000)).text(&letters(&mut self.chance, 14, 24));
        row.decimal(self.number(100, 10_000), 2).text(&data(&mut self.chance));
    }

    pub(crate) fn warehouse(&mut self, insert: &mut Insert, id: u32) {
        let mut row = insert.row();
        row.int(id).text(&letters(&mut self.chance, 6, 10));
        self.address(&mut row);
        row.decimal(self.number(0, 2_000), 4).decimal(30_000_000, 2);
    }

    pub(crate) fn district(&mut self, insert: &mut Insert, warehouse: u32, id: u32) {
        let mut row = insert.row();
        row.int(warehouse).int(id).text(&letters(&mut self.chance, 6, 10));
        self.address(&mut row);
        row.decimal(self.number(0, 2_000), 4).decimal(3_000_000, 2).int(self.scale.customers + 1);
    }

    pub(crate) fn stock(&mut self, insert: &mut Insert, warehouse: u32, item: u32) {
        let mut row = insert.row();
        row.int(warehouse).int(item).int(self.number(10, 100));
        for _ in 0..10 {
            row.text(&letters(&mut self.chance, 24, 24));
        }
        row.int(0).int(0).int(0).text(&data(&mut self.chance));
    }

    pub(crate) fn customer(&mut self, insert: &mut Insert, warehouse: u32, district: u32, id: u32) {
        // The first third have all names, one each.
        let is_first = id <= self.scale.names();
        let name = if is_first { id - 1 } else { Skew::of_load(self.scale).last_name(&mut self.chance) };
        let credit = if self.chance.percent(10) { "BC" } else { "GC" };
        let mut row = insert.row();
        row.int(warehouse).int(district).int(id);
        row.text(&letters(&mut self.chance, 8, 16)).text("OE").text(&last_name(name));
        self.address(&mut row);
        row.text(&digits(&mut self.chance, 16)).text(self.now).text(credit).decimal(5_000_000, 2);
        row.decimal(self.number(0, 5_000), 4).decimal(-1_000, 2).decimal(1_000, 2).int(1).int(0);
        row.text(&letters(&mut self.chance, 300, 500));
    }

    pub(crate) fn history(&mut self, insert: &mut Insert, warehouse: u32, district: u32, customer: u32) {
        let mut row = insert.row();
        row.int(customer).int(district).int(warehouse).int(district).int(warehouse);
        row.text(self.now).decimal(1_000, 2).text(&letters(&mut self.chance, 12, 24));
    }

    /// The orders of a district belong to its customers in an order of chance.
    pub(crate) fn customers_by_chance(&mut self) -> Vec<u32> {
        let mut customers: Vec<u32> = (1..=self.scale.customers).collect();
        self.chance.shuffle(&mut customers);
        customers
    }

    /// Writes an order and says how many lines it has.
    pub(crate) fn order(&mut self, insert: &mut Insert, warehouse: u32, district: u32, id: u32, customer: u32) -> u32 {
        let lines = self.chance.between(LINES_MIN, LINES_MAX);
        let mut row = insert.row();
        row.int(warehouse).int(district).int(id).int(customer).text(self.now);
        if id < self.scale.first_new_order() {
            row.int(self.number(1, 10));
        } else {
            row.null();
        }
        row.int(lines).int(1);
        lines
    }

    pub(crate) fn order_line(&mut self, insert: &mut Insert, warehouse: u32, district: u32, order: u32, number: u32) {
        let mut row = insert.row();
        row.int(warehouse).int(district).int(order).int(number);
        row.int(self.number(1, self.scale.items)).int(warehouse);
        if order < self.scale.first_new_order() {
            row.text(self.now).int(5).decimal(0, 2);
        } else {
            row.null().int(5).decimal(self.number(1, 999_999), 2);
        }
        row.text(&letters(&mut self.chance, 24, 24));
    }
}

/// The new order of an order that is not delivered.
pub(crate) fn new_order(insert: &mut Insert, warehouse: u32, district: u32, order: u32) {
    insert.row().int(warehouse).int(district).int(order);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every maker's row has as many values as its table has columns.
    #[test]
    fn rows_have_their_tables_columns() {
        let schema = include_str!("../../../../examples/tpcc/schema.sql");
        let columns = |table: &str| {
            let body =
                schema.split(&format!("create table dbo.{table} (")).nth(1).unwrap().split("\n);").next().unwrap();
            body.lines().filter(|line| line.trim_end().ends_with("null,") || line.trim_end().ends_with("null")).count()
        };
        let mut maker = Maker { chance: Chance::new(1, 1), scale: Scale::STANDARD, now: "2001-02-03" };
        let mut check = |table: &'static str, write: &dyn Fn(&mut Maker<'_>, &mut Insert)| {
            let mut insert = Insert::into(table);
            write(&mut maker, &mut insert);
            let text = insert.take().unwrap().0;
            let values = text.split("values (").nth(1).unwrap().split(')').next().unwrap();
            assert_eq!(values.split(',').count(), columns(table), "{table}: {values}");
        };
        check("item", &|maker, insert| maker.item(insert, 1));
        check("warehouse", &|maker, insert| maker.warehouse(insert, 1));
        check("district", &|maker, insert| maker.district(insert, 1, 1));
        check("stock", &|maker, insert| maker.stock(insert, 1, 1));
        check("customer", &|maker, insert| maker.customer(insert, 1, 1, 1001));
        check("history", &|maker, insert| maker.history(insert, 1, 1, 1));
        check("orders", &|maker, insert| assert!((5..=15).contains(&maker.order(insert, 1, 1, 2101, 1))));
        check("order_line", &|maker, insert| maker.order_line(insert, 1, 1, 1, 1));
        check("new_order", &|_, insert| new_order(insert, 1, 1, 2101));
    }

    #[test]
    fn every_customer_has_one_order() {
        let mut maker = Maker { chance: Chance::new(1, 1), scale: Scale::STANDARD, now: "" };
        let mut customers = maker.customers_by_chance();
        assert_ne!(customers[..10], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        customers.sort_unstable();
        assert_eq!(customers, (1..=3_000).collect::<Vec<_>>());
    }

    #[test]
    fn delivered_orders_have_carriers_dates_and_no_amount() {
        let mut maker = Maker { chance: Chance::new(1, 1), scale: Scale::STANDARD, now: "2001-02-03" };
        for (id, is_delivered) in [(2_100, true), (2_101, false)] {
            let (mut orders, mut lines) = (Insert::into("orders"), Insert::into("order_line"));
            maker.order(&mut orders, 1, 1, id, 1);
            maker.order_line(&mut lines, 1, 1, id, 1);
            let (orders, lines) = (orders.take().unwrap().0, lines.take().unwrap().0);
            assert_eq!(orders.contains("null"), !is_delivered, "{orders}");
            assert_eq!(lines.contains("'2001-02-03',5,0.00"), is_delivered, "{lines}");
            assert_eq!(lines.contains("null,5,"), !is_delivered, "{lines}");
        }
    }
}
