//! What a query gives, as far as it can be seen without a document: the kind of its items and how many there may be. SQL
//! Server asks for it before a query runs, and so is `value('/a/b', …)` an error and `value('(/a/b)[1]', …)` none.

use crate::xquery::Method;
use crate::xquery::ast::{Arithmetic, Axis, Body, Change, Clause, Expr, Function, Module, Place, Step, Test};
use crate::xquery::atom::{Atom, AtomKind, IntegerKind};
use crate::xquery::error::{QueryError, QueryFault};

/// What an item is.
#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Nothing,
    Atom(AtomKind),
    Element(String),
    Attribute(String),
    Text,
    Comment,
    Instruction,
    Document,
    /// Any node.
    Node,
    /// Any item.
    Item,
}

/// How many items there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Count {
    One,
    Optional,
    Many,
}

#[derive(Clone, Debug, PartialEq)]
struct Type {
    kind: Kind,
    count: Count,
}

impl Type {
    fn one(kind: Kind) -> Type {
        Type { kind, count: Count::One }
    }

    fn atom(kind: AtomKind, count: Count) -> Type {
        Type { kind: Kind::Atom(kind), count }
    }

    fn boolean() -> Type {
        Type::atom(AtomKind::Boolean, Count::One)
    }

    fn is_node(&self) -> bool {
        !matches!(self.kind, Kind::Nothing | Kind::Atom(_) | Kind::Item)
    }

    /// The type as messages have it.
    fn text(&self) -> String {
        let kind = match &self.kind {
            Kind::Nothing => return "empty".to_owned(),
            Kind::Atom(kind) => kind.name(),
            Kind::Element(name) => format!("element({name},xdt:untyped)"),
            Kind::Attribute(name) => format!("attribute({name},xdt:untypedAtomic)"),
            Kind::Text => "text".to_owned(),
            Kind::Comment => "comment".to_owned(),
            Kind::Instruction => "processing-instruction".to_owned(),
            Kind::Document => "document".to_owned(),
            Kind::Node => "node()".to_owned(),
            Kind::Item => "item()".to_owned(),
        };
        let count = match self.count {
            Count::One => "",
            Count::Optional => " ?",
            Count::Many => " *",
        };
        format!("{kind}{count}")
    }

    /// The type of its values.
    fn atomised(&self) -> Type {
        let kind = match &self.kind {
            Kind::Nothing => Kind::Nothing,
            Kind::Atom(kind) => Kind::Atom(*kind),
            Kind::Comment | Kind::Instruction => Kind::Atom(AtomKind::String),
            Kind::Item => Kind::Item,
            _ => Kind::Atom(AtomKind::Untyped),
        };
        Type { kind, count: self.count }
    }

    /// The kind of an atom, if it is known and not empty.
    fn atom_kind(&self) -> Option<AtomKind> {
        match self.kind {
            Kind::Atom(kind) => Some(kind),
            _ => None,
        }
    }
}

type Checked<T> = Result<T, QueryError>;

/// Checks a query of a method; `kinds` are those of the values of SQL.
pub(super) fn check(module: &Module, method: Method, kinds: &[AtomKind]) -> Checked<()> {
    let unknown = Type { kind: Kind::Item, count: Count::Many };
    let mut typing = Typing { kinds, variables: vec![unknown; module.slots], context: vec![Type::one(Kind::Node)] };
    let body = match &module.body {
        Body::Query(body) => typing.of(body)?,
        Body::Change(change) => return typing.change(change),
    };
    match method {
        Method::Value if body.count == Count::Many => {
            Err(QueryError::new(QueryFault::Singleton, &["value()", &body.atomised().text()]))
        }
        Method::Query if matches!(body.kind, Kind::Attribute(_)) => {
            Err(QueryError::new(QueryFault::TopLevel, &["attribute"]))
        }
        Method::Nodes if !body.is_node() && body.kind != Kind::Nothing => {
            Err(QueryError::new(QueryFault::NodesRequired, &["nodes()"]))
        }
        _ => Ok(()),
    }
}

struct Typing<'k> {
    kinds: &'k [AtomKind],
    variables: Vec<Type>,
    /// The item that `.` is, innermost last.
    context: Vec<Type>,
}

impl Typing<'_> {
    fn of(&mut self, expr: &Expr) -> Checked<Type> {
        Ok(match expr {
            Expr::Literal(atom) => Type::atom(kind_of(atom), Count::One),
            Expr::Sequence(items) => self.sequence(items)?,
            Expr::Variable(slot) => self.variables[*slot].clone(),
            Expr::Context => self.context.last().cloned().unwrap_or(Type::one(Kind::Node)),
            Expr::Root => Type::one(Kind::Document),
            Expr::Path(start, steps) => self.path(start, steps)?,
            Expr::Filter(start, predicates) => {
                let start = self.of(start)?;
                self.filtered(start, predicates, true)?
            }
            Expr::Or(left, right) | Expr::And(left, right) => {
                for side in [left, right] {
                    let side = self.of(side)?;
                    truth(&side, QueryFault::Condition)?;
                }
                Type::boolean()
            }
            Expr::General(op, left, right) => {
                let (left, right) = (self.values(left)?, self.values(right)?);
                comparable(op.sign(true), &left, &right)?;
                Type::boolean()
            }
            Expr::Value(op, left, right) => {
                let sign = op.sign(false);
                let (left, right) = (self.single(sign, left)?, self.single(sign, right)?);
                comparable(sign, &left, &right)?;
                Type::atom(AtomKind::Boolean, left.count.max(right.count))
            }
            Expr::Nodes(_, left, right) => {
                let mut count = Count::One;
                for side in [left, right] {
                    let side = self.of(side)?;
                    if side.count == Count::Many {
                        return Err(QueryError::new(QueryFault::Singleton, &["is", &side.text()]));
                    }
                    if matches!(side.kind, Kind::Atom(_)) {
                        return Err(QueryError::new(QueryFault::NodesRequired, &["is"]));
                    }
                    count = count.max(side.count);
                }
                Type::atom(AtomKind::Boolean, count)
            }
            Expr::Arithmetic(op, left, right) => self.arithmetic(*op, left, right)?,
            Expr::Negate(operand) => {
                let operand = self.single("-", operand)?;
                let kind = operand.atom_kind().filter(|kind| *kind != AtomKind::Untyped).unwrap_or(AtomKind::Double);
                Type::atom(kind, Count::Optional)
            }
            Expr::Union(left, right) => self.union(left, right)?,
            Expr::Cast(kind, operand) => {
                self.single(&kind.name(), operand)?;
                Type::atom(*kind, Count::Optional)
            }
            Expr::If(condition, then, otherwise) => {
                let condition = self.of(condition)?;
                truth(&condition, QueryFault::Condition)?;
                let (then, otherwise) = (self.of(then)?, self.of(otherwise)?);
                either(then, otherwise)
            }
            Expr::Quantified { over, satisfies, .. } => {
                for (slot, sequence) in over {
                    let sequence = self.of(sequence)?;
                    self.variables[*slot] = Type::one(sequence.kind);
                }
                let satisfies = self.of(satisfies)?;
                truth(&satisfies, QueryFault::Condition)?;
                Type::boolean()
            }
            Expr::Flwor(clauses, result) => self.flwor(clauses, result)?,
            Expr::Call(function, args) => self.call(*function, args)?,
            Expr::Element(construct) => {
                for part in &construct.content {
                    self.of(part)?;
                }
                Type::one(Kind::Element(construct.name.written()))
            }
            Expr::Attribute(name, content) => {
                for part in content {
                    self.of(part)?;
                }
                Type::one(Kind::Attribute(name.written()))
            }
            Expr::TextNode(content) => Type { kind: Kind::Text, count: self.of(content)?.count.min(Count::Optional) },
            Expr::Comment(_) => Type::one(Kind::Comment),
            Expr::Instruction(..) => Type::one(Kind::Instruction),
            Expr::Sql(place) => match self.kinds.get(*place) {
                Some(AtomKind::Xml) => return Err(QueryError::new(QueryFault::XmlReference, &[])),
                Some(kind) => Type::atom(*kind, Count::Optional),
                None => Type { kind: Kind::Item, count: Count::Optional },
            },
        })
    }

    /// The type of an expression's values.
    fn values(&mut self, expr: &Expr) -> Checked<Type> {
        Ok(self.of(expr)?.atomised())
    }

    /// The same of one that must be one at most.
    fn single(&mut self, whose: &str, expr: &Expr) -> Checked<Type> {
        let found = self.values(expr)?;
        if found.count == Count::Many {
            return Err(QueryError::new(QueryFault::Singleton, &[whose, &found.text()]));
        }
        Ok(found)
    }

    fn sequence(&mut self, items: &[Expr]) -> Checked<Type> {
        let mut all: Option<Type> = None;
        for item in items {
            let item = self.of(item)?;
            all = Some(match all {
                None => item,
                Some(before) if before.kind == Kind::Nothing => item,
                Some(before) if item.kind == Kind::Nothing => before,
                Some(before) => {
                    let is_mixed = before.is_node() && item.atom_kind().is_some()
                        || item.is_node() && before.atom_kind().is_some();
                    if is_mixed {
                        return Err(QueryError::new(QueryFault::Heterogeneous, &[&before.text(), &item.text()]));
                    }
                    Type { count: Count::Many, ..either(before, item) }
                }
            });
        }
        Ok(all.unwrap_or(Type { kind: Kind::Nothing, count: Count::Optional }))
    }

    fn union(&mut self, left: &Expr, right: &Expr) -> Checked<Type> {
        let (left, right) = (self.of(left)?, self.of(right)?);
        if left.atom_kind().is_some() || right.atom_kind().is_some() {
            return Err(QueryError::new(QueryFault::NodesRequired, &["union"]));
        }
        Ok(Type { count: Count::Many, ..either(left, right) })
    }

    // Paths.

    fn path(&mut self, start: &Expr, steps: &[Step]) -> Checked<Type> {
        let mut at = self.of(start)?;
        if at.atom_kind().is_some() {
            return Err(QueryError::new(QueryFault::NodesRequired, &["/"]));
        }
        for step in steps {
            let own = match step.axis {
                Axis::Attribute if matches!(step.test, Test::Name(_)) => Count::Optional,
                Axis::Itself if step.test == Test::Node => Count::One,
                Axis::Itself | Axis::Parent => Count::Optional,
                _ => Count::Many,
            };
            let kind = match (step.axis, &step.test) {
                (Axis::Itself, Test::Node) => at.kind.clone(),
                (axis, test) => kind_of_step(axis, test),
            };
            at = self.filtered(Type { kind, count: at.count.max(own) }, &step.predicates, at.count != Count::Many)?;
        }
        Ok(at)
    }

    /// What predicates leave; `is_counted` says whether a position is one of all items.
    fn filtered(&mut self, mut found: Type, predicates: &[Expr], is_counted: bool) -> Checked<Type> {
        for predicate in predicates {
            self.context.push(Type::one(found.kind.clone()));
            let asked = self.of(predicate);
            self.context.pop();
            let asked = asked?;
            let is_position = asked.atom_kind().is_some_and(AtomKind::is_numeric);
            if !is_position {
                truth(&asked, QueryFault::Predicate)?;
            } else if asked.count == Count::Many {
                return Err(QueryError::new(QueryFault::Predicate, &[&asked.text()]));
            }
            found.count = match found.count {
                Count::Many if is_position && is_counted => Count::Optional,
                count => count.max(Count::Optional),
            };
        }
        Ok(found)
    }

    // Operators, clauses, calls.

    fn arithmetic(&mut self, op: Arithmetic, left: &Expr, right: &Expr) -> Checked<Type> {
        let (left, right) = (self.single(op.sign(), left)?, self.single(op.sign(), right)?);
        let count = Count::Optional.min(left.count.max(right.count));
        for side in [&left, &right] {
            let fits = side.atom_kind().is_none_or(|kind| kind.is_numeric() || kind == AtomKind::Untyped);
            if !fits {
                return Err(QueryError::new(QueryFault::Operator, &[op.sign(), &left.text(), &right.text()]));
            }
        }
        let is = |side: &Type, decimal: bool| match side.atom_kind() {
            Some(AtomKind::Integer(_)) => true,
            Some(AtomKind::Decimal) => decimal,
            _ => false,
        };
        let kind = match op {
            _ if op != Arithmetic::Divide && is(&left, false) && is(&right, false) => {
                AtomKind::Integer(IntegerKind::Any)
            }
            _ if is(&left, true) && is(&right, true) => AtomKind::Decimal,
            _ => AtomKind::Double,
        };
        Ok(Type::atom(kind, count))
    }

    fn flwor(&mut self, clauses: &[Clause], result: &Expr) -> Checked<Type> {
        let mut count = Count::One;
        for clause in clauses {
            match clause {
                Clause::For { slot, over } => {
                    let over = self.of(over)?;
                    count = count.max(over.count);
                    self.variables[*slot] = Type::one(over.kind);
                }
                Clause::Let { slot, value } => self.variables[*slot] = self.of(value)?,
                Clause::Where(condition) => {
                    let condition = self.of(condition)?;
                    truth(&condition, QueryFault::Condition)?;
                    count = count.max(Count::Optional);
                }
                Clause::Order(keys) => {
                    for (key, _) in keys {
                        self.single("order by", key)?;
                    }
                }
            }
        }
        let result = self.of(result)?;
        Ok(Type { count: count.max(result.count), kind: result.kind })
    }

    fn call(&mut self, function: Function, args: &[Expr]) -> Checked<Type> {
        use Function as F;
        let name = format!("{}()", function.name());
        match function {
            F::Count | F::Empty | F::Exists | F::Data | F::DistinctValues | F::Sum | F::Avg | F::Min | F::Max => {
                self.of_sequence(function, &name, args)
            }
            F::Not => {
                for arg in args {
                    let arg = self.of(arg)?;
                    truth(&arg, QueryFault::Condition)?;
                }
                Ok(Type::boolean())
            }
            F::True | F::False => Ok(Type::boolean()),
            F::Position | F::Last => Ok(Type::atom(AtomKind::Integer(IntegerKind::Any), Count::One)),
            F::LocalName | F::NamespaceUri => {
                for arg in args {
                    let arg = self.of(arg)?;
                    if arg.count == Count::Many {
                        return Err(QueryError::new(QueryFault::Singleton, &[&name, &arg.text()]));
                    }
                    if arg.atom_kind().is_some() {
                        return Err(QueryError::new(QueryFault::NodesRequired, &[&name]));
                    }
                }
                Ok(Type::atom(AtomKind::String, Count::One))
            }
            F::String => {
                for arg in args {
                    self.single(&name, arg)?;
                }
                Ok(Type::atom(AtomKind::String, Count::One))
            }
            F::Number | F::Round | F::Floor | F::Ceiling => {
                let mut kind = AtomKind::Double;
                for arg in args {
                    let arg = self.single(&name, arg)?;
                    if let Some(found) = arg.atom_kind().filter(|kind| function != F::Number && kind.is_numeric()) {
                        kind = found;
                    }
                    if function != F::Number && !arg.atom_kind().is_none_or(is_number_like) {
                        return Err(QueryError::new(QueryFault::NotNumeric, &[&name, &arg.text()]));
                    }
                }
                Ok(Type::atom(kind, Count::Optional))
            }
            F::Concat | F::Contains | F::Substring | F::StringLength | F::LowerCase | F::UpperCase => {
                self.of_strings(function, &name, args)
            }
        }
    }

    fn of_sequence(&mut self, function: Function, name: &str, args: &[Expr]) -> Checked<Type> {
        use Function as F;
        let Some(arg) = args.first() else { return Ok(Type::boolean()) };
        let found = self.of(arg)?;
        let values = found.atomised();
        match function {
            F::Count => return Ok(Type::atom(AtomKind::Integer(IntegerKind::Any), Count::One)),
            F::Empty | F::Exists => return Ok(Type::boolean()),
            F::Data | F::DistinctValues => return Ok(values),
            F::Sum | F::Avg if !values.atom_kind().is_none_or(is_number_like) => {
                return Err(QueryError::new(QueryFault::NotNumeric, &[name, &values.text()]));
            }
            _ => {}
        }
        let kind = match values.atom_kind() {
            None | Some(AtomKind::Untyped) => AtomKind::Double,
            Some(AtomKind::Integer(_)) if function == F::Avg => AtomKind::Decimal,
            Some(kind) => kind,
        };
        Ok(Type::atom(kind, if function == F::Sum { Count::One } else { Count::Optional }))
    }

    fn of_strings(&mut self, function: Function, name: &str, args: &[Expr]) -> Checked<Type> {
        for (place, arg) in args.iter().enumerate() {
            let arg = self.single(name, arg)?;
            let is_number_wanted = function == Function::Substring && place > 0;
            let fits = |kind: AtomKind| match is_number_wanted {
                true => is_number_like(kind),
                false => matches!(kind, AtomKind::String | AtomKind::Untyped) || function == Function::Concat,
            };
            if !arg.atom_kind().is_none_or(fits) {
                let wanted = if is_number_wanted { "xs:double" } else { "xs:string ?" };
                return Err(QueryError::new(QueryFault::Conversion, &[&arg.text(), wanted]));
            }
        }
        Ok(match function {
            Function::Contains => Type::boolean(),
            Function::StringLength => Type::atom(AtomKind::Integer(IntegerKind::Any), Count::One),
            _ => Type::atom(AtomKind::String, Count::One),
        })
    }

    // Changes.

    fn change(&mut self, change: &Change) -> Checked<()> {
        let fail = |fault, found: &Type| Err(QueryError::new(fault, &[&found.text()]));
        match change {
            Change::Delete(target) => {
                let target = self.of(target)?;
                let is_wrong = matches!(target.kind, Kind::Atom(_) | Kind::Document);
                if is_wrong { fail(QueryFault::DeleteTarget, &target) } else { Ok(()) }
            }
            Change::Replace { target, value } => {
                let target = self.of(target)?;
                if target.count == Count::Many {
                    return fail(QueryFault::ReplaceTarget, &target);
                }
                if !matches!(target.kind, Kind::Attribute(_) | Kind::Text) {
                    return fail(QueryFault::ReplaceKind, &target);
                }
                if constructs(value) {
                    return Err(QueryError::new(QueryFault::ReplaceConstructed, &[]));
                }
                self.of(value).map(|_| ())
            }
            Change::Insert { source, place, target } => {
                let source = self.source(source)?;
                let target = self.of(target)?;
                if target.count == Count::Many {
                    return fail(QueryFault::InsertTarget, &target);
                }
                let is_into = matches!(place, Place::Into | Place::First | Place::Last);
                let has_children = matches!(target.kind, Kind::Element(_) | Kind::Document | Kind::Node | Kind::Item);
                if is_into && !has_children {
                    return fail(QueryFault::IntoTarget, &target);
                }
                if !is_into && matches!(target.kind, Kind::Attribute(_) | Kind::Document | Kind::Atom(_)) {
                    return fail(QueryFault::BesideTarget, &target);
                }
                if matches!(source.kind, Kind::Attribute(_)) && *place != Place::Into {
                    return fail(QueryFault::AttributePosition, &source);
                }
                Ok(())
            }
        }
    }

    /// What `insert` inserts: nodes, or a value of SQL's type `xml`.
    fn source(&mut self, source: &Expr) -> Checked<Type> {
        if let Expr::Sql(place) = source
            && self.kinds.get(*place) == Some(&AtomKind::Xml)
        {
            return Ok(Type { kind: Kind::Node, count: Count::Many });
        }
        let source = self.of(source)?;
        if matches!(source.kind, Kind::Atom(_) | Kind::Document) {
            return Err(QueryError::new(QueryFault::InsertKind, &[&source.text()]));
        }
        Ok(source)
    }
}

fn is_number_like(kind: AtomKind) -> bool {
    kind.is_numeric() || kind == AtomKind::Untyped
}

fn kind_of(atom: &Atom) -> AtomKind {
    match atom {
        Atom::String(_) => AtomKind::String,
        Atom::Untyped(_) => AtomKind::Untyped,
        Atom::Integer(_) => AtomKind::Integer(IntegerKind::Any),
        Atom::Decimal(_) => AtomKind::Decimal,
        Atom::Double(_) => AtomKind::Double,
        Atom::Boolean(_) => AtomKind::Boolean,
        Atom::Moment(moment) => AtomKind::Moment(moment.kind),
        Atom::Binary(_, true) => AtomKind::Hex,
        Atom::Binary(_, false) => AtomKind::Base64,
    }
}

fn kind_of_step(axis: Axis, test: &Test) -> Kind {
    let name = match test {
        Test::Name(name) => name.written(),
        Test::AnyName | Test::AnyOf(_) => "*".to_owned(),
        Test::AnyLocal(local) => local.to_string(),
        Test::Node if axis == Axis::Attribute => "*".to_owned(),
        Test::Node => return Kind::Node,
        Test::Text => return Kind::Text,
        Test::Comment => return Kind::Comment,
        Test::Instruction(_) => return Kind::Instruction,
    };
    if axis == Axis::Attribute { Kind::Attribute(name) } else { Kind::Element(name) }
}

/// The type of what is one or the other.
fn either(one: Type, other: Type) -> Type {
    let count = match (&one.kind, &other.kind) {
        (Kind::Nothing, _) | (_, Kind::Nothing) => one.count.max(other.count).max(Count::Optional),
        _ => one.count.max(other.count),
    };
    let kind = match (one.kind, other.kind) {
        (Kind::Nothing, kind) | (kind, Kind::Nothing) => kind,
        (one, other) if one == other => one,
        (Kind::Element(_), Kind::Element(_)) => Kind::Element("*".to_owned()),
        (Kind::Atom(one), Kind::Atom(other)) if one.is_numeric() && other.is_numeric() => Kind::Atom(AtomKind::Double),
        (one, other) => {
            let is_node = |kind: &Kind| !matches!(kind, Kind::Atom(_) | Kind::Item);
            if is_node(&one) && is_node(&other) { Kind::Node } else { Kind::Item }
        }
    };
    Type { kind, count }
}

/// Whether it can be asked if it is true.
fn truth(found: &Type, fault: QueryFault) -> Checked<()> {
    match found.atom_kind() {
        None | Some(AtomKind::Boolean) if found.count != Count::Many || found.atom_kind().is_none() => Ok(()),
        _ => Err(QueryError::new(fault, &[&found.text()])),
    }
}

fn comparable(sign: &str, left: &Type, right: &Type) -> Checked<()> {
    let (Some(one), Some(other)) = (left.atom_kind(), right.atom_kind()) else { return Ok(()) };
    let fits = one == other
        || one == AtomKind::Untyped
        || other == AtomKind::Untyped
        || one.is_numeric() && other.is_numeric();
    if fits {
        return Ok(());
    }
    Err(QueryError::new(QueryFault::Operator, &[sign, &left.text(), &right.text()]))
}

/// Whether an expression makes nodes.
fn constructs(expr: &Expr) -> bool {
    match expr {
        Expr::Element(_) | Expr::Attribute(..) | Expr::TextNode(_) | Expr::Comment(_) | Expr::Instruction(..) => true,
        Expr::Sequence(items) => items.iter().any(constructs),
        Expr::If(_, then, otherwise) => constructs(then) || constructs(otherwise),
        Expr::Flwor(_, result) => constructs(result),
        _ => false,
    }
}
