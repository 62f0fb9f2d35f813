//! Invariants on random text: the parser never panics, places lie in the text, and printing is stable.

use millpond_tsql::ast::{Statement, StatementKind};
use millpond_tsql::{ParseOptions, batch::split_script, parse_batch, print};
use proptest::prelude::*;

/// Pieces from which texts are made: much of the grammar's vocabulary, and what lexers stumble over.
const PIECES: &str = "select insert into update delete from where set values top ( ) ( ) , , ; . * + - / % & | ^ ~ = <> \
    < > <= >= !< += -= : :: @a @b @@spid #t t a b [x] \"q\" 'str' N'uni' 1 2 1.5 1e5 $1 0x1F null and or not in like \
    between is exists case when then else end cast convert ( int ) as varchar(10) begin end if while break continue \
    return goto lbl: begin try end try begin catch end catch declare print raiserror throw exec execute create table drop \
    alter database tempdb add file modify remove dbcc checkpoint use commit rollback save tran with nolock option order by \
    group having join inner left outer cross apply on union all except intersect distinct default primary key identity \
    check merge using matched grant to fetch cursor for open close waitfor delay kill shutdown reconfigure truncate \
    output inserted.a over partition rows go -- /* */ \u{e9} \u{1f600} { } ! \\ ' \" [";

fn pieces() -> Vec<&'static str> {
    PIECES.split_whitespace().collect()
}

fn texts() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(pieces());
    let blank = prop::sample::select(vec![" ", " ", " ", "\n", "\r\n", "", "\t"]);
    prop::collection::vec((piece, blank), 0..60)
        .prop_map(|parts| parts.into_iter().map(|(piece, blank)| format!("{piece}{blank}")).collect())
}

/// Statements lie in the text, in order, and inside the statement around them.
fn check_spans(text: &str, statements: &[Statement], start: u32, end: u32) {
    let mut from = start;
    for statement in statements {
        let span = statement.span;
        assert!(from <= span.start, "{span:?} in {text:?}");
        assert!(span.start < span.end, "{span:?} in {text:?}");
        assert!(span.end <= end, "{span:?} in {text:?}");
        let slice = text.get(span.start as usize..span.end as usize).expect("a span on character borders");
        assert_eq!(slice.trim(), slice);
        let line = 1 + text[..span.start as usize].matches('\n').count();
        assert_eq!(span.line as usize, line, "{span:?} in {text:?}");
        from = span.end;
        match &statement.kind {
            StatementKind::Block(body) => check_spans(text, body, span.start, span.end),
            StatementKind::While { body, .. } => {
                check_spans(text, std::slice::from_ref(body), span.start, span.end);
            }
            StatementKind::TryCatch { body, handler } => {
                check_spans(text, body, span.start, span.end);
                check_spans(text, handler, span.start, span.end);
            }
            StatementKind::If { then, otherwise, .. } => {
                check_spans(text, std::slice::from_ref(then), span.start, span.end);
                if let Some(otherwise) = otherwise {
                    check_spans(text, std::slice::from_ref(otherwise), then.span.end, span.end);
                }
            }
            _ => {}
        }
    }
}

fn check(text: &str, quoted_identifier: bool) {
    let lines = 1 + text.matches('\n').count();
    match parse_batch(text, ParseOptions { quoted_identifier }) {
        Ok(tree) => {
            check_spans(text, &tree.statements, 0, text.len() as u32);
            let printed = print::batch(&tree);
            if !printed.contains("/* unsupported") && !printed.contains("/* twice or unknown") {
                let again = parse_batch(&printed, ParseOptions { quoted_identifier: true });
                let again = again.unwrap_or_else(|e| panic!("{e:?}\n{text:?}\n{printed}"));
                assert_eq!(print::batch(&again), printed, "{text:?}");
            }
        }
        Err(error) => {
            assert!(error.number > 0 && !error.message.is_empty());
            assert!((1..=lines).contains(&(error.line as usize)), "{error:?} in {text:?}");
        }
    }
}

/// `PROPTEST_CASES` raises the number of texts.
fn cases(least: u32) -> ProptestConfig {
    let config = ProptestConfig::default();
    ProptestConfig { cases: config.cases.max(least), failure_persistence: None, ..config }
}

proptest! {
    #![proptest_config(cases(4000))]

    #[test]
    fn token_soup_is_parsed_or_refused(text in texts(), quoted in any::<bool>()) {
        check(&text, quoted);
    }

    #[test]
    fn any_text_is_parsed_or_refused(text in any::<String>(), quoted in any::<bool>()) {
        check(&text, quoted);
    }

    /// One token of a correct text is lost, doubled or replaced: much deeper into the grammar than soup gets.
    #[test]
    fn damaged_statements_are_parsed_or_refused(
        texts in prop::collection::vec(prop::sample::select(super::golden::texts()), 1..3),
        at in any::<prop::sample::Index>(),
        piece in prop::sample::select(pieces()),
        how in 0..4,
    ) {
        let text = texts.concat();
        let mut words: Vec<&str> = text.split_inclusive(&[' ', '(', ')', ',', '\n'][..]).collect();
        let at = at.index(words.len());
        match how {
            0 => words[at] = piece,
            1 => words.insert(at, piece),
            2 => words.insert(at, words[at]),
            _ => drop(words.remove(at)),
        }
        check(&words.concat(), true);
    }

    /// Statements that parse alone also parse one after the other without semicolons, and stay apart.
    #[test]
    fn statements_need_no_semicolon(picks in prop::collection::vec(any::<prop::sample::Index>(), 1..6)) {
        let picked: Vec<&str> = picks.iter().map(|pick| *pick.get(&SNIPPETS)).collect();
        let tree = parse_batch(&picked.join("\n"), ParseOptions { quoted_identifier: true });
        let tree = tree.unwrap_or_else(|e| panic!("{e:?}\n{}", picked.join("\n")));
        let text = picked.join("\n");
        let parts: Vec<&str> =
            tree.statements.iter().map(|s| &text[s.span.start as usize..s.span.end as usize]).collect();
        prop_assert_eq!(parts, picked);
    }

    #[test]
    fn scripts_split_into_their_text(text in texts()) {
        let batches = split_script(&text);
        let mut lines = 0;
        for batch in &batches {
            prop_assert!(batch.first_line > lines);
            prop_assert!(text.contains(&batch.text));
            lines = batch.first_line + batch.text.matches('\n').count() as u32 - 1;
        }
    }
}

/// Statements that end where the next word begins another one.
const SNIPPETS: [&str; 48] = [
    "select 1",
    "select a b from t where x = 1",
    "select * from t as x with (nolock) order by 1 desc",
    "select @a = 1, @b += 2",
    "select a into #t from t",
    "select 1 where 1 = 1 and not exists (select 1)",
    "update t set a = 1",
    "update t set a = b, @c = d from t join u on t.a = u.a where t.b in (1, 2)",
    "delete t",
    "delete from t where a is not null",
    "insert t values (1)",
    "insert into t (a, b) select 1, 2",
    "insert t exec p 1",
    "insert t default values",
    "exec p 1, @b output",
    "exec p",
    "exec @r = master..p @x = 'a', @y = default",
    "exec ('select ' + @s)",
    "print 'a' + 'b'",
    "return",
    "if 1 = 1 select 1 else select 2",
    "if @a > 1 begin print 'x' end",
    "while 1 = 1 break",
    "begin tran",
    "begin tran x",
    "commit",
    "commit tran",
    "rollback",
    "rollback tran x",
    "save tran s",
    "declare @a int = 1, @b varchar(10)",
    "declare @t table (a int primary key, b varchar(max) null)",
    "set nocount on",
    "set @a = @a + 1",
    "set transaction isolation level read committed",
    "create table #t (mycol char(8000) not null)",
    "drop table #t",
    "truncate table t",
    "dbcc extentinfo(2)",
    "dbcc dropcleanbuffers with no_infomsgs",
    "checkpoint",
    "use tempdb",
    "waitfor delay '00:00:01'",
    "raiserror ('x %d', 16, 1, @a) with nowait",
    "alter database tempdb modify file (name = templog, filename = 'f:\\x.ldf')",
    "create unique clustered index ix on t (a desc) include (b) with (fillfactor = 80)",
    "begin try select 1 end try begin catch end catch",
    "grant select, execute on t to public",
];
