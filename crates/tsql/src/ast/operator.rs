//! Operators and literals.

/// `SET`'s, `UPDATE`'s and `SELECT @v = …`'s operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignOp {
    /// `=`
    Set,
    /// `+=`
    Add,
    /// `-=`
    Subtract,
    /// `*=`
    Multiply,
    /// `/=`
    Divide,
    /// `%=`
    Modulo,
    /// `&=`
    BitAnd,
    /// `|=`
    BitOr,
    /// `||=`
    Concat,
    /// `^=`
    BitXor,
    /// `.modify(value)`: a method of the target changes it.
    Modify,
}

/// Set operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOperator {
    /// UNION
    Union,
    /// EXCEPT
    Except,
    /// INTERSECT
    Intersect,
}

/// Kind of join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    /// INNER
    Inner,
    /// LEFT
    Left,
    /// RIGHT
    Right,
    /// FULL
    Full,
    /// CROSS
    Cross,
    /// CROSS APPLY
    CrossApply,
    /// OUTER APPLY
    OuterApply,
}

/// The word of a join that says how it is run: `INNER HASH JOIN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinHint {
    /// LOOP
    Loop,
    /// HASH
    Hash,
    /// MERGE
    Merge,
    /// REMOTE
    Remote,
}

/// A literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// NULL
    Null,
    /// Digits that fit `int`, else `decimal` without a point: text as written.
    Integer(String),
    /// With a point: decimal.
    Decimal(String),
    /// With an exponent: float.
    Float(String),
    /// `$-1.5`: money, without its currency; `$` alone is `0`.
    Money(String),
    /// `'…'`
    String(String),
    /// `N'…'`
    NationalString(String),
    /// `0x…`
    Binary(Vec<u8>),
    /// `{d '…'}`, `{t '…'}`, `{ts '…'}`: a `datetime`
    OdbcDateTime(OdbcDateTime, String),
}

/// What the text of an ODBC literal of a date or time says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OdbcDateTime {
    /// `d`: a date
    Date,
    /// `t`: a time, of today
    Time,
    /// `ts`: both
    Timestamp,
}

impl OdbcDateTime {
    /// The word before the text.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            OdbcDateTime::Date => "d",
            OdbcDateTime::Time => "t",
            OdbcDateTime::Timestamp => "ts",
        }
    }
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `||`
    Concat,
    /// `^`
    BitXor,
    /// `=`
    Eq,
    /// `<>`, `!=`
    NotEq,
    /// `<`, `!>=`
    Lt,
    /// `<=`, `!>`
    LtEq,
    /// `>`
    Gt,
    /// `>=`, `!<`
    GtEq,
    /// AND
    And,
    /// OR
    Or,
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`
    Minus,
    /// `+`
    Plus,
    /// `~`
    BitNot,
    /// NOT
    Not,
}
