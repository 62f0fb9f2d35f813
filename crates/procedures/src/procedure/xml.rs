//! `sp_xml_preparedocument` and `sp_xml_removedocument`: documents that the session holds for OPENXML.

use std::sync::Arc;

use millpond_builtin::xml::{StatementBudget, of_parse};
use millpond_catalog::run::Run;
use millpond_catalog::run::documents::{Prepared, PreparedFrom, PreparedUse};
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{SqlType, Value};
use millpond_xml::document::Kind;
use millpond_xml::xquery::Namespaces;
use millpond_xml::{Document, Options, ROOT, parse};

use super::named::text_arg;

/// `sp_xml_preparedocument @hdoc OUTPUT [, @xmltext [, @xpath_namespaces]]`
pub static SP_XML_PREPAREDOCUMENT: ProcedureDef = ProcedureDef {
    name: "sp_xml_preparedocument",
    params: &[
        ("@hdoc", SqlType::Int),
        ("@xmltext", SqlType::NVarChar { len: millpond_types::MaxLen::Max }),
        ("@xpath_namespaces", SqlType::NVarChar { len: millpond_types::MaxLen::Max }),
    ],
    run: prepare,
};

/// `sp_xml_removedocument @hdoc`
pub static SP_XML_REMOVEDOCUMENT: ProcedureDef =
    ProcedureDef { name: "sp_xml_removedocument", params: &[("@hdoc", SqlType::Int)], run: remove };

/// What is prepared without a text.
const EMPTY_DOCUMENT: &str = "<root/>";

fn prepare(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let def = &SP_XML_PREPAREDOCUMENT;
    let place = call.position(def, 0).ok_or_else(|| message::missing_argument(def.name, "@hdoc"))?;
    let text = text_arg(call, def, 1).unwrap_or_else(|| EMPTY_DOCUMENT.to_owned());
    let given_namespaces = text_arg(call, def, 2);
    let namespaces = given_namespaces.clone().unwrap_or_else(|| EMPTY_DOCUMENT.to_owned());
    let run = call.ctx();
    let wide_bytes = |text: &str| text.encode_utf16().count() as u64 * 2;
    let source = PreparedFrom {
        text_bytes: wide_bytes(&text),
        namespaces_bytes: given_namespaces.as_deref().map(wide_bytes),
        statement: run.session.statement.now().map(|(text, start, end)| (text.id, text.offsets(start, end))),
        made_us: run.engine.now_us().1,
    };
    let mut budget = StatementBudget::new(run);
    let mut read = |text: &str| parse(text, Options::default(), &mut budget).map_err(described);
    let document = read(&text)?;
    let namespaces = namespaces_of(&read(&namespaces)?);
    let is_document =
        document.children(ROOT).iter().filter(|id| matches!(document.kind(**id), Kind::Element(_))).count() == 1;
    let has_text = document.children(ROOT).iter().any(|id| matches!(document.kind(*id), Kind::Text(_)));
    if !is_document || has_text {
        return Err(SqlError::of(6602, 2, &[&"Only one top level element is allowed in an XML document."]));
    }
    let prepared = Arc::new(Prepared { document, namespaces, source, used: PreparedUse::default() });
    let handle = run.prepared_documents().prepare(prepared, budget.into_charges());
    call.give(place, &Value::Int(handle), &SqlType::Int)?;
    Ok(0)
}

/// An error of a text with its description in the message that these procedures have.
fn described(error: millpond_xml::ParseError) -> SqlError {
    let error = of_parse(error);
    if (9400..9500).contains(&error.number) || matches!(error.number, 6335 | 6359) {
        return SqlError::of(6602, 2, &[&error.text]);
    }
    error
}

/// The declarations in the tag of a document's element.
fn namespaces_of(document: &Document) -> Namespaces {
    let mut namespaces = Namespaces::default();
    for id in document.children(ROOT) {
        let Kind::Element(element) = document.kind(*id) else { continue };
        for (prefix, uri) in &element.namespaces {
            if prefix.is_empty() {
                namespaces.default = Some(uri.to_string());
            } else {
                namespaces.prefixes.push((prefix.to_string(), uri.to_string()));
            }
        }
    }
    namespaces
}

fn remove(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let def = &SP_XML_REMOVEDOCUMENT;
    let handle = call.arg(def, 0).and_then(Value::as_i64).and_then(|handle| i32::try_from(handle).ok());
    let is_removed = handle.is_some_and(|handle| call.ctx().prepared_documents().remove(handle));
    if is_removed { Ok(0) } else { Err(SqlError::of(6607, 1, &[&def.name, &1])) }
}
