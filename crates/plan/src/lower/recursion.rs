//! Recursive queries as plans: the anchor, and what each level makes of the one before.

use std::sync::Arc;

use millpond_catalog::expr::ExprType;
use millpond_catalog::rel::Rel;
use millpond_message::error::SqlResult;

use crate::lowering::node::Operation;
use crate::lowering::{Lowered, Lowering, OuterColumn};
use crate::operator::recursive::{Member, Recursion, Wanted};

pub(crate) fn recursive(
    lowering: &Lowering<'_>,
    anchor: &Rel,
    members: &[Rel],
    types: &[ExprType],
    levels: u32,
) -> SqlResult<Lowered> {
    let members = members.iter().map(|member| member_of(lowering, member)).collect::<SqlResult<Vec<Member>>>()?;
    let recursion = Recursion {
        members,
        types: types.iter().map(|ty| ty.sql).collect(),
        levels,
        batch_rows: lowering.options.batch_rows,
        outer: lowering.outer.as_ref().map(|outer| Arc::clone(&outer.row)),
        cell: Arc::clone(&lowering.cell),
    };
    let anchor = lowering.exactly(lowering.rel(anchor)?)?;
    let columns = anchor.schema().columns();
    let plan = lowering.node(Operation::Recurse(Arc::new(recursion)), Vec::new(), vec![anchor])?;
    Ok(Lowered { plan, columns })
}

fn member_of(lowering: &Lowering<'_>, member: &Rel) -> SqlResult<Member> {
    let (plan, scope) = lowering.inner_plan(member)?;
    let wanted = scope.wanted.into_inner().into_iter().map(|column| match column.level {
        1 => Wanted::Row(column.column),
        level => Wanted::Outer(lowering.outer_index(OuterColumn { level: level - 1, ..column })),
    });
    Ok(Member { wanted: wanted.collect(), row: scope.row, plan })
}
