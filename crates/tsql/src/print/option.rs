//! Options after WITH and SET.

use std::fmt::Write;

use crate::ast::{NamedOption, OptionValue};
use crate::print::Printer;

/// ` WITH (option, …)`, or nothing.
pub(super) fn with_options(printer: &mut Printer, options: &[NamedOption]) {
    if !options.is_empty() {
        enclosed_options(printer, " WITH ", options);
    }
}

/// The options without parentheses after `words`, or nothing.
pub(super) fn open_options(printer: &mut Printer, words: &str, options: &[NamedOption]) {
    if !options.is_empty() {
        printer.text(words);
        printer.list(options, ", ", option);
    }
}

pub(super) fn enclosed_options(printer: &mut Printer, words: &str, options: &[NamedOption]) {
    printer.text(words);
    printer.text("(");
    printer.list(options, ", ", option);
    printer.text(")");
}

fn option_value(printer: &mut Printer, value: &OptionValue) {
    match value {
        OptionValue::None => {}
        OptionValue::On => printer.text(" = ON"),
        OptionValue::Off => printer.text(" = OFF"),
        OptionValue::Words(words) => {
            let _ = write!(printer.out, " = {words}");
        }
        OptionValue::Name(name) => {
            printer.text(" = ");
            printer.name(name);
        }
        OptionValue::Constant(value) => printer.keyed_expr(" = ", Some(value)),
        OptionValue::Quantity { amount, unit } => {
            printer.keyed_expr(" = ", Some(amount));
            let _ = write!(printer.out, " {unit}");
        }
    }
}

pub(super) fn option(printer: &mut Printer, option: &NamedOption) {
    printer.text(&option.name);
    option_value(printer, &option.value);
    if !option.details.is_empty() {
        // Without `=` only the first word of a name is its name.
        let alone = matches!(option.value, OptionValue::None) && option.name.contains(' ');
        enclosed_options(printer, if alone { " = " } else { " " }, &option.details);
    }
}
