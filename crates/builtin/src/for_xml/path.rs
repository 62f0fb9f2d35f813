//! PATH: names of columns say where their values stand.
//!
//! ```text
//!   name = [ step "/" … ] last        last = step | "@" step | "*" | "text()" | "data()" | "node()" | "comment()"
//!                                          | "processing-instruction(" target ")"
//! ```
//! What always holds: columns that follow each other share the elements that the beginnings of their names have in common; one
//! that stands between them, with whatever value, parts them.

use millpond_message::error::{SqlError, SqlResult};
use millpond_types::SqlType;

use super::column::Column;
use super::element::{Element, Node};
use super::name::{self, Kind, Prefixes};

/// What is said of a row.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Its element has a name, and so may have attributes.
    pub has_tag: bool,
    /// XSINIL
    pub has_nil: bool,
    /// The prefixes of WITH XMLNAMESPACES.
    pub declared: &'a [(String, String)],
}

/// The node of a text that has no name.
const NO_NAME: &str = "NoName";

/// What the last step of a name is.
enum Last<'n> {
    Element(&'n str),
    Attribute(&'n str),
    Content,
    Text,
    Atom,
    Comment,
    Instruction(&'n str),
}

/// Adds the column of a name to the element of a row.
///
/// # Errors
/// 6846, 6849, 6850, 6867 for a name that is none; 6851 and 6853 for a value of type `xml` where it cannot stand, 6852 for an
/// attribute after content, 6864 for one of no element, 6810 for one that is there already; 6854 and 6879 for instructions.
pub fn add(row: &mut Element, written: &str, place: usize, sql: SqlType, rules: Row<'_>) -> SqlResult<()> {
    let prefixes = Prefixes { has_xsi: rules.has_nil, declared: rules.declared };
    let (steps, last) = parsed(written, prefixes)?;
    match last {
        Last::Element(_) | Last::Content => {}
        _ if sql != SqlType::Xml => {}
        Last::Attribute(_) => return Err(SqlError::of(6851, 1, &[&written])),
        Last::Text | Last::Atom | Last::Comment | Last::Instruction(_) => {
            return Err(SqlError::of(6853, 1, &[&written]));
        }
    }
    if matches!(last, Last::Attribute(_)) && steps.is_empty() && !rules.has_tag {
        return Err(SqlError::of(6864, 1, &[]));
    }
    let mut steps = steps;
    if let Last::Element(name) = last {
        steps.push(name);
    }
    // What stands in the row's own element has no name, and is not missed there.
    let node = steps.last().copied().unwrap_or(NO_NAME).to_owned();
    let misses = rules.has_nil && !steps.is_empty();
    within(row, &steps, |element| put(element, &last, Column { place, sql, node }, misses, written))
}

/// Changes the element that steps lead to: the last one in the element around it if it has the name, else a new one.
fn within<R>(element: &mut Element, steps: &[&str], change: impl FnOnce(&mut Element) -> R) -> R {
    let Some((first, rest)) = steps.split_first() else { return change(element) };
    if let Some(Node::Element(last)) = element.children.last_mut()
        && last.name == *first
    {
        return within(last, rest, change);
    }
    let mut inner = Element::named(*first);
    let result = within(&mut inner, rest, change);
    element.children.push(Node::Element(inner));
    result
}

/// Puts a column into its element. `misses`: without a value the element says so.
fn put(element: &mut Element, last: &Last<'_>, column: Column, misses: bool, written: &str) -> SqlResult<()> {
    let node = match *last {
        Last::Attribute(name) => {
            if !element.children.is_empty() {
                return Err(SqlError::of(6852, 1, &[&written]));
            }
            if element.attributes.iter().any(|(known, _)| known == name) {
                return Err(SqlError::of(6810, 1, &[&written]));
            }
            element.attributes.push((name.to_owned(), Column { node: name.to_owned(), ..column }));
            return Ok(());
        }
        Last::Comment => Node::Comment(column),
        Last::Instruction(target) => Node::Instruction(target.to_owned(), column),
        Last::Atom => Node::Atom(column),
        Last::Element(_) | Last::Content | Last::Text => Node::Content(column),
    };
    element.is_nil |= misses && matches!(node, Node::Content(_) | Node::Atom(_));
    element.children.push(node);
    Ok(())
}

/// The elements that a name goes through, and its last step.
fn parsed<'n>(written: &'n str, prefixes: Prefixes<'_>) -> SqlResult<(Vec<&'n str>, Last<'n>)> {
    if written.is_empty() {
        return Ok((Vec::new(), Last::Content));
    }
    // A target may not have a `/`, so that it is no matter where it is looked for.
    let mut steps: Vec<&str> = written.split('/').collect();
    if steps.iter().any(|step| step.is_empty()) {
        return Err(SqlError::of(6849, 1, &[&written]));
    }
    let last = steps.pop().unwrap_or_default();
    for step in &steps {
        name::check(step, written, Kind::Column, prefixes)?;
    }
    Ok((steps, last_step(last, written, prefixes)?))
}

fn last_step<'n>(last: &'n str, written: &str, prefixes: Prefixes<'_>) -> SqlResult<Last<'n>> {
    match last {
        "*" | "node()" => return Ok(Last::Content),
        "text()" => return Ok(Last::Text),
        "data()" => return Ok(Last::Atom),
        "comment()" => return Ok(Last::Comment),
        "@" => return Err(name::invalid("Column", written, '@')),
        _ => {}
    }
    if let Some(name) = last.strip_prefix('@') {
        name::check(name, written, Kind::Column, prefixes)?;
        return Ok(Last::Attribute(name));
    }
    let target = last.strip_prefix("processing-instruction(").and_then(|rest| rest.strip_suffix(')'));
    let Some(target) = target else {
        name::check(last, written, Kind::Column, prefixes)?;
        return Ok(Last::Element(last));
    };
    match target {
        "" => Err(SqlError::of(6854, 1, &[&written])),
        "xml" => Err(SqlError::of(6879, 1, &[])),
        _ => name::check_target(target, written).map(|()| Last::Instruction(target)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(names: &[&str], has_tag: bool) -> Result<Element, i32> {
        let mut row = Element::named("row");
        for (place, name) in names.iter().enumerate() {
            let rules = Row { has_tag, has_nil: false, declared: &[] };
            add(&mut row, name, place, SqlType::Int, rules).map_err(|error| error.number)?;
        }
        Ok(row)
    }

    #[test]
    fn neighbours_share_their_elements() {
        let count = |names: &[&str]| row(names, true).unwrap().children.len();
        assert_eq!(count(&["a/b", "a/c", "a", "a/d/e"]), 1);
        assert_eq!(count(&["a/b", "", "a/c"]), 3);
        assert_eq!(count(&["a/b", "A/c"]), 2);
        assert_eq!(count(&["a", "a"]), 1);
        assert_eq!(count(&["*", "text()", "data()", "node()", "comment()", "processing-instruction(p)", ""]), 7);
    }

    #[test]
    fn names_are_refused_by_number() {
        for (names, number) in [
            (&["/a"][..], 6849),
            (&["a/"], 6849),
            (&["a//b"], 6849),
            (&["/"], 6849),
            (&["a b"], 6850),
            (&["@"], 6850),
            (&["@*"], 6850),
            (&["*/a"], 6850),
            (&["@a/b"], 6850),
            (&["text()/a"], 6850),
            (&["TEXT()"], 6850),
            (&["processing-instruction(a"], 6850),
            (&["processing-instruction(a/b)"], 6850),
            (&["processing-instruction(1)"], 6850),
            (&["processing-instruction()"], 6854),
            (&["a/processing-instruction(xml)"], 6879),
            (&["a:b"], 6846),
            (&["@xmlns"], 6867),
            (&["a", "@b"], 6852),
            (&["comment()", "@b"], 6852),
            (&["a/b", "a/@c"], 6852),
            (&["@a", "@a"], 6810),
        ] {
            assert_eq!(row(names, true).map(|_| ()), Err(number), "{names:?}");
        }
        assert_eq!(row(&["@a"], false).map(|_| ()), Err(6864));
        assert!(row(&["a/@b", "b/@b", "c/d/@e"], false).is_ok());
    }

    #[test]
    fn values_of_xml_are_no_texts() {
        let number = |name| {
            let rules = Row { has_tag: true, has_nil: false, declared: &[] };
            add(&mut Element::named("row"), name, 0, SqlType::Xml, rules).err().map(|error| error.number)
        };
        for (name, expected) in [("@a", 6851), ("text()", 6853), ("a/data()", 6853), ("comment()", 6853)] {
            assert_eq!(number(name), Some(expected), "{name}");
        }
        for name in ["", "*", "node()", "a", "a/b", "a/*"] {
            assert_eq!(number(name), None, "{name}");
        }
    }
}
