//! The messages of text that is not T-SQL, with SQL Server's numbers and words. One function per message.

use crate::SyntaxError;

/// How much of a token a message quotes, in characters. A message has at most 2047 characters on the wire.
const QUOTE_CHARS_MAX: usize = 1024;

/// Boxed: an error is rare and large, a result is returned by every parse function.
pub(crate) type Parsed<T> = Result<T, Box<SyntaxError>>;

fn error(number: i32, severity: u8, state: u8, line: u32, message: String) -> Box<SyntaxError> {
    Box::new(SyntaxError { number, severity, state, line, message, module: None })
}

fn quoted(text: &str) -> &str {
    match text.char_indices().nth(QUOTE_CHARS_MAX) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

pub(crate) fn near(text: &str, line: u32) -> Box<SyntaxError> {
    error(102, 15, 1, line, format!("Incorrect syntax near '{}'.", quoted(text)))
}

/// 10704
pub(crate) fn nothing_to_rethrow(line: u32) -> Box<SyntaxError> {
    let message = "To rethrow an error, a THROW statement must be used inside a CATCH block. Insert the THROW statement \
                   inside a CATCH block, or add error parameters to the THROW statement.";
    error(10_704, 15, 1, line, message.to_owned())
}

/// 153
pub(crate) fn option_of(option: &str, statement: &str, line: u32) -> Box<SyntaxError> {
    error(153, 15, 2, line, format!("Invalid usage of the option {option} in the {statement} statement."))
}

pub(crate) fn subquery_not_allowed(line: u32) -> Box<SyntaxError> {
    let message = "Subqueries are not allowed in this context. Only scalar expressions are allowed.".to_owned();
    error(1046, 15, 1, line, message)
}

/// The tree is not wanted any more. This one is reported to no client.
#[cold]
pub(crate) fn stopped(line: u32) -> Box<SyntaxError> {
    near("", line)
}

pub(crate) fn near_keyword(text: &str, line: u32) -> Box<SyntaxError> {
    error(156, 15, 1, line, format!("Incorrect syntax near the keyword '{text}'."))
}

pub(crate) fn with_needs_semicolon(text: &str, line: u32) -> Box<SyntaxError> {
    let message = format!(
        "Incorrect syntax near the keyword '{text}'. If this statement is a common table expression, an xmlnamespaces \
         clause or a change tracking context clause, the previous statement must be terminated with a semicolon."
    );
    error(319, 15, 1, line, message)
}

pub(crate) fn unclosed_quote(text: &str, line: u32) -> Box<SyntaxError> {
    let message = format!("Unclosed quotation mark after the character string '{}'.", quoted(text));
    error(105, 15, 1, line, message)
}

pub(crate) fn unclosed_comment(line: u32) -> Box<SyntaxError> {
    error(113, 15, 1, line, "Missing end comment mark '*/'.".to_owned())
}

pub(crate) fn identifier_too_long(text: &str, line: u32) -> Box<SyntaxError> {
    identifier_beyond(text, 128, line)
}

/// 103 for a name of a kind that is shorter than others.
pub(crate) fn identifier_beyond(text: &str, most: usize, line: u32) -> Box<SyntaxError> {
    let start: String = text.chars().take(most).collect();
    let message = format!("The identifier that starts with '{start}' is too long. Maximum length is {most}.");
    error(103, 15, 4, line, message)
}

pub(crate) fn empty_name(line: u32) -> Box<SyntaxError> {
    let message = "An object or column name is missing or empty. For SELECT INTO statements, verify each column has a \
                   name. For other statements, look for empty alias names. Aliases defined as \"\" or [] are not \
                   allowed. Change the alias to a valid name.";
    error(1038, 15, 4, line, message.to_owned())
}

pub(crate) fn too_many_prefixes(noun: &str, name: &str, most: usize, line: u32) -> Box<SyntaxError> {
    let message = format!(
        "The {noun} name '{}' contains more than the maximum number of prefixes. The maximum is {most}.",
        quoted(name)
    );
    error(117, 15, 1, line, message)
}

pub(crate) fn nested_too_deeply(line: u32) -> Box<SyntaxError> {
    let message = "Some part of your SQL statement is nested too deeply. Rewrite the query or break it up into smaller \
                   queries.";
    error(191, 15, 1, line, message.to_owned())
}

pub(crate) fn not_a_condition(text: &str, line: u32) -> Box<SyntaxError> {
    let message = format!(
        "An expression of non-boolean type specified in a context where a condition is expected, near '{}'.",
        quoted(text)
    );
    error(4145, 15, 1, line, message)
}

pub(crate) fn number_out_of_range(text: &str, line: u32) -> Box<SyntaxError> {
    let message =
        format!("The number '{}' is out of the range for numeric representation (maximum precision 38).", quoted(text));
    error(1007, 15, 1, line, message)
}

pub(crate) fn float_out_of_range(text: &str, line: u32) -> Box<SyntaxError> {
    let message = format!(
        "The floating point value '{}' is out of the range of computer representation (8 bytes).",
        quoted(text)
    );
    error(168, 15, 1, line, message)
}

pub(crate) fn label_declared_twice(label: &str, line: u32) -> Box<SyntaxError> {
    let message = format!(
        "The label '{label}' has already been declared. Label names must be unique within a query batch or stored \
         procedure."
    );
    error(132, 15, 1, line, message)
}

pub(crate) fn label_missing(label: &str, line: u32) -> Box<SyntaxError> {
    let message = format!("A GOTO statement references the label '{label}' but the label has not been declared.");
    error(133, 15, 1, line, message)
}

pub(crate) fn goto_into_try(line: u32) -> Box<SyntaxError> {
    error(1026, 15, 1, line, "GOTO cannot be used to jump into a TRY or CATCH scope.".to_owned())
}

pub(crate) fn break_outside_while(line: u32) -> Box<SyntaxError> {
    error(135, 15, 1, line, "Cannot use a BREAK statement outside the scope of a WHILE statement.".to_owned())
}

pub(crate) fn continue_outside_while(line: u32) -> Box<SyntaxError> {
    error(136, 15, 1, line, "Cannot use a CONTINUE statement outside the scope of a WHILE statement.".to_owned())
}

pub(crate) fn must_be_first_in_batch(what: &str, line: u32) -> Box<SyntaxError> {
    error(111, 15, 1, line, format!("'{what}' must be the first statement in a query batch."))
}

pub(crate) fn showplan_is_alone(line: u32) -> Box<SyntaxError> {
    error(1067, 15, 1, line, "The SET SHOWPLAN statements must be the only statements in the batch.".to_owned())
}

pub(crate) fn use_in_module(line: u32) -> Box<SyntaxError> {
    let text = "a USE database statement is not allowed in a procedure, function or trigger.";
    error(154, 15, 1, line, text.to_owned())
}

pub(crate) fn returns_value(line: u32) -> Box<SyntaxError> {
    error(178, 15, 1, line, "A RETURN statement with a return value cannot be used in this context.".to_owned())
}

pub(crate) fn unknown_object_type(word: &str, line: u32) -> Box<SyntaxError> {
    let message = format!("Unknown object type '{word}' used in a CREATE, DROP, or ALTER statement.");
    error(343, 15, 1, line, message)
}

pub(crate) fn unknown_hint(word: &str, line: u32) -> Box<SyntaxError> {
    let message = format!(
        "\"{word}\" is not a recognized table hints option. If it is intended as a parameter to a table-valued function \
         or to the CHANGETABLE function, ensure that your database compatibility mode is set to 90."
    );
    error(321, 15, 1, line, message)
}

pub(crate) fn too_many_insert_rows(line: u32) -> Box<SyntaxError> {
    let message = "The number of row value expressions in the INSERT statement exceeds the maximum allowed number of \
                   1000 row values.";
    error(10738, 15, 1, line, message.to_owned())
}

pub(crate) fn not_in_merge_clause(action: &str, clause: &str, line: u32) -> Box<SyntaxError> {
    let message = format!("An action of type '{action}' is not allowed in the '{clause}' clause of a MERGE statement.");
    error(10711, 15, 1, line, message)
}

pub(crate) fn hint_needs_with(text: &str, line: u32) -> Box<SyntaxError> {
    let message = format!(
        "Incorrect syntax near '{text}'. If this is intended as a part of a table hint, A WITH keyword and parenthesis \
         are now required. See SQL Server Books Online for proper syntax."
    );
    error(1018, 15, 1, line, message)
}

pub(crate) fn function_must_return(line: u32) -> Box<SyntaxError> {
    let message = "The last statement included within a function must be a return statement.";
    error(455, 16, 2, line, message.to_owned())
}

pub(crate) fn merge_needs_semicolon(line: u32) -> Box<SyntaxError> {
    error(10713, 15, 1, line, "A MERGE statement must be terminated by a semi-colon (;).".to_owned())
}

/// What the messages of changes inside of an INSERT's source speak of.
const NESTED: &str = "nested INSERT, UPDATE, DELETE, or MERGE statement";

pub(crate) fn changes_need_output(line: u32) -> Box<SyntaxError> {
    error(10716, 15, 1, line, format!("A {NESTED} must have an OUTPUT clause."))
}

pub(crate) fn not_of_changes(clause: &str, line: u32) -> Box<SyntaxError> {
    let message = format!("The {clause} clause is not allowed when the FROM clause contains a {NESTED}.");
    error(10717, 15, 1, line, message)
}

pub(crate) fn options_of_changes(line: u32) -> Box<SyntaxError> {
    error(10718, 15, 1, line, format!("Query hints are not allowed in {NESTED}s."))
}

pub(crate) fn output_into_of_changes(line: u32) -> Box<SyntaxError> {
    error(10720, 15, 1, line, format!("An OUTPUT INTO clause is not allowed in a {NESTED}."))
}

pub(crate) fn current_of_changes(line: u32) -> Box<SyntaxError> {
    error(10721, 15, 1, line, format!("The WHERE CURRENT OF clause is not allowed in a {NESTED}."))
}

pub(crate) fn distinct_of_changes(line: u32) -> Box<SyntaxError> {
    let message = format!("The DISTINCT keyword is not allowed when the FROM clause contains a {NESTED}.");
    error(10722, 15, 1, line, message)
}

pub(crate) fn join_of_changes(line: u32) -> Box<SyntaxError> {
    error(10727, 15, 1, line, format!("A {NESTED} is not allowed on either side of a JOIN or APPLY operator."))
}

pub(crate) fn pivot_of_changes(line: u32) -> Box<SyntaxError> {
    let message = format!("A {NESTED} is not allowed as the table source of a PIVOT or UNPIVOT operator.");
    error(10728, 15, 1, line, message)
}

/// A change in FROM that no INSERT takes its rows from, or one inside of another one.
pub(crate) fn nested_change_elsewhere(is_inside: bool, line: u32) -> Box<SyntaxError> {
    if is_inside {
        return error(10731, 15, 1, line, format!("A {NESTED} is not allowed inside another {NESTED}."));
    }
    let message = format!(
        "A {NESTED} is not allowed in a SELECT statement that is not the immediate source of rows for an INSERT \
         statement."
    );
    error(10729, 15, 1, line, message)
}

pub(crate) fn nested_change_in_from(line: u32) -> Box<SyntaxError> {
    let message = format!("A {NESTED} is not allowed in the FROM clause of an UPDATE or DELETE statement.");
    error(10730, 15, 1, line, message)
}

pub(crate) fn set_of_changes(line: u32) -> Box<SyntaxError> {
    let message = format!("A {NESTED} is not allowed on either side of a UNION, INTERSECT, or EXCEPT operator.");
    error(10732, 15, 1, line, message)
}

pub(crate) fn nested_change_in_using(line: u32) -> Box<SyntaxError> {
    error(10733, 15, 1, line, format!("A {NESTED} is not allowed in the USING clause of a MERGE statement."))
}

pub(crate) fn argument_needs_name(position: usize, line: u32) -> Box<SyntaxError> {
    let message = format!(
        "Must pass parameter number {position} and subsequent parameters as '@name = value'. After the form \
         '@name = value' has been used, all subsequent parameters must be passed in the form '@name = value'."
    );
    error(119, 15, 1, line, message)
}

pub(crate) fn output_of_constant(line: u32) -> Box<SyntaxError> {
    let message = "Cannot use the OUTPUT option when passing a constant to a stored procedure.";
    error(179, 15, 1, line, message.to_owned())
}

/// A wrong length, precision or scale of a type; the words are the type's.
pub(crate) fn wrong_type_argument(number: i32, severity: u8, line: u32, message: String) -> Box<SyntaxError> {
    error(number, severity, 1, line, message)
}

/// 155
pub(crate) fn not_a_join_option(word: &str, line: u32) -> Box<SyntaxError> {
    error(155, 15, 1, line, format!("'{}' is not a recognized join option.", quoted(word)))
}

/// 1072
pub(crate) fn value_is_no_literal(variable: &str, line: u32) -> Box<SyntaxError> {
    let message =
        format!("The compile-time variable value for '{variable}' in the OPTIMIZE FOR clause must be a literal.");
    error(320, 15, 1, line, message)
}

pub(crate) fn remote_outer_join(line: u32) -> Box<SyntaxError> {
    error(1072, 16, 1, line, "A REMOTE hint can only be specified with an INNER JOIN clause.".to_owned())
}

/// 195
pub(crate) fn not_an_option(word: &str, line: u32) -> Box<SyntaxError> {
    error(195, 15, 4, line, format!("'{}' is not a recognized option.", quoted(word)))
}
