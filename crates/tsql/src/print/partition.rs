//! Text of statements on partition functions and schemes.

use crate::ast::PartitionStatement;
use crate::print::{Printer, definition};

pub(super) fn partition(printer: &mut Printer, statement: &PartitionStatement) {
    printer.text(statement.title());
    printer.text(" ");
    match statement {
        PartitionStatement::CreateFunction { name, types, is_right, values } => {
            printer.ident(name);
            printer.text(" (");
            for (at, data_type) in types.iter().enumerate() {
                printer.text(if at > 0 { ", " } else { "" });
                definition::type_name(printer, data_type);
            }
            printer.text(") AS RANGE ");
            printer.text(if *is_right { "RIGHT" } else { "LEFT" });
            printer.text(" FOR VALUES (");
            for (at, value) in values.iter().enumerate() {
                printer.keyed_expr(if at > 0 { ", " } else { "" }, Some(value));
            }
            printer.text(")");
        }
        PartitionStatement::AlterFunction { name, is_split, value } => {
            printer.ident(name);
            printer.text(if *is_split { " () SPLIT RANGE (" } else { " () MERGE RANGE (" });
            printer.keyed_expr("", Some(value));
            printer.text(")");
        }
        PartitionStatement::CreateScheme { name, function, is_all, groups } => {
            printer.ident(name);
            printer.text(" AS PARTITION ");
            printer.ident(function);
            printer.text(if *is_all { " ALL TO " } else { " TO " });
            printer.idents(groups);
        }
        PartitionStatement::AlterScheme { name, next_used } => {
            printer.ident(name);
            printer.text(" NEXT USED");
            if let Some(group) = next_used {
                printer.text(" ");
                printer.ident(group);
            }
        }
        PartitionStatement::DropFunction(name) | PartitionStatement::DropScheme(name) => printer.ident(name),
    }
}
