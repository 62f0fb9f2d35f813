//! How many rows of what the standard wants (revision 5.11, clauses 1.2.1 and 4.3.3), and who is drawn how often.

/// Items, whatever the scale.
pub(crate) const ITEMS: u32 = 100_000;
/// Districts of a warehouse.
pub(crate) const DISTRICTS: u32 = 10;
/// Customers of a district, and its orders after the load: one each.
pub(crate) const CUSTOMERS: u32 = 3_000;
/// The first order of a district that is not delivered after the load.
pub(crate) const FIRST_NEW_ORDER: u32 = 2_101;
/// Fewest lines of an order.
pub(crate) const LINES_MIN: u32 = 5;
/// Most lines of an order.
pub(crate) const LINES_MAX: u32 = 15;

/// Rows of the tables for that many warehouses; lines of orders are their mean, 10 an order.
pub(crate) fn rows(warehouses: u32) -> u64 {
    let of_district = u64::from(CUSTOMERS) * (1 + 1 + 1 + 10) + u64::from(CUSTOMERS - FIRST_NEW_ORDER + 1) + 1;
    let of_warehouse = u64::from(DISTRICTS) * of_district + u64::from(ITEMS) + 1;
    u64::from(ITEMS) + u64::from(warehouses) * of_warehouse
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_warehouse_has_half_a_million_rows() {
        assert_eq!(super::rows(1) - super::rows(0), 1 + 10 + 30_000 * 3 + 300_000 + 9_000 + 100_000);
    }
}
