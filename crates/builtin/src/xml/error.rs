//! Errors of XML and XQuery as SQL Server's messages.

use millpond_message as message;
use millpond_message::error::SqlError;
use millpond_types::cast::xml::parse_error;
use millpond_xml::ParseError;
use millpond_xml::xquery::{ModifyError, QueryError, QueryFault, RunError};

use crate::xml::StatementBudget;

/// A text that is no XML.
#[must_use]
pub fn of_parse(error: ParseError) -> SqlError {
    parse_error(error).map_or_else(StatementBudget::error, message::of_eval)
}

/// A query that does not run.
#[must_use]
pub fn of_run(error: RunError) -> SqlError {
    match error {
        RunError::Halted(halt) => StatementBudget::error(halt),
        RunError::LateAttribute => SqlError::of(6307, 1, &[]),
        RunError::DuplicateAttribute(name) => SqlError::of(6308, 1, &[&name]),
        RunError::TooDeep => SqlError::of(6335, 1, &[&millpond_xml::DEPTH_MAX]),
    }
}

/// A change that is not made.
#[must_use]
pub fn of_modify(error: ModifyError) -> SqlError {
    match error {
        ModifyError::Run(error) => of_run(error),
        ModifyError::EmptyValue => SqlError::of(6325, 1, &[]),
        ModifyError::Target => SqlError::of(6306, 1, &[]),
    }
}

/// A query that is none; `prefix` begins the message: `XQuery [t.c.value()]: `.
#[must_use]
pub fn of_query(prefix: &str, error: &QueryError) -> SqlError {
    let p = &prefix;
    let word = |place: usize| error.words.get(place).map_or("", String::as_str);
    let (a, b, c) = (&word(0), &word(1), &word(2));
    use QueryFault as F;
    match error.fault {
        F::Predicate => SqlError::of(2203, 1, &[p, a]),
        F::Condition => SqlError::of(2204, 1, &[p, a]),
        F::Expected => SqlError::of(2205, 1, &[p, a]),
        F::InsertKind => SqlError::of(2207, 1, &[p, a]),
        F::Syntax => SqlError::of(2209, 1, &[p, a]),
        F::Heterogeneous => SqlError::of(2210, 1, &[p, a, b]),
        F::NameExpected => SqlError::of(2223, 1, &[p, a]),
        F::StringExpected => SqlError::of(2225, 1, &[p]),
        F::InsertTarget => SqlError::of(2226, 1, &[p, a]),
        F::UnknownVariable => SqlError::of(2227, 1, &[p, a]),
        F::UnknownPrefix => SqlError::of(2229, 1, &[p, a]),
        F::KnownPrefix => SqlError::of(2230, 1, &[p, a]),
        F::UnknownType => SqlError::of(2231, 1, &[p, a]),
        F::Operator => SqlError::of(2234, 1, &[p, a, b, c]),
        F::FewArguments => SqlError::of(2236, 1, &[p, a]),
        F::ManyArguments => SqlError::of(2238, 1, &[p, a]),
        F::IntoTarget => SqlError::of(2240, 1, &[p, a]),
        F::VariableExpected => SqlError::of(2241, 1, &[p]),
        F::PositionExpected => SqlError::of(2248, 1, &[p, a]),
        F::BesideTarget => SqlError::of(2249, 1, &[p, a]),
        F::NodeTest => SqlError::of(2256, 1, &[p, a]),
        F::AttributePosition => SqlError::of(2258, 1, &[p, a]),
        F::DeleteTarget => SqlError::of(2264, 1, &[p, a]),
        F::EndTagExpected => SqlError::of(2267, 1, &[p, a]),
        F::DuplicateAttribute => SqlError::of(2271, 1, &[p, a]),
        F::UnterminatedCdata => SqlError::of(2273, 1, &[p]),
        F::UnterminatedString => SqlError::of(2274, 1, &[p, a]),
        F::EntityReference => SqlError::of(2282, 1, &[p]),
        F::NumericReference => SqlError::of(2285, 1, &[p]),
        F::EndTag => SqlError::of(2323, 1, &[p, a, b, c]),
        F::ReplaceTarget => SqlError::of(2337, 1, &[p, a]),
        F::UnterminatedComment => SqlError::of(2340, 1, &[p, a]),
        F::NumericConstant => SqlError::of(2342, 1, &[p]),
        F::FirstOrLast => SqlError::of(2351, 1, &[p]),
        F::ElseExpected => SqlError::of(2355, 1, &[p]),
        F::ReplaceKind => SqlError::of(2356, 1, &[p, a]),
        F::TooComplex => SqlError::of(2363, 1, &[p]),
        F::Conversion => SqlError::of(2364, 1, &[p, a, b]),
        F::MoreTokens => SqlError::of(2370, 1, &[p, a]),
        F::OnlyInPredicate => SqlError::of(2371, 1, &[p, a]),
        F::NodesRequired => SqlError::of(2374, 1, &[p, a]),
        F::Singleton => SqlError::of(2389, 1, &[p, a, b]),
        F::TopLevel => SqlError::of(2390, 1, &[p, a]),
        F::Axis => SqlError::of(2392, 1, &[p, a]),
        F::UnknownFunction if error.words.len() > 1 => SqlError::of(2395, 1, &[p, a, b]),
        F::UnknownFunction => SqlError::of(2394, 1, &[p, a]),
        F::NoChange => SqlError::of(6305, 1, &[]),
        F::Change => SqlError::of(6306, 1, &[]),
        F::CastWithoutMark => SqlError::of(9301, 1, &[p, a]),
        F::Wanted => SqlError::of(9303, 1, &[p, a, b]),
        F::NotNumeric => SqlError::of(9308, 1, &[p, a, b]),
        F::ReplaceConstructed => SqlError::of(9310, 1, &[p]),
        F::AttributeParts => SqlError::of(9313, 1, &[p]),
        F::ConstantName => SqlError::of(9315, 1, &[p]),
        F::LoneBrace => SqlError::of(9324, 1, &[p]),
        F::ComputedInstruction => SqlError::of(9325, 1, &[p]),
        F::ComputedComment => SqlError::of(9326, 1, &[p]),
        F::PrologEnd => SqlError::of(9327, 1, &[p, a]),
        F::ClauseExpected => SqlError::of(9332, 1, &[p, a]),
        F::Unsupported => SqlError::of(9335, 1, &[p, a]),
        F::NamespaceLiteral => SqlError::of(9338, 1, &[p]),
        F::StepExpected => SqlError::of(9341, 1, &[p, a]),
        F::XmlReference => SqlError::of(9342, 1, &[p]),
    }
}
