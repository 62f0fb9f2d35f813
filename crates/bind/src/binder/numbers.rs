//! Where NEXT VALUE FOR may stand.

use millpond_message::error::{SqlError, SqlResult};

/// Whether NEXT VALUE FOR may stand at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    Allowed,
    /// Inside of a definition, a subquery and the like: 11719.
    NotHere,
    /// In a clause other than the select list: 11720.
    NotInClause,
    /// With DISTINCT or a set operation: 11721.
    NotDistinct,
    /// With ORDER BY, unless OVER says another order: 11723.
    NotOrdered,
    /// With TOP, OFFSET or SET ROWCOUNT: 11739.
    NotFirst,
    /// Inside of CASE and its like: 11741.
    NotInCase,
}

impl Numbers {
    pub(crate) fn check(self, over: bool) -> SqlResult<()> {
        let refused = match self {
            Numbers::Allowed => return Ok(()),
            Numbers::NotOrdered if over => return Ok(()),
            Numbers::NotHere => SqlError::of(11_719, 1, &[]),
            Numbers::NotInClause => SqlError::of(11_720, 1, &[]),
            Numbers::NotDistinct => SqlError::of(11_721, 1, &[]),
            Numbers::NotOrdered => SqlError::of(11_723, 1, &[]),
            Numbers::NotFirst => SqlError::of(11_739, 1, &[]),
            Numbers::NotInCase => SqlError::of(11_741, 1, &[]),
        };
        Err(refused)
    }
}
