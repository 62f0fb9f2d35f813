//! A query as a tree: names are resolved, variables are slots.

use std::sync::Arc;

use crate::document::Name;
use crate::xquery::atom::{Atom, AtomKind};

/// Namespaces that a query may use without a declaration of its own: `WITH XMLNAMESPACES`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Namespaces {
    /// Prefix and namespace.
    pub prefixes: Vec<(String, String)>,
    /// That of elements without prefix.
    pub default: Option<String>,
    /// How many prefixes stand before it.
    pub default_place: usize,
}

impl Namespaces {
    /// Whether none is declared.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.prefixes.is_empty() && self.default.is_none()
    }
}

/// A value of SQL.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reference {
    /// `sql:column("…")`
    Column(String),
    /// `sql:variable("@…")`
    Variable(String),
}

/// A query, or a change.
#[derive(Clone, Debug)]
pub struct Module {
    pub(crate) body: Body,
    pub(crate) references: Vec<Reference>,
    /// How many variables there are.
    pub(crate) slots: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum Body {
    Query(Expr),
    Change(Change),
}

/// A data modification.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Insert { source: Expr, place: Place, target: Expr },
    Delete(Expr),
    Replace { target: Expr, value: Expr },
}

/// Where `insert` puts nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Into,
    First,
    Last,
    Before,
    After,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis {
    Child,
    Attribute,
    Itself,
    Parent,
    Descendant,
    DescendantOrSelf,
}

/// Which nodes of an axis a step takes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Test {
    Name(Name),
    /// `*`
    AnyName,
    /// `p:*`
    AnyOf(Arc<str>),
    /// `*:n`
    AnyLocal(Arc<str>),
    Node,
    Text,
    Comment,
    /// `processing-instruction("target")`
    Instruction(Option<String>),
}

#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) axis: Axis,
    pub(crate) test: Test,
    pub(crate) predicates: Vec<Expr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeCompare {
    Is,
    Before,
    After,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

impl Arithmetic {
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Arithmetic::Add => "+",
            Arithmetic::Subtract => "-",
            Arithmetic::Multiply => "*",
            Arithmetic::Divide => "div",
            Arithmetic::Modulo => "mod",
        }
    }
}

impl Compare {
    pub(crate) fn sign(self, general: bool) -> &'static str {
        let [value, sign] = match self {
            Compare::Eq => ["eq", "="],
            Compare::Ne => ["ne", "!="],
            Compare::Lt => ["lt", "<"],
            Compare::Le => ["le", "<="],
            Compare::Gt => ["gt", ">"],
            Compare::Ge => ["ge", ">="],
        };
        if general { sign } else { value }
    }
}

/// A clause of FLWOR before its `return`.
#[derive(Clone, Debug)]
pub(crate) enum Clause {
    For {
        slot: usize,
        over: Expr,
    },
    Let {
        slot: usize,
        value: Expr,
    },
    Where(Expr),
    /// Keys, each with whether it descends.
    Order(Vec<(Expr, bool)>),
}

/// A part of the content of a constructed element.
#[derive(Clone, Debug)]
pub(crate) struct Construct {
    pub(crate) name: Name,
    pub(crate) namespaces: Vec<(Arc<str>, Arc<str>)>,
    pub(crate) content: Vec<Expr>,
}

#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Literal(Atom),
    Sequence(Vec<Expr>),
    Variable(usize),
    /// `.`
    Context,
    /// `/`
    Root,
    Path(Box<Expr>, Vec<Step>),
    Filter(Box<Expr>, Vec<Expr>),
    Or(Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    General(Compare, Box<Expr>, Box<Expr>),
    Value(Compare, Box<Expr>, Box<Expr>),
    Nodes(NodeCompare, Box<Expr>, Box<Expr>),
    Arithmetic(Arithmetic, Box<Expr>, Box<Expr>),
    Negate(Box<Expr>),
    Union(Box<Expr>, Box<Expr>),
    Cast(AtomKind, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `every` or `some`: variables over sequences, and what is asked of them.
    Quantified {
        every: bool,
        over: Vec<(usize, Expr)>,
        satisfies: Box<Expr>,
    },
    Flwor(Vec<Clause>, Box<Expr>),
    Call(Function, Vec<Expr>),
    Element(Box<Construct>),
    Attribute(Box<Name>, Vec<Expr>),
    TextNode(Box<Expr>),
    Comment(String),
    Instruction(String, String),
    /// A value of SQL, by its place among the references.
    Sql(usize),
}

macro_rules! functions {
    ($($variant:ident $name:literal $min:literal $max:literal),* $(,)?) => {
        /// A function of XQuery, with the arguments that it takes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Function { $($variant),* }

        impl Function {
            /// The function of a name.
            pub(crate) fn by_name(name: &str) -> Option<Function> {
                match name { $($name => Some(Function::$variant),)* _ => None }
            }

            pub(crate) fn name(self) -> &'static str {
                match self { $(Function::$variant => $name),* }
            }

            /// Fewest and most arguments.
            pub(crate) fn arity(self) -> (usize, usize) {
                match self { $(Function::$variant => ($min, $max)),* }
            }
        }
    };
}

functions! {
    Avg "avg" 1 1, Ceiling "ceiling" 1 1, Concat "concat" 2 100, Contains "contains" 2 2, Count "count" 1 1,
    Data "data" 1 1, DistinctValues "distinct-values" 1 1, Empty "empty" 1 1, Exists "exists" 1 1, False "false" 0 0,
    Floor "floor" 1 1, Last "last" 0 0, LocalName "local-name" 0 1, LowerCase "lower-case" 1 1, Max "max" 1 1,
    Min "min" 1 1, NamespaceUri "namespace-uri" 0 1, Not "not" 1 1, Number "number" 0 1, Position "position" 0 0,
    Round "round" 1 1, String "string" 0 1, StringLength "string-length" 0 1, Substring "substring" 2 3, Sum "sum" 1 1,
    True "true" 0 0, UpperCase "upper-case" 1 1,
}
