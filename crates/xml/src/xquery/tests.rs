//! Queries and changes over small documents, and what is wrong with those that are none.

use super::*;
use crate::budget::Unbounded;
use crate::document::ROOT;
use crate::parse::{Options, parse};
use crate::write::document_text;

fn document(text: &str) -> Document {
    parse(text, Options::default(), &mut Unbounded).unwrap()
}

fn compiled(text: &str, method: Method) -> Result<Query, String> {
    let shown = |error: QueryError| format!("{:?} {}", error.fault, error.words.join("|"));
    let parsed = Parsed::parse(text, method, &Namespaces::default()).map_err(shown)?;
    let kinds = vec![AtomKind::String; parsed.references().len()];
    parsed.check(&kinds).map_err(shown)
}

fn run(xml: &str, query: &str) -> String {
    let document = document(xml);
    let query = match compiled(query, Method::Query) {
        Ok(query) => query,
        Err(error) => return error,
    };
    let given = [Given::Atom(Atom::String("given".to_owned())), Given::Null];
    match query.run(&document, ROOT, &given, &mut Unbounded) {
        Ok(items) => items.text(),
        Err(error) => format!("{error:?}"),
    }
}

fn changed(xml: &str, change: &str) -> String {
    let query = match compiled(change, Method::Modify) {
        Ok(query) => query,
        Err(error) => return error,
    };
    let given = [Given::Atom(Atom::String("given".to_owned()))];
    match query.modify(document(xml), &given, &mut Unbounded) {
        Ok(document) => document_text(&document),
        Err(error) => format!("{error:?}"),
    }
}

const SHOP: &str = "<shop open='1'><item id='1'><name>pen</name><price>2.5</price></item>\
     <item id='2'><name>ink</name><price>10</price></item><!--c--><?p d?>tail</shop>";

#[test]
fn paths_find_nodes_in_order() {
    for (query, expected) in [
        ("/shop/item/name", "<name>pen</name><name>ink</name>"),
        ("//name", "<name>pen</name><name>ink</name>"),
        ("//name/text()", "penink"),
        ("/shop/item[2]/name", "<name>ink</name>"),
        ("(/shop/item)[last()]/name", "<name>ink</name>"),
        ("/shop/item[@id='2']/name/text()", "ink"),
        ("/shop/item[@id=2]/name/text()", "ink"),
        ("/shop/item[price>3]/name/text()", "ink"),
        ("/shop/item[price > 3 and name = 'ink'][1]/@id/..", "<item id=\"2\"><name>ink</name><price>10</price></item>"),
        ("/shop/*[position() = 2]/name", "<name>ink</name>"),
        ("//item/name/../price", "<price>2.5</price><price>10</price>"),
        ("//item[name='pen']/parent::shop/@open/..//price[1]", "<price>2.5</price><price>10</price>"),
        ("//price | //name", "<name>pen</name><price>2.5</price><name>ink</name><price>10</price>"),
        ("/shop/comment()", "<!--c-->"),
        ("/shop/processing-instruction('p')", "<?p d?>"),
        ("/shop/text()", "tail"),
        ("/shop/item/descendant-or-self::node()/self::name/text()", "penink"),
        ("/shop/none", ""),
        ("/shop/item[@none]", ""),
        ("data(/shop/item/@id)", "1 2"),
        ("./shop/./item[not(name = 'pen')]/name/.", "<name>ink</name>"),
        ("/child::shop/child::item[attribute::id = '1']/child::price/text()", "2.5"),
        ("/*:shop/*[1]/*[2]", "<price>2.5</price>"),
        (
            "/",
            "<shop open=\"1\"><item id=\"1\"><name>pen</name><price>2.5</price></item><item id=\"2\"><name>ink</name>\
          <price>10</price></item><!--c--><?p d?>tail</shop>",
        ),
    ] {
        assert_eq!(run(SHOP, query), expected, "{query}");
    }
}

#[test]
fn values_are_computed() {
    for (query, expected) in [
        ("1, 2, 3", "1 2 3"),
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("7 mod 3, 7 div 2, -7", "1 3.5 -7"),
        ("1 div 0", ""),
        ("0.1 + 0.2", "0.3"),
        ("1.5e0 + 1", "2.5"),
        ("count(//item), sum(//price), avg(//price), min(//price), max(//price)", "2 12.5 6.25 2.5 10"),
        ("sum(())", "0"),
        ("//item[1]/price + 1", "Singleton +|xdt:untypedAtomic *"),
        ("(//item)[1]/price + 1", "Singleton +|xdt:untypedAtomic *"),
        ("(//price)[1] + 1", "3.5"),
        ("(//name)[1] + 1", ""),
        ("xs:int((//price)[2]) + 1", "11"),
        ("(//price)[2] cast as xs:int ?", "10"),
        ("xs:int('x')", ""),
        (
            "concat('a', 'b', 'c'), string-length('abc'), substring('abcde', 2, 3), upper-case('x'), lower-case('Y')",
            "abc 3 bcd X y",
        ),
        ("substring('12345', 1.5, 2.6), substring('12345', 0, 3), substring('12345', 4)", "234 12 45"),
        ("contains('abc', 'b'), not(1 = 2), true(), false(), empty(()), exists(1)", "true true true false true true"),
        ("round(2.5), floor(-1.5), ceiling(1.2), number('4.5')", "3 -2 2 4.5"),
        ("distinct-values(('a', 'b', 'a'))", "a b"),
        ("local-name((//item)[1]), namespace-uri((//item)[1])", "item "),
        ("string((//item)[1])", "pen2.5"),
        ("if (1 = 1) then 'y' else 'n'", "y"),
        ("some $i in //item satisfies $i/price > 5, every $i in //item satisfies $i/price > 5", "true false"),
        ("for $i in //item where $i/price > 3 return $i/name", "<name>ink</name>"),
        ("for $i in //item order by $i/@id descending return data($i/@id)", "2 1"),
        ("for $i in //item let $p := $i/price order by $p[1] return string($p[1])", "10 2.5"),
        ("for $a in (1, 2), $b in (3, 4) return $a * $b", "3 4 6 8"),
        ("sql:variable('@v'), 'x'", "given x"),
        ("'it''s', \"a\"\"b\", '&lt;'", "it's a\"b &lt;"),
        ("(: a (: nested :) comment :) 1", "1"),
        ("(//item)[1] << (//item)[2], (//item)[1] is (//item)[1]", "true true"),
        ("1 = (1, 2), 1 != (1, 2), 'a' < 'b', 2 < 10", "true true true true"),
        ("xs:date('2001-05-20') < xs:date('2001-05-21')", "true"),
        ("1 eq 1, 'a' ne 'b', 2 lt 1, 2 ge 2", "true true false true"),
    ] {
        assert_eq!(run(SHOP, query), expected, "{query}");
    }
}

#[test]
fn constructors_make_nodes() {
    for (query, expected) in [
        ("<a/>", "<a/>"),
        ("<a b=\"1\">x{1 + 1}y</a>", "<a b=\"1\">x2y</a>"),
        ("<a b=\"{count(//item)}\">{//name}</a>", "<a b=\"2\"><name>pen</name><name>ink</name></a>"),
        ("<a>{(1, 2)}</a>", "<a>1 2</a>"),
        ("<a> <b/> </a>", "<a><b/></a>"),
        ("<a>{{}}&amp;</a>", "<a>{}&amp;</a>"),
        ("<a>{//item[1]/@id}</a>", "<a id=\"1\"/>"),
        ("<a>x{(//item/@id)[1]}</a>", "LateAttribute"),
        ("<a><!--c--><?p d?><![CDATA[<]]></a>", "<a><!--c--><?p d?>&lt;</a>"),
        ("element a { attribute b { 1 }, element c { 'x' }, text { 'y' } }", "<a b=\"1\"><c>x</c>y</a>"),
        (
            "<a>{for $i in //item return <b n=\"{$i/@id}\">{$i/name/text()}</b>}</a>",
            "<a><b n=\"1\">pen</b><b n=\"2\">ink</b></a>",
        ),
        ("<p:a xmlns:p=\"u\"><p:b/></p:a>", "<p:a xmlns:p=\"u\"><p:b/></p:a>"),
        ("declare namespace p = \"u\"; <p:a/>", "<p:a xmlns:p=\"u\"/>"),
        ("declare default element namespace \"u\"; <a/>", "<a xmlns=\"u\"/>"),
        ("<a b=\"x{1}\"/>", "AttributeParts "),
        ("<a b='1' b='2'/>", "DuplicateAttribute b"),
        ("<a></b>", "EndTag b|a|1"),
        ("<a>", "EndTagExpected a"),
        ("<a>}</a>", "LoneBrace "),
    ] {
        assert_eq!(run(SHOP, query), expected, "{query}");
    }
}

#[test]
fn namespaces_are_looked_up() {
    let xml = "<r xmlns='d' xmlns:p='u'><p:a x='1' p:x='2'/><a/></r>";
    for (query, expected) in [
        ("/r", ""),
        ("declare namespace q='u'; declare namespace d='d'; /d:r/q:a", "<p:a xmlns:p=\"u\" x=\"1\" p:x=\"2\"/>"),
        ("declare default element namespace 'd'; /r/a", "<a xmlns=\"d\"/>"),
        ("declare namespace q='u'; data(//@q:x), data(//@x)", "2 1"),
        ("declare namespace q='u'; //q:*", "<p:a xmlns:p=\"u\" x=\"1\" p:x=\"2\"/>"),
        ("//*:a", "<p:a xmlns:p=\"u\" x=\"1\" p:x=\"2\"/><a xmlns=\"d\"/>"),
        ("//q:a", "UnknownPrefix q"),
    ] {
        assert_eq!(run(xml, query), expected, "{query}");
    }
}

#[test]
fn documents_are_changed() {
    let xml = "<a x=\"1\"><b>1</b><b>2</b></a>";
    for (change, expected) in [
        ("insert <c/> into (/a)[1]", "<a x=\"1\"><b>1</b><b>2</b><c/></a>"),
        ("insert <c/> as first into (/a)[1]", "<a x=\"1\"><c/><b>1</b><b>2</b></a>"),
        ("insert <c/> as last into (/a)[1]", "<a x=\"1\"><b>1</b><b>2</b><c/></a>"),
        ("insert <c/> before (/a/b)[2]", "<a x=\"1\"><b>1</b><c/><b>2</b></a>"),
        ("insert <c/> after (/a/b)[1]", "<a x=\"1\"><b>1</b><c/><b>2</b></a>"),
        ("insert (<c/>, <d/>) after (/a/b)[2]", "<a x=\"1\"><b>1</b><b>2</b><c/><d/></a>"),
        ("insert attribute y { 'z' } into (/a)[1]", "<a x=\"1\" y=\"z\"><b>1</b><b>2</b></a>"),
        ("insert text { 't' } into (/a/b)[1]", "<a x=\"1\"><b>1t</b><b>2</b></a>"),
        ("insert (/a/b)[1] into (/a)[1]", "<a x=\"1\"><b>1</b><b>2</b><b>1</b></a>"),
        ("insert <c>{sql:variable('@v')}</c> into (/a)[1]", "<a x=\"1\"><b>1</b><b>2</b><c>given</c></a>"),
        ("insert <c/> into (/none)[1]", xml),
        ("insert attribute x { 1 } into (/a)[1]", "Run(DuplicateAttribute(\"x\"))"),
        ("insert <c/> into /a/b", "InsertTarget element(b,xdt:untyped) *"),
        ("insert <c/> into (/a/@x)[1]", "IntoTarget attribute(x,xdt:untypedAtomic) ?"),
        ("insert 1 into (/a)[1]", "InsertKind xs:integer"),
        ("insert <c/> (/a)[1]", "PositionExpected ("),
        ("delete /a/b", "<a x=\"1\"/>"),
        ("delete /a/b[. = '1']", "<a x=\"1\"><b>2</b></a>"),
        ("delete /a/@x", "<a><b>1</b><b>2</b></a>"),
        ("delete (/a/@x, /a/b[1])", "<a><b>2</b></a>"),
        ("delete /a", ""),
        ("delete 1", "DeleteTarget xs:integer"),
        ("replace value of (/a/@x)[1] with 5", "<a x=\"5\"><b>1</b><b>2</b></a>"),
        ("replace value of (/a/b/text())[1] with 'new'", "<a x=\"1\"><b>new</b><b>2</b></a>"),
        ("replace value of (/a/b/text())[1] with ()", "<a x=\"1\"><b/><b>2</b></a>"),
        ("replace value of (/a/b/text())[1] with /a/none", "EmptyValue"),
        ("replace value of (/a/@x)[1] with (/a/@x)[1] + 1", "<a x=\"2\"><b>1</b><b>2</b></a>"),
        (
            "replace value of (/a/@x)[1] with if (count(/a/b) > 1) then 'many' else 'one'",
            "<a x=\"many\"><b>1</b><b>2</b></a>",
        ),
        ("replace value of /a/b/text() with 1", "ReplaceTarget text *"),
        ("replace value of (/a/b)[1] with 1", "ReplaceKind element(b,xdt:untyped) ?"),
        ("replace value of (/a/@x)[1] with <c/>", "ReplaceConstructed "),
        ("replace value of (/none/@x)[1] with 1", xml),
        ("/a", "NoChange "),
    ] {
        assert_eq!(changed(xml, change), expected, "{change}");
    }
}

#[test]
fn what_is_no_query_is_named() {
    for (query, expected) in [
        ("", "Syntax <eof>"),
        ("/a[", "Syntax <eof>"),
        ("/a]", "MoreTokens ]"),
        ("/a/", "StepExpected <eof>"),
        ("1 +", "Syntax <eof>"),
        ("(1", "Expected )"),
        ("'abc", "UnterminatedString 1"),
        ("(: abc", "UnterminatedComment 1"),
        ("$x", "UnknownVariable x"),
        ("nofunction(1)", "UnknownFunction nofunction"),
        ("x:nofunction(1)", "UnknownPrefix x"),
        ("count()", "FewArguments count"),
        ("count(1, 2)", "ManyArguments count"),
        ("position()", "OnlyInPredicate position"),
        ("/a/@", "NodeTest <eof>"),
        ("/a/ancestor::b", "Unsupported ancestor"),
        ("/a/nowhere::b", "Axis nowhere"),
        ("1 instance of xs:int", "Unsupported instance of"),
        ("1 to 3", "Unsupported to"),
        ("1 idiv 2", "Unsupported idiv"),
        ("1 cast as xs:int", "CastWithoutMark "),
        ("1 cast as xs:nothing ?", "UnknownType xs:nothing"),
        ("if (1 = 1) then 2", "ElseExpected "),
        ("if (1) then 2 else 3", "Condition xs:integer"),
        ("/a['x']", "Predicate xs:string"),
        ("for $i in //a", "ClauseExpected <eof>"),
        ("for $i //a return 1", "Wanted /|in"),
        ("(1, <a/>)", "Heterogeneous xs:integer|element(a,xdt:untyped)"),
        ("'a' = 1", "Operator =|xs:string|xs:integer"),
        ("'a' + 1", "Operator +|xs:string|xs:integer"),
        ("declare namespace a = 'b' 1", "PrologEnd 1"),
        ("comment { 'x' }", "ComputedComment "),
        ("/a/@b", "TopLevel attribute"),
        ("delete /a", "Change "),
        ("1e", "NumericConstant "),
        ("99999999999999999999999999999999999999999", "NumericConstant "),
        ("&amp;", "Syntax &"),
    ] {
        assert_eq!(run("<a/>", query), expected, "{query}");
    }
}

#[test]
fn a_value_is_one_item_at_most() {
    let value = |query| compiled(query, Method::Value).err();
    let many = |kind: &str| Some(format!("Singleton value()|{kind} *"));
    assert_eq!(value("/a/b"), many("xdt:untypedAtomic"));
    assert_eq!(value("(/a/b)[1]"), None);
    assert_eq!(value("/a[1]/b[1]"), None);
    assert_eq!(value("/a[1]/b[1]/@c"), None);
    assert_eq!(value("/a/@c"), many("xdt:untypedAtomic"));
    assert_eq!(value("@c"), None);
    assert_eq!(value("."), None);
    assert_eq!(value("./@c"), None);
    assert_eq!(value("../@c"), None);
    assert_eq!(value("b[1]"), None);
    assert_eq!(value("b"), many("xdt:untypedAtomic"));
    assert_eq!(value("text()[1]"), None);
    assert_eq!(value("(text())[1]"), None);
    assert_eq!(value("count(//a)"), None);
    assert_eq!(value("sum(//a)"), None);
    assert_eq!(value("string(b[1])"), None);
    assert_eq!(value("(1, 2)"), many("xs:integer"));
    assert_eq!(value("/a/b[1]"), many("xdt:untypedAtomic"));
    assert_eq!(compiled("1", Method::Nodes).err().as_deref(), Some("NodesRequired nodes()"));
    assert_eq!(compiled("/a/@b", Method::Nodes).err(), None);
}

#[test]
fn nesting_and_work_are_bounded() {
    let deep = format!("{}1{}", "(".repeat(10_000), ")".repeat(10_000));
    assert_eq!(run("<a/>", &deep), "TooComplex ");
    assert_eq!(run("<a/>", &format!("1{}", " + 1".repeat(10_000))), "TooComplex ");
    assert_eq!(run("<a/>", &"<a>".repeat(10_000)), "TooComplex ");
    assert_eq!(run("<a/>", &"-".repeat(10_000)), "TooComplex ");

    struct Steps(usize);
    impl Budget for Steps {
        fn step(&mut self) -> Result<(), crate::Halt> {
            self.0 = self.0.checked_sub(1).ok_or(crate::Halt::Stopped)?;
            Ok(())
        }
        fn take(&mut self, _: usize) -> Result<(), crate::Halt> {
            Ok(())
        }
    }
    let wide = document(&format!("<a>{}</a>", "<b/>".repeat(1000)));
    let query = compiled("for $x in //b, $y in //b, $z in //b return 1", Method::Query).unwrap();
    let stopped = query.run(&wide, ROOT, &[], &mut Steps(100_000)).err();
    assert_eq!(stopped, Some(RunError::Halted(crate::Halt::Stopped)));
}

proptest::proptest! {
    #[test]
    fn no_query_makes_it_panic(text in "[a-c/@*.\\[\\](){}<>='\"$:;,|+\\-! 0-9]{0,30}") {
        let _ = run("<a b='1'><b>2</b><c/></a>", &text);
        let _ = changed("<a b='1'><b>2</b><c/></a>", &format!("insert {text}"));
        let _ = changed("<a b='1'><b>2</b><c/></a>", &format!("delete {text}"));
    }

    #[test]
    fn queries_of_words_do_not_panic(words in proptest::collection::vec(proptest::sample::select(vec![
        "for", "$x", "in", "return", "let", ":=", "where", "/a", "//b", "(", ")", "1", "'s'", ",", "=", "and", "if",
        "then", "else", "<a>", "</a>", "{", "}", "count", "position()", "[", "]", "@b", "..", "order by", "some",
        "satisfies", "element a", "insert", "into", "xs:int", "cast as", "?", "sql:variable(\"@a\")",
    ]), 0..12)) {
        let text = words.join(" ");
        let _ = run("<a b='1'><b>2</b><c/></a>", &text);
        let _ = changed("<a b='1'><b>2</b><c/></a>", &text);
    }
}
