//! Statements have numbers of their own, wherever in a text they stand.

use std::collections::HashSet;

use millpond_tsql::ast::{ModuleBody, ModuleKind, Statement, StatementKind, StatementNo};
use millpond_tsql::{ParseOptions, parse_batch};

/// The numbers of all statements, those inside of others too.
fn collect(statements: &[Statement], numbers: &mut Vec<StatementNo>) {
    for statement in statements {
        numbers.push(statement.number);
        match &statement.kind {
            StatementKind::Block(inner) => collect(inner, numbers),
            StatementKind::TryCatch { body, handler } => {
                collect(body, numbers);
                collect(handler, numbers);
            }
            StatementKind::If { then, otherwise, .. } => {
                collect(std::slice::from_ref(then), numbers);
                otherwise.iter().for_each(|otherwise| collect(std::slice::from_ref(otherwise), numbers));
            }
            StatementKind::While { body, .. } => collect(std::slice::from_ref(body), numbers),
            StatementKind::Module(module) => {
                if let ModuleKind::Procedure { body: ModuleBody::Statements(inner), .. } = &module.kind {
                    collect(inner, numbers);
                }
            }
            _ => {}
        }
    }
}

fn numbers(text: &str) -> Vec<StatementNo> {
    let batch = parse_batch(text, ParseOptions { quoted_identifier: true }).expect("a text that parses");
    let mut numbers = Vec::new();
    collect(&batch.statements, &mut numbers);
    numbers
}

#[test]
fn no_two_statements_of_a_text_have_the_same_number() {
    let texts = [
        ("PRINT 1; PRINT 2", 2),
        ("IF 1 = 1 PRINT 1 ELSE IF 1 = 2 PRINT 2 ELSE IF 1 = 3 PRINT 3 ELSE PRINT 4", 7),
        ("WHILE 1 = 1 BEGIN BREAK; BEGIN TRY PRINT 1 END TRY BEGIN CATCH PRINT 2 END CATCH END; PRINT 3", 7),
        ("CREATE PROCEDURE p AS BEGIN IF 1 = 1 RETURN 1; SELECT 2 END; SELECT 3", 6),
    ];
    for (text, count) in texts {
        let numbers = numbers(text);
        assert_eq!(numbers.len(), count, "{text}");
        let distinct: HashSet<StatementNo> = numbers.iter().copied().collect();
        assert_eq!(distinct.len(), count, "{text}: {numbers:?}");
        // A list with a place for each has few places that stay empty.
        let last = numbers.iter().max().expect("statements");
        assert!((last.0 as usize) < 2 * count, "{text}: {numbers:?}");
    }
}
