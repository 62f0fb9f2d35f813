//! EXECUTE.

use std::fmt::Write;

use crate::ast::{Execute, ExecuteArg, ExecuteText, ResultColumn, ResultSets};
use crate::print::{Printer, definition, module};

pub(super) fn procedure(printer: &mut Printer, execute: &Execute) {
    printer.text("EXEC ");
    if let Some(variable) = &execute.return_into {
        let _ = write!(printer.out, "{variable} = ");
    }
    printer.name(&execute.procedure);
    if let Some(number) = execute.number {
        let _ = write!(printer.out, ";{number}");
    }
    printer.text(if execute.args.is_empty() { "" } else { " " });
    printer.list(&execute.args, ", ", argument);
    printer.text(if execute.recompile { " WITH RECOMPILE" } else { "" });
    result_sets(printer, &execute.result_sets, execute.recompile);
    if let Some(server) = &execute.at {
        printer.worded(" AT", server);
    }
}

fn argument(printer: &mut Printer, arg: &ExecuteArg) {
    if let Some(name) = &arg.name {
        let _ = write!(printer.out, "{name} = ");
    }
    printer.expr(&arg.value);
    printer.text(if arg.output { " OUTPUT" } else { "" });
}

fn result_sets(printer: &mut Printer, sets: &ResultSets, again: bool) {
    let words = if again { ", RESULT SETS " } else { " WITH RESULT SETS " };
    match sets {
        ResultSets::Undefined => {}
        ResultSets::None => {
            let _ = write!(printer.out, "{words}NONE");
        }
        ResultSets::Sets(sets) => {
            printer.text(words);
            printer.text("(");
            printer.list(sets, ", ", |printer, set| {
                printer.text("(");
                printer.list(set, ", ", result_column);
                printer.text(")");
            });
            printer.text(")");
        }
    }
}

fn result_column(printer: &mut Printer, column: &ResultColumn) {
    printer.ident(&column.name);
    printer.text(" ");
    definition::type_name(printer, &column.data_type);
    definition::collation(printer, column.collation.as_deref());
    definition::nullability(printer, column.nullable);
}

pub(super) fn text(printer: &mut Printer, execute: &ExecuteText) {
    printer.text("EXEC (");
    printer.list(&execute.parts, " + ", Printer::expr);
    for arg in &execute.args {
        printer.text(", ");
        argument(printer, arg);
    }
    printer.text(")");
    if let Some(context) = &execute.as_principal {
        printer.text(" AS ");
        module::execution_context(printer, context);
    }
    result_sets(printer, &execute.result_sets, false);
    if let Some(server) = &execute.at {
        printer.worded(" AT", server);
    }
}
