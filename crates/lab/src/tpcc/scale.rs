//! How many rows of what the standard wants (revision 5.11, clauses 1.2.1 and 4.3.3), and which is drawn how often.
//!
//! What always holds: [`Scale::STANDARD`] is the standard's. A smaller one has fewer items and customers in all
//! proportions that the standard has between them, so that a database with as many warehouses is smaller.

/// Districts of a warehouse.
pub(crate) const DISTRICTS: u32 = 10;
/// Fewest lines of an order.
pub(crate) const LINES_MIN: u32 = 5;
/// Most lines of an order.
pub(crate) const LINES_MAX: u32 = 15;

/// Rows of a warehouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scale {
    /// Items, and rows of stock of each warehouse.
    pub(crate) items: u32,
    /// Customers of a district, and its orders after the load: one each.
    pub(crate) customers: u32,
}

impl Scale {
    /// The standard's.
    pub(crate) const STANDARD: Scale = Scale { items: 100_000, customers: 3_000 };

    /// One `divisor`th of the standard's items and customers.
    pub(crate) fn fraction(divisor: u32) -> Scale {
        Scale { items: Scale::STANDARD.items / divisor, customers: Scale::STANDARD.customers / divisor }
    }

    /// Last names that customers have: three customers of a district share one.
    pub(crate) fn names(self) -> u32 {
        self.customers / 3
    }

    /// The first order of a district that is not delivered after the load: 2,101 of 3,000.
    pub(crate) fn first_new_order(self) -> u32 {
        self.customers * 7 / 10 + 1
    }

    /// Rows of the tables for that many warehouses; lines of orders are their mean, 10 an order.
    pub(crate) fn rows(self, warehouses: u32) -> u64 {
        let of_district =
            u64::from(self.customers) * (1 + 1 + 1 + 10) + u64::from(self.customers - self.first_new_order() + 1) + 1;
        let of_warehouse = u64::from(DISTRICTS) * of_district + u64::from(self.items) + 1;
        u64::from(self.items) + u64::from(warehouses) * of_warehouse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warehouse_has_half_a_million_rows() {
        let rows = |warehouses| Scale::STANDARD.rows(warehouses);
        assert_eq!(rows(1) - rows(0), 1 + 10 + 30_000 * 3 + 300_000 + 9_000 + 100_000);
    }

    #[test]
    fn a_smaller_one_keeps_the_proportions() {
        let tenth = Scale::fraction(10);
        assert_eq!(tenth, Scale { items: 10_000, customers: 300 });
        assert_eq!((Scale::STANDARD.names(), tenth.names()), (1_000, 100));
        assert_eq!((Scale::STANDARD.first_new_order(), tenth.first_new_order()), (2_101, 211));
    }
}
