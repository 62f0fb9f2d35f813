//! What texts become, and what is wrong with those that are no XML.

use super::*;
use crate::budget::Unbounded;
use crate::write::document_text;

fn shown(text: &str) -> String {
    shown_by(text, Options::default())
}

fn shown_by(text: &str, options: Options) -> String {
    match parse(text, options, &mut Unbounded) {
        Ok(document) => document_text(&document),
        Err(ParseError::At { fault, line, character }) => format!("{fault:?} {line},{character}"),
        Err(other) => format!("{other:?}"),
    }
}

#[test]
fn documents_and_fragments_are_normalised() {
    for (text, expected) in [
        ("", ""),
        ("plain", "plain"),
        ("<a></a>", "<a/>"),
        ("<a ></a >", "<a/>"),
        ("<a/><b/>", "<a/><b/>"),
        ("x<a/>y", "x<a/>y"),
        ("<?xml version=\"1.0\"?>\n<a/>", "<a/>"),
        ("<a>\n  <b/>\n</a>", "<a><b/></a>"),
        ("<a> </a>", "<a/>"),
        ("<a xml:space=\"preserve\"> <b/></a>", "<a xml:space=\"preserve\"> <b/></a>"),
        ("<a>&#32;</a>", "<a> </a>"),
        ("<a x='1' y=\"&quot;'\"/>", "<a x=\"1\" y=\"&quot;'\"/>"),
        ("<a x='1\n2'/>", "<a x=\"1 2\"/>"),
        ("<a x='1&#10;2'/>", "<a x=\"1&#x0A;2\"/>"),
        ("<a>1\r\n2</a>", "<a>1\n2</a>"),
        ("<a>&#13;</a>", "<a>&#x0D;</a>"),
        ("<a>&lt;&amp;&gt;&quot;&apos;</a>", "<a>&lt;&amp;&gt;\"'</a>"),
        ("<a><![CDATA[<b> & ]]></a>", "<a>&lt;b&gt; &amp; </a>"),
        ("<!-- c --><?p d?><a/>", "<!-- c --><?p d?><a/>"),
        ("<p:a xmlns:p=\"u\" p:x=\"1\"/>", "<p:a xmlns:p=\"u\" p:x=\"1\"/>"),
        ("<a xmlns=\"u\"><b xmlns=\"\"/></a>", "<a xmlns=\"u\"><b xmlns=\"\"/></a>"),
        ("<日本>語</日本>", "<日本>語</日本>"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
        assert_eq!(shown_by(expected, Options { keeps_space: true, ..Options::default() }), expected, "{text} again");
    }
}

#[test]
fn each_fault_has_its_place() {
    for (text, expected) in [
        ("<", "UnexpectedEnd 1,1"),
        ("<a", "UnexpectedEnd 1,2"),
        ("<a>", "UnexpectedEnd 1,3"),
        ("<a>\n<b>", "UnexpectedEnd 2,3"),
        ("<a x='1", "UnexpectedEnd 1,7"),
        ("<!-- x", "UnexpectedEnd 1,6"),
        ("<a></b>", "EndTag 1,7"),
        ("</a>", "DocumentSyntax 1,2"),
        ("<a/></a>", "DocumentSyntax 1,6"),
        ("a & b", "IllegalNameChar 1,4"),
        ("a &b", "UnexpectedEnd 1,4"),
        ("&b c", "SemicolonExpected 1,3"),
        ("&b;", "UndeclaredEntity 1,3"),
        ("&#x;", "HexDigitExpected 1,4"),
        ("&#a;", "DigitExpected 1,3"),
        ("&#0;", "IllegalChar 1,4"),
        ("\u{1}", "IllegalChar 1,1"),
        ("< a/>", "IllegalQualifiedName 1,2"),
        ("<1/>", "IllegalQualifiedName 1,2"),
        ("<a:/>", "IllegalQualifiedName 1,4"),
        ("<a:b:c/>", "SecondColon 1,5"),
        ("<a:b/>", "UndeclaredPrefix 1,4"),
        ("<a b/>", "EqualExpected 1,5"),
        ("<a b=c/>", "QuoteExpected 1,6"),
        ("<a b='<'/>", "LessInAttribute 1,7"),
        ("<a b='1></a>", "LessInAttribute 1,9"),
        ("<a b='1'c='2'/>", "SpaceExpected 1,9"),
        ("<a b='1' b='2'/>", "DuplicateAttribute 1,10"),
        ("<a / >", "CloseExpected 1,5"),
        ("<a xmlns:p='u' xmlns:q='u' p:x='1' q:x='2'/>", "DuplicateAttribute 1,38"),
        ("<a xmlns:p=''/>", "EmptyNamespace 1,13"),
        ("<a xmlns:xml='u'/>", "XmlPrefix 1,16"),
        ("<a xml:space='x'/>", "SpaceValue 1,16"),
        ("]]>", "CdataEnd 1,3"),
        ("<!x>", "DocumentSyntax 1,3"),
        ("<!-- a -- b -->", "CommentSyntax 1,10"),
        (" <?xml version='1.0'?>", "DeclarationNotFirst 1,7"),
        ("<?xml?>", "DeclarationSyntax 1,6"),
        ("<?xml version='1.1'?>", "DeclarationSyntax 1,19"),
        ("<?xml version='1.0' encoding='nonsense'?>", "UnknownEncoding 1,41"),
        ("<!DOCTYPE a><a/>", "DocumentType"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn a_declared_encoding_is_the_texts_own() {
    let utf8 = "<?xml version=\"1.0\" encoding=\"utf-8\"?><a/>";
    let utf16 = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><a/>";
    let by = |text, origin| shown_by(text, Options { origin, ..Options::default() });
    assert_eq!(by(utf8, Origin::Wide), "OtherEncoding 1,38");
    assert_eq!(by(utf8, Origin::Narrow), "<a/>");
    assert_eq!(by(utf16, Origin::Wide), "<a/>");
    assert_eq!(by(utf16, Origin::Narrow), "OtherEncoding 1,39");
    assert_eq!(decode(b"\xFF\xFE<\0a\0/\0>\0").unwrap(), "<a/>");
    assert_eq!(decode(b"<\0a\0/\0>\0").unwrap(), "<a/>");
    assert_eq!(decode(b"\xEF\xBB\xBF<a/>").unwrap(), "<a/>");
    assert_eq!(
        decode(b"<?xml version='1.0' encoding='iso-8859-1'?><a>\xE9</a>").unwrap().chars().rev().nth(4),
        Some('é')
    );
    assert!(decode(b"<a>\xE9</a>").is_err());
    assert!(decode(b"<?xml version='1.0' encoding='none'?><a/>").is_err());
}

#[test]
fn nesting_is_bounded() {
    let nested = |levels: usize| format!("{}{}", "<a>".repeat(levels), "</a>".repeat(levels));
    assert!(parse(&nested(DEPTH_MAX), Options::default(), &mut Unbounded).is_ok());
    assert_eq!(shown(&nested(DEPTH_MAX + 1)), "TooDeep");
    assert_eq!(shown(&"<a>".repeat(100_000)), "TooDeep");
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic_and_what_is_written_parses(text in "[<>/a-b:&;#x!?\"'= \\-\\[\\]\\n\u{1}é]{0,40}") {
        if let Ok(document) = parse(&text, Options::default(), &mut Unbounded) {
            let written = document_text(&document);
            let again = parse(&written, Options { keeps_space: true, ..Options::default() }, &mut Unbounded);
            proptest::prop_assert_eq!(document_text(&again.expect("it is XML")), written);
        }
    }
}
