//! Views that need not list a whole database: the columns by whose value the objects that their rows are of are found.

use millpond_catalog::system_view::{Lead, Leads};

/// Rows that are objects.
pub(super) const OF_OBJECTS: Leads =
    &[("object_id", Lead::Number), ("name", Lead::Name), ("parent_object_id", Lead::Parent)];
/// Rows of something that belongs to an object.
pub(super) const OF_PARTS: Leads = &[("object_id", Lead::Number)];

#[cfg(test)]
mod tests {
    use crate::VIEWS;

    #[test]
    fn columns_that_lead_are_columns_of_their_views() {
        let led: Vec<_> = VIEWS.iter().map(|(_, view)| view).filter(|view| !view.led_by.is_empty()).collect();
        assert_eq!(led.len(), 59);
        for view in led {
            assert_eq!(view.leads().len(), view.led_by.len(), "{}", view.name);
        }
    }
}
