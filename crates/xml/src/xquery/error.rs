//! What is wrong with a query.

/// What is wrong. Each is one of SQL Server's messages; which number it has is known where errors are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueryFault {
    /// A predicate that is neither number, boolean nor nodes: its type.
    Predicate,
    /// A condition that is neither boolean nor nodes: its type.
    Condition,
    /// Something is missing: what.
    Expected,
    /// Something that cannot stand here.
    Syntax,
    /// Nodes and values in one sequence: the two types.
    Heterogeneous,
    /// A name has to stand here: what does.
    NameExpected,
    /// A string literal has to stand here.
    StringExpected,
    /// `insert` of values: their type.
    InsertKind,
    /// The target of `insert` may be several nodes: its type.
    InsertTarget,
    /// A variable that is not there.
    UnknownVariable,
    /// A prefix that is not declared.
    UnknownPrefix,
    /// A prefix that is declared twice.
    KnownPrefix,
    /// A type that is not there.
    UnknownType,
    /// An operator and the types of its operands, which do not fit.
    Operator,
    /// Too few arguments: the function.
    FewArguments,
    /// Too many arguments: the function.
    ManyArguments,
    /// `insert … into` something without children: its type.
    IntoTarget,
    /// `$` without name.
    VariableExpected,
    /// `as`, `into`, `before` or `after` is missing.
    PositionExpected,
    /// `insert … before` something without siblings: its type.
    BesideTarget,
    /// A step without test.
    NodeTest,
    /// An attribute with a position: its type.
    AttributePosition,
    /// `delete` of values: their type.
    DeleteTarget,
    /// An end tag is missing: which.
    EndTagExpected,
    /// Two attributes of a name.
    DuplicateAttribute,
    /// A CDATA section without end.
    UnterminatedCdata,
    /// A string without end, from a line on.
    UnterminatedString,
    /// A reference that is none.
    EntityReference,
    /// `&#…;` that is none.
    NumericReference,
    /// An end tag of another name: its name, that of the start tag, the start tag's line.
    EndTag,
    /// The target of `replace value of` may be several nodes: its type.
    ReplaceTarget,
    /// A comment without end, from a line on.
    UnterminatedComment,
    /// A number that is none.
    NumericConstant,
    /// `else` is missing.
    ElseExpected,
    /// `first` or `last` is missing.
    FirstOrLast,
    /// `replace value of` an element: its type.
    ReplaceKind,
    /// More than a query bears.
    TooComplex,
    /// A type that does not become another: both.
    Conversion,
    /// What follows the query's end.
    MoreTokens,
    /// A function that only a predicate may call: which.
    OnlyInPredicate,
    /// A function that is of nodes: which.
    NodesRequired,
    /// An operand that is several: of which function or operator, and its type.
    Singleton,
    /// Nodes of a kind that cannot stand alone: which.
    TopLevel,
    /// An axis that is not there: which.
    Axis,
    /// A function that is not there: prefix and name, or the name alone.
    UnknownFunction,
    /// A condition that is no XQuery: `cast as` without `?`.
    CastWithoutMark,
    /// What else would have to stand here: what does, and what would.
    Wanted,
    /// `with` of `replace value of` constructs.
    ReplaceConstructed,
    /// The argument of an aggregate that is of no number: which, its type.
    NotNumeric,
    /// A name of a constructor that is computed.
    ConstantName,
    /// An attribute of several parts.
    AttributeParts,
    /// `}` alone.
    LoneBrace,
    /// A computed instruction.
    ComputedInstruction,
    /// A computed comment.
    ComputedComment,
    /// A prolog's entry without `;`: what stands there.
    PrologEnd,
    /// `where`, `order by` or `return` is missing.
    ClauseExpected,
    /// What XQuery has and this has not: what.
    Unsupported,
    /// `xmlns` whose value is computed.
    NamespaceLiteral,
    /// A step has to stand here.
    StepExpected,
    /// An `xml` value where it is not the source of an `insert`.
    XmlReference,
    /// A query where a change is needed.
    NoChange,
    /// A change where a query is needed.
    Change,
}

/// What is wrong with a query, and what the message names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// What is wrong.
    pub fault: QueryFault,
    /// What the message names, in its order.
    pub words: Vec<String>,
}

impl QueryError {
    pub(crate) fn new(fault: QueryFault, words: &[&str]) -> QueryError {
        QueryError { fault, words: words.iter().map(|word| (*word).to_owned()).collect() }
    }

    pub(crate) fn unsupported(what: &str) -> QueryError {
        QueryError::new(QueryFault::Unsupported, &[what])
    }
}
