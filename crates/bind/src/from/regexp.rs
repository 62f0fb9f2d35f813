//! REGEXP_MATCHES and REGEXP_SPLIT_TO_TABLE: their columns.

use std::sync::Arc;

use millpond_builtin::regexp::rows::Unfolded;
use millpond_builtin::regexp::{Role, parameters, part_type};
use millpond_catalog::expr::{BoundExpr, ExprType};
use millpond_catalog::unfold::Unfold;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{Expr, Ident};
use millpond_types::collation::Collation;
use millpond_types::{MaxLen, SqlType};

use crate::binder::Binder;
use crate::binder::source::Source;
use crate::expression::collate;
use crate::expression::operator::{convert, is_null_literal};
use crate::from::columns::{renamed, scope_of};
use crate::from::unfold::{apart, unfolded};

/// The collation of the text about groups.
const GROUPS_COLLATION: &str = "Latin1_General_100_BIN2_UTF8";

/// The function of this name.
pub(crate) fn by_name(name: &str) -> Option<Unfolded> {
    [Unfolded::Matches, Unfolded::Split].into_iter().find(|one| one.name().eq_ignore_ascii_case(name))
}

/// `REGEXP_MATCHES (text, pattern [, flags])` and `REGEXP_SPLIT_TO_TABLE` of the same in FROM.
pub(crate) fn regexp(
    binder: &mut Binder<'_>,
    function: Unfolded,
    args: &[Expr],
    alias: &str,
    columns: &[Ident],
) -> SqlResult<Source> {
    let name = match function {
        Unfolded::Matches => "regexp_matches",
        Unfolded::Split => "regexp_split_to_table",
    };
    match args.len() {
        0 | 1 => return Err(SqlError::of(313, 3, &[&name])),
        2 | 3 => {}
        _ => return Err(SqlError::of(8144, 3, &[&name])),
    }
    let args = apart(binder, args)?;
    let held = collate::compared(&args[..2], name)?;
    let given: Vec<Option<SqlType>> = args.iter().map(|arg| (!is_null_literal(arg)).then_some(arg.ty.sql)).collect();
    let params = parameters(&given, name, &[Role::Flags])?;
    let args: Vec<BoundExpr> =
        args.into_iter().zip(params).map(|(arg, param)| convert(arg, param)).collect::<SqlResult<_>>()?;
    let part = held.by(ExprType::declared(part_type(given[0].unwrap_or(SqlType::Int)), false, held.collation));
    let number = |sql| ExprType::plain(sql, false);
    let typed = match function {
        Unfolded::Matches => {
            let collation = Collation::by_name(GROUPS_COLLATION).unwrap_or_default();
            let groups = SqlType::varchar_of(MaxLen::Max).converted_to(collation.page());
            vec![
                ("match_id", number(SqlType::BigInt)),
                ("start_position", number(SqlType::Int)),
                ("end_position", number(SqlType::Int)),
                ("match_value", part),
                ("substring_matches", ExprType::declared(groups, false, collation)),
            ]
        }
        Unfolded::Split => vec![("value", part), ("ordinal", number(SqlType::BigInt))],
    };
    let (names, types): (Vec<String>, Vec<ExprType>) =
        typed.into_iter().map(|(name, ty)| (name.to_owned(), ty)).unzip();
    let names = renamed(names, columns, alias)?;
    let scope = scope_of(alias, names.into_iter().zip(types.iter().copied()));
    Ok(Source { rel: unfolded(Arc::new(function), args, types), scope })
}
