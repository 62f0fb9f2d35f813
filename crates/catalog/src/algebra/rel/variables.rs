//! What stands in the place of variables: the arguments of an inline function, or the values that they have in one execution.

use std::sync::Arc;

use crate::algebra::expr::{BoundExpr, Kind};
use crate::algebra::rel::Rel;

/// What stands in the place of a variable: by its expression and slot, and by how many queries lie around it. None leaves it.
pub type InPlace<'a> = &'a dyn Fn(&BoundExpr, usize, usize) -> Option<BoundExpr>;

impl Rel {
    /// The relation with something else in the place of its variables, in queries inside of it too; `depth` queries lie around it.
    #[must_use]
    pub fn with_variables(self, depth: usize, in_place: InPlace<'_>) -> Rel {
        self.map_exprs(depth, &mut |expr, depth| with_variables(expr, depth, in_place))
    }
}

fn with_variables(expr: BoundExpr, depth: usize, in_place: InPlace<'_>) -> BoundExpr {
    let inner = |rel: Arc<Rel>| Arc::new(Arc::unwrap_or_clone(rel).with_variables(depth + 1, in_place));
    expr.rewrite(&mut |node| {
        if let Kind::Variable(slot) = node.kind {
            return in_place(&node, slot, depth).ok_or(node);
        }
        let kind = match node.kind {
            Kind::ScalarQuery(rel) => Kind::ScalarQuery(inner(rel)),
            Kind::Exists(rel) => Kind::Exists(inner(rel)),
            Kind::InQuery(operand, rel, collation) => {
                Kind::InQuery(Box::new(with_variables(*operand, depth, in_place)), inner(rel), collation)
            }
            kind => return Err(BoundExpr { kind, ty: node.ty }),
        };
        Ok(BoundExpr { kind, ty: node.ty })
    })
}
