//! Expressions of plans as elements: `ScalarOperator` with the text of the whole, and inside of it what the text says.
//!
//! What always holds: the schema asks for one element in each `ScalarOperator`; where a text is of no form that is known here it is
//! an `Identifier` that names nothing, and the text itself is there. Only so many levels are taken apart, whatever the text is.

use crate::showplan_xml::argument::{is_group, items, leading_name, name, top_places};
use crate::showplan_xml::write::{Xml, bit};

/// Levels of an expression that become elements of their own.
const LEVELS_MAX: u32 = 12;

/// An expression, with its text.
pub(super) fn scalar(xml: &mut Xml, text: &str) {
    xml.around("ScalarOperator", &[("ScalarString", text)], |xml| operation(xml, text, 0));
}

/// An expression inside of an element of this name.
pub(super) fn within(xml: &mut Xml, element: &str, text: &str) {
    xml.around(element, &[], |xml| scalar(xml, text));
}

/// Expressions as a list of this name.
pub(super) fn list(xml: &mut Xml, element: &str, texts: &[&str]) {
    xml.around(element, &[], |xml| texts.iter().for_each(|text| scalar(xml, text)));
}

/// A part of an expression.
fn part(xml: &mut Xml, text: &str, level: u32) {
    if level >= LEVELS_MAX {
        xml.around("ScalarOperator", &[("ScalarString", text)], |xml| xml.empty("Identifier", &[]));
    } else {
        xml.around("ScalarOperator", &[], |xml| operation(xml, text, level));
    }
}

fn operation(xml: &mut Xml, text: &str, level: u32) {
    let text = text.trim();
    if let Some(sequence) = text.strip_prefix("NEXT VALUE FOR ") {
        return xml.empty("Sequence", &[("FunctionName", sequence)]);
    }
    let is_known = logical(xml, text, level)
        || comparison(xml, text, level)
        || conditional(xml, text, level)
        || leaf(xml, text)
        || arithmetic(xml, text, level)
        || call(xml, text, level);
    if is_known {
        return;
    }
    match is_group(text) && level < LEVELS_MAX {
        true => operation(xml, &text[1..text.len() - 1], level + 1),
        false => xml.empty("Identifier", &[]),
    }
}

fn parts_within(xml: &mut Xml, element: &str, attributes: &[(&str, &str)], parts: &[&str], level: u32) {
    xml.around(element, attributes, |xml| parts.iter().for_each(|text| part(xml, text, level + 1)));
}

/// AND, OR, NOT.
fn logical(xml: &mut Xml, text: &str, level: u32) -> bool {
    for word in ["OR", "AND"] {
        let parts = cut_at_word(text, word);
        if parts.len() > 1 {
            parts_within(xml, "Logical", &[("Operation", word)], &parts, level);
            return true;
        }
    }
    let Some(operand) = text.strip_prefix("NOT ") else { return false };
    parts_within(xml, "Logical", &[("Operation", "NOT")], &[operand], level);
    true
}

/// A text cut at a word that stands alone.
fn cut_at_word<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for place in top_places(text) {
        if &text[place.clone()] == word {
            pieces.push(text[start..place.start].trim());
            start = place.end;
        }
    }
    pieces.push(text[start..].trim());
    pieces
}

/// `a=b`, `a IS NULL`, `a like b`.
fn comparison(xml: &mut Xml, text: &str, level: u32) -> bool {
    for (end, op) in [(" IS NOT NULL", "IS NOT"), (" IS NULL", "IS")] {
        if let Some(operand) = text.strip_suffix(end) {
            parts_within(xml, "Compare", &[("CompareOp", op)], &[operand, "NULL"], level);
            return true;
        }
    }
    let like = cut_at_word(text, "like");
    if let [operand, pattern] = like[..] {
        let parts: Vec<&str> = std::iter::once(operand).chain(cut_at_word(pattern, "escape")).collect();
        parts_within(xml, "Intrinsic", &[("FunctionName", "like")], &parts, level);
        return true;
    }
    let Some((left, op, right)) = compared(text) else { return false };
    parts_within(xml, "Compare", &[("CompareOp", op)], &[left, right], level);
    true
}

/// The sides of a comparison, and the name of its operator.
pub(super) fn compared(text: &str) -> Option<(&str, &'static str, &str)> {
    const SIGNS: [(&str, &str); 6] = [("<=", "LE"), (">=", "GE"), ("<>", "NE"), ("=", "EQ"), ("<", "LT"), (">", "GT")];
    top_places(text).find_map(|place| {
        let (sign, op) = SIGNS.iter().find(|(sign, _)| text[place.start..].starts_with(sign))?;
        Some((text[..place.start].trim(), *op, text[place.start + sign.len()..].trim()))
    })
}

/// `CASE WHEN a THEN b ELSE c END`
fn conditional(xml: &mut Xml, text: &str, level: u32) -> bool {
    let Some(inner) = text.strip_prefix("CASE ").and_then(|text| text.strip_suffix(" END")) else { return false };
    // A text that ends with another CASE than it begins with is none.
    if top_places(text).next().is_some() {
        return false;
    }
    let Some(rest) = inner.strip_prefix("WHEN ") else { return false };
    branches(xml, rest, level)
}

/// `a THEN b [WHEN …] ELSE c`
fn branches(xml: &mut Xml, text: &str, level: u32) -> bool {
    let word = |wanted: &str| top_places(text).find(|place| &text[place.clone()] == wanted);
    let (Some(then), Some(otherwise)) = (word("THEN"), word("ELSE")) else { return false };
    let next = word("WHEN");
    let end = next.as_ref().map_or(otherwise.start, |next| next.start);
    let condition = &text[..then.start];
    let Some(value) = text.get(then.end..end) else { return false };
    let one = |xml: &mut Xml, element: &str, text: &str| xml.around(element, &[], |xml| part(xml, text, level + 1));
    xml.open("IF", &[]);
    one(xml, "Condition", condition);
    one(xml, "Then", value);
    match next.filter(|_| level < LEVELS_MAX) {
        Some(next) => {
            xml.open("Else", &[]);
            xml.open("ScalarOperator", &[]);
            if !branches(xml, &text[next.end..], level + 1) {
                xml.empty("Identifier", &[]);
            }
            xml.close("ScalarOperator");
            xml.close("Else");
        }
        None => one(xml, "Else", &text[otherwise.end..]),
    }
    xml.close("IF");
    true
}

/// A constant or a column.
fn leaf(xml: &mut Xml, text: &str) -> bool {
    if is_constant(text) {
        xml.empty("Const", &[("ConstValue", text)]);
        return true;
    }
    if name(text).is_none() {
        return false;
    }
    xml.around("Identifier", &[], |xml| column(xml, text));
    true
}

fn is_constant(text: &str) -> bool {
    let quoted = text.strip_prefix('N').unwrap_or(text);
    let is_text = quoted.starts_with('\'') && top_places(quoted).next().is_none();
    let number = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let is_digit = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
    let is_number = |text: &str| text.contains(|c: char| c.is_ascii_digit()) && text.chars().all(is_digit);
    let is_binary = text.strip_prefix("0x").is_some_and(|digits| digits.chars().all(|c| c.is_ascii_hexdigit()));
    is_text && quoted.ends_with('\'') || number.is_some_and(is_number) || is_binary || text == "NULL"
}

/// `a+b`, `-a`, `~a`
fn arithmetic(xml: &mut Xml, text: &str, level: u32) -> bool {
    const SIGNS: [&[(&str, &str)]; 2] = [
        &[("+", "ADD"), ("-", "SUB"), ("&", "BIT_AND"), ("|", "BIT_OR"), ("^", "BIT_XOR")],
        &[("*", "MULT"), ("/", "DIV"), ("%", "MOD")],
    ];
    for signs in SIGNS {
        let sign_at = |place: &std::ops::Range<usize>| signs.iter().find(|(sign, _)| *sign == &text[place.clone()]);
        let is_binary = |place: &std::ops::Range<usize>| {
            let before = text[..place.start].trim_end();
            !before.is_empty() && !before.ends_with(['+', '-', '*', '/', '%', '&', '|', '^', '~'])
        };
        let last = top_places(text).filter(|place| sign_at(place).is_some() && is_binary(place)).last();
        if let Some(place) = last
            && let Some((_, operation)) = sign_at(&place)
            && place.end < text.len()
        {
            let sides = [&text[..place.start], &text[place.end..]];
            parts_within(xml, "Arithmetic", &[("Operation", operation)], &sides, level);
            return true;
        }
    }
    for (sign, operation) in [("-", "MINUS"), ("~", "BIT_NOT")] {
        if let Some(operand) = text.strip_prefix(sign).filter(|operand| !operand.is_empty()) {
            parts_within(xml, "Arithmetic", &[("Operation", operation)], &[operand], level);
            return true;
        }
    }
    false
}

/// `f(a,b)`, `CONVERT(int,a,0)`, `SUM(DISTINCT a)`, `[db].[dbo].[f](a)`
fn call(xml: &mut Xml, text: &str, level: u32) -> bool {
    if let Some((_, args)) = leading_name(text) {
        let function = &text[..text.len() - args.len()];
        if !is_group(args) {
            return false;
        }
        let parts = items(&args[1..args.len() - 1]);
        parts_within(xml, "UserDefinedFunction", &[("FunctionName", function)], &parts, level);
        return true;
    }
    let Some(open) = text.find('(').filter(|open| is_group(&text[*open..])) else {
        // A function without arguments, as windows name them.
        let is_word = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if is_word {
            xml.empty("Intrinsic", &[("FunctionName", text)]);
        }
        return is_word;
    };
    let (function, args) = (&text[..open], &text[open + 1..text.len() - 1]);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ' ' | '.');
    if function.is_empty() || !function.chars().all(is_name) {
        return false;
    }
    let parts = items(args);
    if let ("CONVERT" | "CONVERT_IMPLICIT" | "TRY_CONVERT", [data_type, value, style]) = (function, &parts[..]) {
        convert(xml, (data_type, style), function == "CONVERT_IMPLICIT", value, level);
    } else if function.chars().all(|c| !c.is_ascii_lowercase()) {
        aggregate(xml, function, args, level);
    } else {
        parts_within(xml, "Intrinsic", &[("FunctionName", function)], &parts, level);
    }
    true
}

fn convert(xml: &mut Xml, (data_type, style): (&str, &str), implicit: bool, value: &str, level: u32) {
    let style = style.parse::<i32>().unwrap_or(0).to_string();
    let attributes = [("DataType", data_type), ("Style", style.as_str()), ("Implicit", bit(implicit))];
    parts_within(xml, "Convert", &attributes, &[value], level);
}

/// Functions of groups are written in upper case.
fn aggregate(xml: &mut Xml, function: &str, args: &str, level: u32) {
    let (is_distinct, args) = args.strip_prefix("DISTINCT ").map_or((false, args), |args| (true, args));
    let is_of_rows = args == "*";
    let function = if is_of_rows { format!("{}*", function.to_lowercase()) } else { function.to_owned() };
    let attributes = [("AggType", function.as_str()), ("Distinct", bit(is_distinct))];
    let parts = if is_of_rows { Vec::new() } else { items(args) };
    parts_within(xml, "Aggregate", &attributes, &parts, level);
}

/// A column by its name, or what is computed in its place.
pub(super) fn column(xml: &mut Xml, text: &str) {
    let text = text.trim();
    let Some(parts) = name(text) else {
        return xml.around("ColumnReference", &[("Column", text)], |xml| scalar(xml, text));
    };
    let mut parts = parts;
    let own = parts.pop().unwrap_or_default();
    let around: Vec<String> = parts.iter().map(|part| format!("[{}]", part.replace(']', "]]"))).collect();
    let names = &["Database", "Schema", "Table"][3 - around.len().min(3)..];
    let skipped = around.len() - names.len();
    let mut attributes: Vec<(&str, &str)> =
        names.iter().copied().zip(around[skipped..].iter().map(String::as_str)).collect();
    attributes.push(("Column", &own));
    xml.empty("ColumnReference", &attributes);
}

/// Columns as a list of this name.
pub(super) fn columns<'a>(xml: &mut Xml, element: &str, texts: impl IntoIterator<Item = &'a str>) {
    xml.around(element, &[], |xml| texts.into_iter().for_each(|text| column(xml, text)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut xml = Xml::default();
        part(&mut xml, text, 0);
        xml.into_text().replace("ScalarOperator", "S").replace("ColumnReference", "C")
    }

    #[test]
    fn an_expression_becomes_what_its_text_says() {
        let cases = [
            (
                "[d].[s].[t].[c]",
                "<S><Identifier><C Database=\"[d]\" Schema=\"[s]\" Table=\"[t]\" Column=\"c\"/></Identifier></S>",
            ),
            ("(-5)", "<S><Const ConstValue=\"(-5)\"/></S>"),
            (
                "[a]=N'=' AND [b] IS NULL",
                "<S><Logical Operation=\"AND\"><S><Compare CompareOp=\"EQ\"><S><Identifier><C Column=\"a\"/></Identifier></S><S><Const ConstValue=\"N'='\"/></S></Compare></S><S><Compare CompareOp=\"IS\"><S><Identifier><C Column=\"b\"/></Identifier></S><S><Const ConstValue=\"NULL\"/></S></Compare></S></Logical></S>",
            ),
            (
                "-([a])*(2)",
                "<S><Arithmetic Operation=\"MULT\"><S><Arithmetic Operation=\"MINUS\"><S><Identifier><C Column=\"a\"/></Identifier></S></Arithmetic></S><S><Const ConstValue=\"(2)\"/></S></Arithmetic></S>",
            ),
            (
                "CONVERT(int,[a],0)",
                "<S><Convert DataType=\"int\" Style=\"0\" Implicit=\"0\"><S><Identifier><C Column=\"a\"/></Identifier></S></Convert></S>",
            ),
            ("COUNT(*)", "<S><Aggregate AggType=\"count*\" Distinct=\"0\"></Aggregate></S>"),
            ("row_number", "<S><Intrinsic FunctionName=\"row_number\"/></S>"),
            (
                "[d].[dbo].[f]((1))",
                "<S><UserDefinedFunction FunctionName=\"[d].[dbo].[f]\"><S><Const ConstValue=\"(1)\"/></S></UserDefinedFunction></S>",
            ),
            (
                "CASE WHEN [a]<(1) THEN 'x' ELSE NULL END",
                "<S><IF><Condition><S><Compare CompareOp=\"LT\"><S><Identifier><C Column=\"a\"/></Identifier></S><S><Const ConstValue=\"(1)\"/></S></Compare></S></Condition><Then><S><Const ConstValue=\"'x'\"/></S></Then><Else><S><Const ConstValue=\"NULL\"/></S></Else></IF></S>",
            ),
            ("{ no form }", "<S><Identifier/></S>"),
        ];
        for (text, expected) in cases {
            assert_eq!(written(text), expected, "{text}");
        }
    }

    #[test]
    fn a_deep_expression_is_taken_apart_so_far() {
        for open in ["f(", "("] {
            let deep = format!("{}[a]{}", open.repeat(5000), ")".repeat(5000));
            assert!(written(&deep).len() < 40_000);
        }
    }
}
