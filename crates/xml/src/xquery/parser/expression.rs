//! Operators from the loosest to the tightest, FLWOR, conditions and quantifiers.

use crate::xquery::ast::{Arithmetic, Clause, Compare, Expr, NodeCompare};
use crate::xquery::atom::AtomKind;
use crate::xquery::error::{QueryError, QueryFault};
use crate::xquery::parser::{Parser, XDT, XS, path};
use crate::xquery::{OPERATORS_MAX, Parsing};

/// `a, b, …`
pub(super) fn expression(parser: &mut Parser<'_>) -> Parsing<Expr> {
    let first = single(parser)?;
    if !parser.is(",")? {
        return Ok(first);
    }
    let mut items = vec![first];
    while parser.eat(",")? {
        items.push(single(parser)?);
    }
    Ok(Expr::Sequence(items))
}

pub(super) fn single(parser: &mut Parser<'_>) -> Parsing<Expr> {
    parser.nested(|parser| {
        if parser.is_word_before("for", "$")? || parser.is_word_before("let", "$")? {
            return flwor(parser);
        }
        for (word, every) in [("some", false), ("every", true)] {
            if parser.is_word_before(word, "$")? {
                parser.eat_word(word)?;
                return quantified(parser, every);
            }
        }
        if parser.is_word_before("if", "(")? {
            return condition(parser);
        }
        for word in ["typeswitch", "validate", "ordered", "unordered"] {
            if parser.is_word_before(word, if word == "typeswitch" { "(" } else { "{" })? {
                return Err(QueryError::unsupported(word));
            }
        }
        or(parser)
    })
}

// FLWOR.

fn flwor(parser: &mut Parser<'_>) -> Parsing<Expr> {
    let outer = parser.variables.len();
    let mut clauses = Vec::new();
    loop {
        if parser.is_word_before("for", "$")? {
            parser.eat_word("for")?;
            for_bindings(parser, &mut clauses)?;
        } else if parser.is_word_before("let", "$")? {
            parser.eat_word("let")?;
            let_bindings(parser, &mut clauses)?;
        } else {
            break;
        }
    }
    if parser.eat_word("where")? {
        clauses.push(Clause::Where(single(parser)?));
    }
    if parser.eat_words(&["order", "by"])? || parser.eat_words(&["stable", "order", "by"])? {
        clauses.push(Clause::Order(order_keys(parser)?));
    }
    if !parser.eat_word("return")? {
        return parser.fail(QueryFault::ClauseExpected, &[&parser.near()]);
    }
    let result = single(parser)?;
    parser.variables.truncate(outer);
    Ok(Expr::Flwor(clauses, Box::new(result)))
}

fn for_bindings(parser: &mut Parser<'_>, clauses: &mut Vec<Clause>) -> Parsing<()> {
    loop {
        let name = parser.variable_name()?;
        refuse_type(parser)?;
        if parser.is_word("at")? {
            return Err(QueryError::unsupported("at"));
        }
        parser.expect_word("in")?;
        let over = single(parser)?;
        let slot = parser.declare(name);
        clauses.push(Clause::For { slot, over });
        if !parser.eat(",")? {
            return Ok(());
        }
    }
}

fn let_bindings(parser: &mut Parser<'_>, clauses: &mut Vec<Clause>) -> Parsing<()> {
    loop {
        let name = parser.variable_name()?;
        refuse_type(parser)?;
        if !parser.eat(":=")? {
            return parser.fail(QueryFault::Wanted, &[&parser.near(), ":="]);
        }
        let value = single(parser)?;
        let slot = parser.declare(name);
        clauses.push(Clause::Let { slot, value });
        if !parser.eat(",")? {
            return Ok(());
        }
    }
}

fn refuse_type(parser: &mut Parser<'_>) -> Parsing<()> {
    if parser.is_word("as")? { Err(QueryError::unsupported("as")) } else { Ok(()) }
}

fn order_keys(parser: &mut Parser<'_>) -> Parsing<Vec<(Expr, bool)>> {
    let mut keys = Vec::new();
    loop {
        let key = single(parser)?;
        let descends = parser.eat_word("descending")?;
        if !descends {
            parser.eat_word("ascending")?;
        }
        for words in ["empty", "collation"] {
            if parser.is_word(words)? {
                return Err(QueryError::unsupported(words));
            }
        }
        keys.push((key, descends));
        if !parser.eat(",")? {
            return Ok(keys);
        }
    }
}

fn quantified(parser: &mut Parser<'_>, every: bool) -> Parsing<Expr> {
    let outer = parser.variables.len();
    let mut over = Vec::new();
    loop {
        let name = parser.variable_name()?;
        refuse_type(parser)?;
        parser.expect_word("in")?;
        let sequence = single(parser)?;
        over.push((parser.declare(name), sequence));
        if !parser.eat(",")? {
            break;
        }
    }
    parser.expect_word("satisfies")?;
    let satisfies = Box::new(single(parser)?);
    parser.variables.truncate(outer);
    Ok(Expr::Quantified { every, over, satisfies })
}

fn condition(parser: &mut Parser<'_>) -> Parsing<Expr> {
    parser.eat_word("if")?;
    parser.expect("(")?;
    let condition = expression(parser)?;
    parser.expect(")")?;
    parser.expect_word("then")?;
    let then = single(parser)?;
    if !parser.eat_word("else")? {
        return parser.fail(QueryFault::ElseExpected, &[]);
    }
    let otherwise = single(parser)?;
    Ok(Expr::If(Box::new(condition), Box::new(then), Box::new(otherwise)))
}

// Operators. A chain grows to the left, one level per operator.

fn chain(
    parser: &mut Parser<'_>,
    operand: fn(&mut Parser<'_>) -> Parsing<Expr>,
    mut operator: impl FnMut(&mut Parser<'_>) -> Parsing<Option<Operator>>,
) -> Parsing<Expr> {
    let mut left = operand(parser)?;
    while let Some(join) = operator(parser)? {
        parser.operators += 1;
        if parser.operators > OPERATORS_MAX {
            return parser.fail(QueryFault::TooComplex, &[]);
        }
        left = join(Box::new(left), Box::new(operand(parser)?));
    }
    Ok(left)
}

/// What joins two operands.
type Operator = fn(Box<Expr>, Box<Expr>) -> Expr;

fn or(parser: &mut Parser<'_>) -> Parsing<Expr> {
    chain(parser, and, |parser| Ok(parser.eat_word("or")?.then_some(Expr::Or as Operator)))
}

fn and(parser: &mut Parser<'_>) -> Parsing<Expr> {
    chain(parser, comparison, |parser| Ok(parser.eat_word("and")?.then_some(Expr::And as Operator)))
}

fn comparison(parser: &mut Parser<'_>) -> Parsing<Expr> {
    let left = additive(parser)?;
    if parser.is_word("to")? {
        return Err(QueryError::unsupported("to"));
    }
    for (word, op) in [
        ("eq", Compare::Eq),
        ("ne", Compare::Ne),
        ("lt", Compare::Lt),
        ("le", Compare::Le),
        ("gt", Compare::Gt),
        ("ge", Compare::Ge),
    ] {
        if parser.eat_word(word)? {
            return Ok(Expr::Value(op, Box::new(left), Box::new(additive(parser)?)));
        }
    }
    if parser.eat_word("is")? {
        return Ok(Expr::Nodes(NodeCompare::Is, Box::new(left), Box::new(additive(parser)?)));
    }
    for (sign, op) in [("<<", NodeCompare::Before), (">>", NodeCompare::After)] {
        if parser.eat(sign)? {
            return Ok(Expr::Nodes(op, Box::new(left), Box::new(additive(parser)?)));
        }
    }
    for (sign, op) in [
        ("!=", Compare::Ne),
        ("<=", Compare::Le),
        (">=", Compare::Ge),
        ("=", Compare::Eq),
        ("<", Compare::Lt),
        (">", Compare::Gt),
    ] {
        if parser.eat(sign)? {
            return Ok(Expr::General(op, Box::new(left), Box::new(additive(parser)?)));
        }
    }
    Ok(left)
}

fn additive(parser: &mut Parser<'_>) -> Parsing<Expr> {
    chain(parser, multiplicative, |parser| {
        Ok(if parser.eat("+")? {
            Some(|left, right| Expr::Arithmetic(Arithmetic::Add, left, right))
        } else if parser.eat("-")? {
            Some(|left, right| Expr::Arithmetic(Arithmetic::Subtract, left, right))
        } else {
            None
        })
    })
}

fn multiplicative(parser: &mut Parser<'_>) -> Parsing<Expr> {
    chain(parser, union, |parser| {
        if parser.is_word("idiv")? {
            return Err(QueryError::unsupported("idiv"));
        }
        Ok(if parser.eat("*")? {
            Some(|left, right| Expr::Arithmetic(Arithmetic::Multiply, left, right))
        } else if parser.eat_word("div")? {
            Some(|left, right| Expr::Arithmetic(Arithmetic::Divide, left, right))
        } else if parser.eat_word("mod")? {
            Some(|left, right| Expr::Arithmetic(Arithmetic::Modulo, left, right))
        } else {
            None
        })
    })
}

fn union(parser: &mut Parser<'_>) -> Parsing<Expr> {
    chain(parser, typed, |parser| {
        for word in ["intersect", "except"] {
            if parser.is_word(word)? {
                return Err(QueryError::unsupported(word));
            }
        }
        Ok((parser.eat("|")? || parser.eat_word("union")?).then_some(Expr::Union as Operator))
    })
}

/// `x cast as xs:int ?`
fn typed(parser: &mut Parser<'_>) -> Parsing<Expr> {
    let operand = unary(parser)?;
    for words in [["instance", "of"], ["treat", "as"], ["castable", "as"]] {
        if parser.are_words(&words)? {
            return Err(QueryError::unsupported(&words.join(" ")));
        }
    }
    if !parser.eat_words(&["cast", "as"])? {
        return Ok(operand);
    }
    parser.space()?;
    let Some((prefix, local)) = parser.qualified_name() else {
        return parser.fail(QueryFault::NameExpected, &[&parser.near()]);
    };
    let kind = type_of(parser, prefix, local)?;
    if !parser.eat("?")? {
        return parser.fail(QueryFault::CastWithoutMark, &[""]);
    }
    Ok(Expr::Cast(kind, Box::new(operand)))
}

/// The type of a name.
pub(super) fn type_of(parser: &Parser<'_>, prefix: &str, local: &str) -> Parsing<AtomKind> {
    let written = if prefix.is_empty() { local.to_owned() } else { format!("{prefix}:{local}") };
    let unknown = || QueryError::new(QueryFault::UnknownType, &[&written]);
    if prefix.is_empty() {
        return Err(unknown());
    }
    match (&*parser.namespace(prefix)?, local) {
        (XDT, "untypedAtomic") => Ok(AtomKind::Untyped),
        (XS, local) => match AtomKind::by_name(local) {
            Some(kind) => Ok(kind),
            None if is_other_type(local) => Err(QueryError::unsupported(&written)),
            None => Err(unknown()),
        },
        _ => Err(unknown()),
    }
}

/// Types of XML Schema that no value here has.
fn is_other_type(local: &str) -> bool {
    const TYPES: [&str; 19] = [
        "duration",
        "gYear",
        "gYearMonth",
        "gMonth",
        "gMonthDay",
        "gDay",
        "anyURI",
        "QName",
        "NOTATION",
        "normalizedString",
        "token",
        "language",
        "Name",
        "NCName",
        "NMTOKEN",
        "ID",
        "IDREF",
        "negativeInteger",
        "nonPositiveInteger",
    ];
    TYPES.contains(&local)
}

fn unary(parser: &mut Parser<'_>) -> Parsing<Expr> {
    if parser.eat("-")? {
        return parser.nested(|parser| Ok(Expr::Negate(Box::new(unary(parser)?))));
    }
    if parser.eat("+")? {
        return parser.nested(unary);
    }
    path::path(parser)
}
