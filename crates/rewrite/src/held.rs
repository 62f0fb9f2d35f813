//! Parts of an inner query that read no outer row and are made of many rows as a whole, kept as they are when conditions over the outer row
//! are pushed: what is computed once may then be read for each row.
//!
//! ```text
//!   FILTER g.k > outer.k (AGGREGATE BY k (t))     stays, and the groups are the same for all outer rows,
//!                                                 where AGGREGATE BY k (FILTER t.k > outer.k) would be made for each
//! ```
//! What always holds: the rows are those of the relation as written.

use millpond_catalog::rel::Rel;

use crate::normal::normalise;
use crate::terms::reads_beyond;

/// By which a part stands in a relation while the rest becomes normal.
const NAME: &str = "\u{0}held";

/// The relation in normal form, conditions over outer rows above its parts that read none and are groups, distinct rows, windows, first
/// rows or set operations.
#[must_use]
pub fn normalise_around(rel: Rel) -> Rel {
    put_back(normalise(held(rel)))
}

/// Whether a relation is computed as a whole before its first row comes.
fn is_whole(rel: &Rel) -> bool {
    match rel {
        Rel::Aggregate { .. } | Rel::Distinct(_) | Rel::Window { .. } | Rel::Top { .. } => true,
        Rel::Set { all, .. } => !all,
        _ => false,
    }
}

/// The relation with each such part as the beginning of a recursion without members, below which no condition goes.
fn held(rel: Rel) -> Rel {
    if is_whole(&rel) && !reads_beyond(&rel, 1) {
        let types = rel.types();
        return Rel::Recursive { name: NAME.to_owned(), anchor: Box::new(rel), members: Vec::new(), types, levels: 0 };
    }
    below(rel, held)
}

fn put_back(rel: Rel) -> Rel {
    match rel {
        Rel::Recursive { name, anchor, .. } if name == NAME => *anchor,
        rel => below(rel, put_back),
    }
}

/// The relation with its inputs changed, not with queries of their own in it.
fn below(mut rel: Rel, change: fn(Rel) -> Rel) -> Rel {
    let inputs = rel.inputs().len();
    for input in rel.relations_mut().into_iter().take(inputs) {
        let own = std::mem::replace(input, Rel::one_row());
        *input = change(own);
    }
    rel
}
