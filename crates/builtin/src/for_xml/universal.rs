//! EXPLICIT: names of the columns of a universal table say what its rows are written as.
//!
//! ```text
//!   Tag | Parent | name = element "!" tag [ "!" attribute [ "!" directive … ] ] | …
//! ```
//! What always holds: a tag has one element, and a column is of one tag. Names are written as they are: whether they are names
//! of XML is not looked at, as the server does not.

use std::sync::Arc;

use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::SqlType;

use super::column::Column;
use super::element::{Element, Node};
use super::levels::Frame;

/// What the rows of a universal table are written as.
#[derive(Clone, Debug)]
pub struct Universal {
    /// Tags in the order of their first columns.
    pub(super) tags: Arc<[Tag]>,
    /// What stands around all.
    pub(super) frame: Frame,
}

/// A tag.
#[derive(Clone, Debug)]
pub(super) struct Tag {
    pub number: i64,
    pub element: Element,
    /// The column of `xmltext` without a name: its element is made one with that of the tag.
    pub overflow: Option<Column>,
    /// A column of `xmltext` is there, with a name or without.
    has_overflow: bool,
    /// Names of the attributes that columns declare.
    pub declared: Vec<String>,
}

/// How a column is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Element,
    ElementOrNil,
    Markup,
    Overflow,
    Section,
}

/// The directives of a column.
#[derive(Clone, Copy, Debug, Default)]
struct Directives {
    form: Option<Form>,
    is_hidden: bool,
}

impl Universal {
    /// By the names and types of all columns.
    ///
    /// # Errors
    /// 6801 to 6804, 6812, 6813, 6815 to 6817, 6820, 6824, 6827, 6828, 6843; 40517 for IDREFS and NMTOKENS.
    pub fn of(names: &[String], types: &[SqlType], frame: Frame) -> SqlResult<Universal> {
        check_first(names, types)?;
        let mut tags = Vec::new();
        let mut has_nil = false;
        for (place, (name, sql)) in names.iter().zip(types).enumerate().skip(2) {
            has_nil |= add(&mut tags, name, place, *sql)? == Some(Form::ElementOrNil);
        }
        let mut frame = frame;
        if has_nil {
            frame.declared.insert_str(0, super::XSI);
        }
        Ok(Universal { tags: tags.into(), frame })
    }
}

/// The two columns that each universal table begins with.
fn check_first(names: &[String], types: &[SqlType]) -> SqlResult<()> {
    if names.len() < 3 {
        return Err(SqlError::of(6801, 1, &[]));
    }
    for (place, wanted) in ["TAG", "PARENT"].into_iter().enumerate() {
        if !names[place].eq_ignore_ascii_case(wanted) {
            return Err(SqlError::of(6820, 1, &[&(place + 1), &wanted, &names[place]]));
        }
    }
    if types[0] != SqlType::Int {
        return Err(SqlError::of(6803, 1, &[]));
    }
    if types[1] != SqlType::Int {
        return Err(SqlError::of(6804, 1, &[]));
    }
    Ok(())
}

/// Adds a column to its tag.
fn add(tags: &mut Vec<Tag>, name: &str, place: usize, sql: SqlType) -> SqlResult<Option<Form>> {
    let wrong = || SqlError::of(6802, 1, &[&name]);
    let mut parts = name.split('!');
    let element = parts.next().filter(|element| !element.is_empty()).ok_or_else(wrong)?;
    let digits = parts.next().filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit())).ok_or_else(wrong)?;
    let number = digits.parse::<i64>().ok().filter(|number| *number > 0).ok_or_else(wrong)?;
    let attribute = parts.next().unwrap_or_default();
    let Directives { form, is_hidden } = directives(parts, name)?;
    let tag = tag(tags, number, element)?;
    if form == Some(Form::Overflow) {
        if std::mem::replace(&mut tag.has_overflow, true) {
            return Err(SqlError::of(6827, 1, &[&name]));
        }
        if !sql.is_string() && sql != SqlType::Xml {
            return Err(SqlError::of(6828, 1, &[&name]));
        }
    }
    if form == Some(Form::Section) && sql == SqlType::Xml {
        return Err(SqlError::of(6843, 1, &[&name]));
    }
    if is_hidden {
        return Ok(None);
    }
    let node = if attribute.is_empty() { element } else { attribute };
    put(tag, attribute, form, Column { place, sql, node: node.to_owned() });
    Ok(form)
}

/// The tag of a number.
fn tag<'t>(tags: &'t mut Vec<Tag>, number: i64, element: &str) -> SqlResult<&'t mut Tag> {
    let place = match tags.iter().position(|tag| tag.number == number) {
        Some(place) => place,
        None => {
            let element = Element::named(element);
            tags.push(Tag { number, element, overflow: None, has_overflow: false, declared: Vec::new() });
            tags.len() - 1
        }
    };
    let tag = &mut tags[place];
    if tag.element.name != element {
        return Err(SqlError::of(6812, 1, &[&number, &tag.element.name, &element]));
    }
    Ok(tag)
}

fn put(tag: &mut Tag, attribute: &str, form: Option<Form>, column: Column) {
    let is_named = !attribute.is_empty();
    let content = match form {
        Some(Form::Overflow) if is_named => {
            tag.element.children.push(Node::Overflow(attribute.to_owned(), column));
            return;
        }
        Some(Form::Overflow) => {
            tag.overflow = Some(column);
            return;
        }
        None if is_named && column.sql != SqlType::Xml => {
            tag.declared.push(attribute.to_owned());
            tag.element.attributes.push((attribute.to_owned(), column));
            return;
        }
        Some(Form::Markup) => Node::Markup(column),
        Some(Form::Section) => Node::Section(column),
        Some(Form::Element | Form::ElementOrNil) | None => Node::Content(column),
    };
    if is_named {
        let is_nil = form == Some(Form::ElementOrNil);
        let element = Element { children: vec![content], is_nil, ..Element::named(attribute) };
        tag.element.children.push(Node::Element(element));
    } else {
        tag.element.children.push(content);
    }
}

/// The directives of the column `name`.
fn directives<'n>(words: impl Iterator<Item = &'n str>, name: &str) -> SqlResult<Directives> {
    let (mut forms, mut ids, mut hides, mut lists) = (Vec::new(), 0, 0, false);
    for word in words {
        match word.to_ascii_lowercase().as_str() {
            "element" => forms.push(Form::Element),
            "elementxsinil" => forms.push(Form::ElementOrNil),
            "xml" => forms.push(Form::Markup),
            "xmltext" => forms.push(Form::Overflow),
            "cdata" => forms.push(Form::Section),
            "hide" => hides += 1,
            "id" | "idref" | "nmtoken" => ids += 1,
            "idrefs" | "nmtokens" => {
                ids += 1;
                lists = true;
            }
            _ => return Err(SqlError::of(6824, 1, &[&word])),
        }
    }
    match () {
        () if hides > 1 => Err(SqlError::of(6835, 1, &[&name])),
        () if ids > 1 => Err(SqlError::of(6813, 1, &[&name])),
        () if forms.len() > 1 => Err(SqlError::of(6817, 1, &[&name])),
        () if ids > 0 && hides > 0 => Err(SqlError::of(6815, 1, &[&name])),
        () if ids > 0 && matches!(forms[..], [Form::Markup | Form::Overflow | Form::Section]) => {
            Err(SqlError::of(6816, 1, &[&name]))
        }
        () if lists => Err(message::missing("IDREFS and NMTOKENS in FOR XML EXPLICIT")),
        () => Ok(Directives { form: forms.first().copied(), is_hidden: hides > 0 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(columns: &[(&str, SqlType)]) -> i32 {
        let first = [("Tag", SqlType::Int), ("parent", SqlType::Int)];
        let (names, types): (Vec<String>, Vec<SqlType>) =
            first.iter().chain(columns).map(|(name, sql)| ((*name).to_owned(), *sql)).unzip();
        Universal::of(&names, &types, Frame::default()).err().map_or(0, |error| error.number)
    }

    #[test]
    fn columns_are_refused_by_number() {
        let text = SqlType::varchar(9);
        for name in ["", "plain", "e!", "e!0", "e!x!a", "e!-1!a", "!1!a", "e!+1", "e!99999999999999999999"] {
            assert_eq!(number(&[(name, text)]), 6802, "{name}");
        }
        for (name, expected) in [
            ("e!1!a!", 6824),
            ("e!1!a!bogus", 6824),
            ("e!1!a!element!ELEMENT", 6817),
            ("e!1!a!cdata!xml", 6817),
            ("e!1!a!id!idref", 6813),
            ("e!1!a!hide!hide", 6835),
            ("e!1!a!element!element!hide!hide", 6835),
            ("e!1!a!element!element!id!id", 6813),
            ("e!1!a!id!hide", 6815),
            ("e!1!a!id!xml", 6816),
            ("e!1!a!idrefs", 40_517),
            ("e!1!a!element!hide", 0),
            ("e!1!a!ID!element", 0),
            ("e!100000", 0),
        ] {
            assert_eq!(number(&[(name, text)]), expected, "{name}");
        }
        assert_eq!(number(&[]), 6801);
        assert_eq!(number(&[("e!1!a", text), ("E!1!b", text)]), 6812);
        assert_eq!(number(&[("e!1!!xmltext", text), ("e!1!b!xmltext", text)]), 6827);
        assert_eq!(number(&[("e!1!!xmltext", SqlType::Int)]), 6828);
        assert_eq!(number(&[("e!1!!cdata", SqlType::Xml)]), 6843);
    }

    #[test]
    fn the_first_columns_are_looked_at() {
        let of = |names: [&str; 3], tag, parent| {
            let names = names.map(str::to_owned);
            let error = Universal::of(&names, &[tag, parent, SqlType::Int], Frame::default()).unwrap_err();
            error.number
        };
        assert_eq!(of(["Tagg", "Parent", "e!1"], SqlType::Int, SqlType::Int), 6820);
        assert_eq!(of(["Tag", "", "e!1"], SqlType::Int, SqlType::Int), 6820);
        assert_eq!(of(["Tag", "Parent", "e!1"], SqlType::BigInt, SqlType::Int), 6803);
        assert_eq!(of(["Tag", "Parent", "e!1"], SqlType::Int, SqlType::SmallInt), 6804);
    }
}
