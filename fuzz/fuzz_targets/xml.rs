//! Any text as XML, and any other as an XQuery over it.
//!
//! What must hold: nothing panics; what is written of a document parses to what was written; a document that was changed is one.

#![no_main]

use libfuzzer_sys::fuzz_target;
use millpond_xml::xquery::{AtomKind, Given, Method, Namespaces, Parsed};
use millpond_xml::{Budget, Halt, Options, ROOT, document_text, parse};

/// Queries may be products of products.
struct Steps(u32);

impl Budget for Steps {
    fn step(&mut self) -> Result<(), Halt> {
        self.0 = self.0.checked_sub(1).ok_or(Halt::Stopped)?;
        Ok(())
    }

    fn take(&mut self, bytes: usize) -> Result<(), Halt> {
        if bytes > 1 << 24 { Err(Halt::Memory) } else { self.step() }
    }
}

const KEPT: Options = Options { keeps_space: true, takes_document_type: false, origin: millpond_xml::Origin::Any };

fn reads(text: &str) {
    let again = parse(text, KEPT, &mut Steps(1 << 20)).expect("what was written is XML");
    assert_eq!(document_text(&again), text);
}

fn ask(xml: &str, query: &str) {
    let Ok(document) = parse(xml, Options::default(), &mut Steps(1 << 20)) else { return };
    reads(&document_text(&document));
    for method in [Method::Query, Method::Value, Method::Nodes, Method::Modify] {
        let Ok(parsed) = Parsed::parse(query, method, &Namespaces::default()) else { continue };
        let kinds = vec![AtomKind::String; parsed.references().len()];
        let given = vec![Given::Null; kinds.len()];
        let Ok(query) = parsed.check(&kinds) else { continue };
        if method == Method::Modify {
            if let Ok(changed) = query.modify(document.clone(), &given, &mut Steps(100_000)) {
                reads(&document_text(&changed));
            }
        } else if let Ok(items) = query.run(&document, ROOT, &given, &mut Steps(100_000)) {
            let _ = (items.first(), items.text());
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let _ = millpond_xml::parse::decode(bytes);
    let Ok(all) = std::str::from_utf8(bytes) else { return };
    let (query, xml) = all.split_once('\u{0}').unwrap_or((all, "<a b='1'>x<b>2</b><!--c--><?p d?></a>"));
    ask(all, "/");
    ask(xml, query);
});
