//! Collation precedence: the collation of an operation over texts.
//!
//! COLLATE beats columns, columns beat literals and variables. Columns of different collations leave what does not compare
//! (`+`, CASE, UNION ALL) without a collation, and are an error in what does.

use millpond_catalog::expr::{BoundExpr, CompareOp, ExprType, Label};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::CodePage;
use millpond_types::collation::Collation;

use crate::binder::Binder;

/// A collation and how firmly it is held.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub collation: Collation,
    pub label: Label,
}

impl Held {
    fn of(ty: &ExprType) -> Held {
        Held { collation: ty.collation, label: ty.label }
    }

    /// The type with this collation, if it is a string's.
    pub fn by(self, ty: ExprType) -> ExprType {
        if ty.sql.is_string() { ExprType { collation: self.collation, label: self.label, ..ty } } else { ty }
    }
}

/// What gives way to any other collation is of the database's.
pub(crate) fn at_home(binder: &Binder<'_>, mut expr: BoundExpr) -> BoundExpr {
    let own = binder.dialect.collation();
    if own != Collation::default() && expr.ty.label == Label::Coercible && expr.ty.sql.is_string() {
        expr.ty.collation = own.of_type(&expr.ty.sql);
    }
    expr
}

/// A column of a system view over a database of that collation.
pub(crate) fn catalog(ty: ExprType, own: Collation) -> ExprType {
    let is_default = ty.sql.is_string() && ty.collation == Collation::default();
    if is_default { ExprType { collation: own.of_type(&ty.sql), ..ty } } else { ty }
}

/// What texts have together where they are not compared; `operator` is what messages call it.
///
/// # Errors
/// 468 for two COLLATE that differ.
pub(crate) fn joint<'e>(exprs: impl IntoIterator<Item = &'e BoundExpr>, operator: &'static str) -> SqlResult<Held> {
    let mut joint: Option<Held> = None;
    let mut is_utf8 = false;
    for expr in exprs.into_iter().filter(|expr| expr.ty.sql.is_string()) {
        is_utf8 |= expr.ty.sql.is_utf8();
        let next = Held::of(&expr.ty);
        joint = Some(match joint {
            None => next,
            Some(known) => meet(known, next, operator)?,
        });
    }
    let joint = joint.unwrap_or(Held { collation: Collation::default(), label: Label::Coercible });
    // Texts of UTF-8 are not cut down to another code page, whichever comes first.
    let collation = if is_utf8 { joint.collation.in_page(CodePage::Utf8) } else { joint.collation };
    Ok(Held { collation, ..joint })
}

/// What texts are compared by; `operation` is what messages call it.
///
/// # Errors
/// 468 for texts of different collations, 446 for one that has none.
pub(crate) fn compared<'e>(exprs: impl IntoIterator<Item = &'e BoundExpr>, operation: &'static str) -> SqlResult<Held> {
    let mut unresolved = false;
    let exprs = exprs.into_iter().inspect(|expr| unresolved |= matches!(expr.ty.label, Label::Unresolved { .. }));
    let joint = joint(exprs, operation)?;
    match joint.label {
        Label::Unresolved { .. } if unresolved => Err(SqlError::of(446, 9, &[&operation])),
        Label::Unresolved { other, .. } => Err(conflict(joint.collation, other, operation)),
        _ => Ok(joint),
    }
}

fn meet(left: Held, right: Held, operator: &'static str) -> SqlResult<Held> {
    Ok(match (left.label, right.label) {
        (Label::Explicit, Label::Explicit) if left.collation != right.collation => {
            return Err(conflict(left.collation, right.collation, operator));
        }
        (Label::Explicit, _) => left,
        (_, Label::Explicit) => right,
        (Label::Unresolved { .. }, _) => left,
        (_, Label::Unresolved { .. }) => right,
        (Label::Implicit, Label::Implicit) if left.collation != right.collation => {
            Held { label: Label::Unresolved { other: right.collation, operator }, ..left }
        }
        (Label::Implicit, _) => left,
        (_, Label::Implicit) => right,
        // Only a session's database or a code page makes them differ.
        (Label::Coercible, Label::Coercible) if is_plain(left.collation) && !is_plain(right.collation) => right,
        (Label::Coercible, Label::Coercible) => left,
    })
}

/// Whether a text may have lost what another code page has.
fn is_plain(collation: Collation) -> bool {
    collation.page() == CodePage::default()
}

fn conflict(left: Collation, right: Collation, operation: &str) -> SqlError {
    SqlError::of(468, 9, &[&left.name(), &right.name(), &operation])
}

/// 451 for a column of a result that has no collation.
pub(crate) fn returned<'e>(types: impl IntoIterator<Item = &'e ExprType>) -> SqlResult<()> {
    for (index, ty) in types.into_iter().enumerate() {
        if let Label::Unresolved { other, operator } = ty.label {
            return Err(SqlError::of(451, 1, &[&ty.collation.name(), &other.name(), &operator, &(index + 1)]));
        }
    }
    Ok(())
}

/// A comparison as messages name it.
pub(crate) fn name_of(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "equal to",
        CompareOp::NotEq => "not equal to",
        CompareOp::Lt => "less than",
        CompareOp::LtEq => "less than or equal to",
        CompareOp::Gt => "greater than",
        CompareOp::GtEq => "greater than or equal to",
    }
}

/// The function as messages name it, if it takes no text without a collation.
pub(crate) fn sensitive(function: &str) -> Option<&'static str> {
    const SENSITIVE: [&str; 20] = [
        "charindex",
        "difference",
        "isnumeric",
        "left",
        "len",
        "lower",
        "patindex",
        "regexp_count",
        "regexp_instr",
        "regexp_like",
        "regexp_replace",
        "regexp_substr",
        "replace",
        "reverse",
        "right",
        "soundex",
        "stuff",
        "substring",
        "translate",
        "upper",
    ];
    SENSITIVE.into_iter().find(|name| name.eq_ignore_ascii_case(function))
}
