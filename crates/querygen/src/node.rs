//! Statements as trees that can be written and made smaller.
//!
//! A node knows no grammar: it is text with places in it, and each place says what may stand there instead. So what
//! writes statements and what reduces them need not know the same rules twice. A smaller tree need not be a right
//! statement: the oracle asks again, and a statement that is refused is no finding.

/// What a value is, as far as expressions care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// tinyint to bigint.
    Int,
    /// bit.
    Bit,
    /// decimal and numeric.
    Decimal,
    /// money and smallmoney.
    Money,
    /// real and float.
    Float,
    /// char to nvarchar.
    Text,
    /// date.
    Date,
    /// time.
    Time,
    /// datetime, smalldatetime and datetime2.
    Moment,
    /// datetimeoffset.
    Offset,
    /// uniqueidentifier.
    Guid,
    /// binary and varbinary.
    Binary,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 12] = [
        Family::Int,
        Family::Bit,
        Family::Decimal,
        Family::Money,
        Family::Float,
        Family::Text,
        Family::Date,
        Family::Time,
        Family::Moment,
        Family::Offset,
        Family::Guid,
        Family::Binary,
    ];

    /// A constant of the family that the reducer puts where a value was.
    #[must_use]
    pub fn plain(self) -> &'static str {
        match self {
            Family::Int => "1",
            Family::Bit => "cast(1 as bit)",
            Family::Decimal => "1.5",
            Family::Money => "$1",
            Family::Float => "1e0",
            Family::Text => "'a'",
            Family::Date => "cast('2020-01-01' as date)",
            Family::Time => "cast('10:00' as time)",
            Family::Moment => "cast('2020-01-01' as datetime2)",
            Family::Offset => "cast('2020-01-01' as datetimeoffset)",
            Family::Guid => "cast('6F9619FF-8B86-D011-B42D-00C04FC964FF' as uniqueidentifier)",
            Family::Binary => "0x01",
        }
    }
}

/// A part of a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// Text as it is.
    Text(String),
    /// A constant and its type; it may be written as a variable of that type.
    Constant {
        /// As it is written.
        text: String,
        /// Type of the variable.
        sql: String,
    },
    /// A table or view of the schema by its name; roads give tables other names.
    Table(String),
    /// Parts, one after the other.
    Seq(Vec<Node>),
    /// A value: a smaller one of the family may stand there.
    Value(Family, Box<Node>),
    /// A condition.
    Condition(Box<Node>),
    /// A table source: one side of a join may stand for the join.
    Source(Box<Node>),
    /// A query whose columns cannot be counted here; a query inside it may stand for it.
    Query(Box<Node>),
    /// What may be missing.
    Optional(Box<Node>),
    /// Parts between separators, of which `least` must stay.
    List {
        /// The parts.
        items: Vec<Node>,
        /// What stands between them.
        separator: &'static str,
        /// So many must stay.
        least: usize,
    },
}

/// Text as a node.
pub fn text(text: impl Into<String>) -> Node {
    Node::Text(text.into())
}

/// Parts with text between them: `{}` in the pattern is the next part.
///
/// # Panics
/// When the pattern has another number of places than there are parts: an error of this crate.
#[must_use]
pub fn pattern(pattern: &str, parts: Vec<Node>) -> Node {
    let pieces: Vec<&str> = pattern.split("{}").collect();
    assert_eq!(pieces.len(), parts.len() + 1, "{pattern}");
    let mut seq = vec![text(pieces[0])];
    for (part, piece) in parts.into_iter().zip(&pieces[1..]) {
        seq.push(part);
        seq.push(text(*piece));
    }
    Node::Seq(seq)
}

/// How a tree is written.
pub trait Writer {
    /// A constant.
    fn constant(&mut self, text: &str, sql: &str) -> String;
    /// A table.
    fn table(&mut self, name: &str) -> String;
}

/// Constants and names as they are.
pub struct Plain;

impl Writer for Plain {
    fn constant(&mut self, text: &str, _sql: &str) -> String {
        text.to_owned()
    }

    fn table(&mut self, name: &str) -> String {
        name.to_owned()
    }
}

impl Node {
    /// The tree as text.
    pub fn write(&self, by: &mut dyn Writer) -> String {
        let mut out = String::new();
        self.put(by, &mut out);
        out
    }

    /// The same with constants and names as they are.
    #[must_use]
    pub fn plain(&self) -> String {
        self.write(&mut Plain)
    }

    fn put(&self, by: &mut dyn Writer, out: &mut String) {
        match self {
            Node::Text(text) => out.push_str(text),
            Node::Constant { text, sql } => out.push_str(&by.constant(text, sql)),
            Node::Table(name) => out.push_str(&by.table(name)),
            Node::Seq(parts) => parts.iter().for_each(|part| part.put(by, out)),
            Node::Value(_, body)
            | Node::Condition(body)
            | Node::Source(body)
            | Node::Query(body)
            | Node::Optional(body) => body.put(by, out),
            Node::List { items, separator, .. } => {
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push_str(separator);
                    }
                    item.put(by, out);
                }
            }
        }
    }

    fn children(&self) -> &[Node] {
        match self {
            Node::Text(_) | Node::Constant { .. } | Node::Table(_) => &[],
            Node::Seq(parts) | Node::List { items: parts, .. } => parts,
            Node::Value(_, body)
            | Node::Condition(body)
            | Node::Source(body)
            | Node::Query(body)
            | Node::Optional(body) => std::slice::from_ref(body),
        }
    }

    fn children_mut(&mut self) -> &mut [Node] {
        match self {
            Node::Text(_) | Node::Constant { .. } | Node::Table(_) => &mut [],
            Node::Seq(parts) | Node::List { items: parts, .. } => parts,
            Node::Value(_, body)
            | Node::Condition(body)
            | Node::Source(body)
            | Node::Query(body)
            | Node::Optional(body) => std::slice::from_mut(body),
        }
    }

    /// Names of the tables and views in it.
    pub fn tables(&self, names: &mut Vec<String>) {
        if let Node::Table(name) = self {
            names.push(name.clone());
        }
        self.children().iter().for_each(|child| child.tables(names));
    }

    /// Trees that are one step smaller, those that lose most first.
    #[must_use]
    pub fn smaller(&self) -> Vec<Node> {
        let mut found = Vec::new();
        let mut level = vec![Vec::new()];
        while !level.is_empty() {
            let mut next = Vec::new();
            for path in level {
                let node = self.at(&path);
                found.extend(node.instead().into_iter().map(|new| self.with(&path, new)));
                for child in 0..node.children().len() {
                    let mut path: Vec<usize> = path.clone();
                    path.push(child);
                    next.push(path);
                }
            }
            level = next;
        }
        found
    }

    /// The tree with another node in place of one, wherever it is.
    #[must_use]
    pub fn replaced(&self, old: &Node, new: &Node) -> Node {
        if self == old {
            return new.clone();
        }
        let mut tree = self.clone();
        tree.children_mut().iter_mut().for_each(|child| *child = child.replaced(old, new));
        tree
    }

    fn at(&self, path: &[usize]) -> &Node {
        path.iter().fold(self, |node, step| &node.children()[*step])
    }

    fn with(&self, path: &[usize], new: Node) -> Node {
        let mut tree = self.clone();
        let place = path.iter().fold(&mut tree, |node, step| &mut node.children_mut()[*step]);
        *place = new;
        tree
    }

    /// What may stand in this node's place.
    fn instead(&self) -> Vec<Node> {
        let mut found = Vec::new();
        match self {
            Node::Optional(body) if !body.plain().is_empty() => found.push(Node::Optional(Box::new(text("")))),
            Node::List { items, separator, least } if items.len() > *least => {
                for at in 0..items.len() {
                    let mut items = items.clone();
                    items.remove(at);
                    found.push(Node::List { items, separator, least: *least });
                }
            }
            Node::Value(family, body) => {
                let plain = text(family.plain());
                if **body != plain && !matches!(**body, Node::Constant { .. }) {
                    found.push(Node::Value(*family, Box::new(plain)));
                }
                self.inside(&mut found, &|node| matches!(node, Node::Value(other, _) if other == family));
            }
            Node::Condition(body) => {
                if body.plain() != "1 = 1" {
                    found.push(Node::Condition(Box::new(text("1 = 1"))));
                    found.push(Node::Condition(Box::new(text("1 = 0"))));
                }
                self.inside(&mut found, &|node| matches!(node, Node::Condition(_)));
            }
            Node::Source(_) => self.inside(&mut found, &|node| matches!(node, Node::Source(_))),
            Node::Query(_) => self.inside(&mut found, &|node| matches!(node, Node::Query(_))),
            _ => {}
        }
        found
    }

    /// The nearest nodes below that may stand in for this one.
    fn inside(&self, found: &mut Vec<Node>, fits: &dyn Fn(&Node) -> bool) {
        for child in self.children() {
            if fits(child) {
                found.push(child.clone());
            } else {
                child.inside(found, fits);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(text: &str) -> Node {
        Node::Value(Family::Int, Box::new(Node::Constant { text: text.into(), sql: "int".into() }))
    }

    #[test]
    fn a_smaller_tree_loses_an_item_a_clause_or_an_operand() {
        let sum = Node::Value(Family::Int, Box::new(pattern("({} + {})", vec![constant("2"), constant("3")])));
        let items = Node::List { items: vec![sum, constant("4")], separator: ", ", least: 1 };
        let filter = Node::Optional(Box::new(pattern(" where {}", vec![Node::Condition(Box::new(text("a = 1")))])));
        let tree = pattern("select {} from {}{}", vec![items, Node::Table("t".into()), filter]);
        assert_eq!(tree.plain(), "select (2 + 3), 4 from t where a = 1");
        let smaller: Vec<String> = tree.smaller().iter().map(Node::plain).collect();
        for expected in [
            "select 4 from t where a = 1",
            "select (2 + 3), 4 from t",
            "select 2, 4 from t where a = 1",
            "select (2 + 3), 4 from t where 1 = 0",
        ] {
            assert!(smaller.iter().any(|text| text == expected), "{expected} in {smaller:?}");
        }
    }
}
