//! Modules, sequences, types, principals, cursors.

use std::fmt::Write;

use crate::ast::{
    BoundBody, CreateBound, CreateType, CursorChange, CursorDefinition, CursorName, DefinitionVerb, DropObjects,
    ExecuteAs, ExecuteContext, Fetch, FetchDirection, Module, ModuleBody, ModuleKind, ModuleOption,
    ParameterDeclaration, Permission, PermissionVerb, Principal, Returns, Securable, Sequence, SequenceBound,
    SequenceCache, TriggerHead, TriggerSwitch, TriggerTarget, TypeKind,
};
use crate::print::{Printer, definition, expression};

// Modules.

pub(super) fn module(printer: &mut Printer, module: &Module) {
    printer.text(match module.verb {
        DefinitionVerb::Create => "CREATE ",
        DefinitionVerb::Alter => "ALTER ",
        DefinitionVerb::CreateOrAlter => "CREATE OR ALTER ",
    });
    printer.text(match &module.kind {
        ModuleKind::View(_) => "VIEW ",
        ModuleKind::Procedure { .. } => "PROCEDURE ",
        ModuleKind::Function { .. } => "FUNCTION ",
        ModuleKind::Trigger { .. } => "TRIGGER ",
    });
    printer.name(&module.name);
    match &module.kind {
        ModuleKind::View(view) => {
            if !view.columns.is_empty() {
                printer.text(" ");
                printer.idents(&view.columns);
            }
            module_options(printer, &module.options);
            printer.text(" AS ");
            printer.query(&view.query);
            printer.text(if view.check_option { " WITH CHECK OPTION" } else { "" });
        }
        ModuleKind::Procedure { number, parameters, for_replication, body } => {
            if let Some(number) = number {
                let _ = write!(printer.out, ";{number}");
            }
            if !parameters.is_empty() {
                printer.text(" ");
                printer.list(parameters, ", ", parameter);
            }
            module_options(printer, &module.options);
            printer.text(if *for_replication { " FOR REPLICATION" } else { "" });
            module_body(printer, body);
        }
        ModuleKind::Function { parameters, returns, body } => {
            printer.text("(");
            printer.list(parameters, ", ", parameter);
            printer.text(") RETURNS ");
            returns_clause(printer, returns);
            module_options(printer, &module.options);
            module_body(printer, body);
        }
        ModuleKind::Trigger { head, body } => {
            trigger_head(printer, head, &module.options);
            module_body(printer, body);
        }
    }
}

fn returns_clause(printer: &mut Printer, returns: &Returns) {
    match returns {
        Returns::Scalar(data_type) => definition::type_name(printer, data_type),
        Returns::Query => printer.text("TABLE"),
        Returns::Table { variable, definition } => {
            let _ = write!(printer.out, "{variable} TABLE ");
            definition::table_definition(printer, definition);
        }
    }
}

fn trigger_head(printer: &mut Printer, head: &TriggerHead, options: &[ModuleOption]) {
    trigger_target(printer, &head.target);
    module_options(printer, options);
    let when = if head.instead_of { " INSTEAD OF" } else { " AFTER" };
    let _ = write!(printer.out, "{when} {}", head.events.join(", "));
    printer.text(if head.not_for_replication { " NOT FOR REPLICATION" } else { "" });
}

fn trigger_target(printer: &mut Printer, target: &TriggerTarget) {
    match target {
        TriggerTarget::Object(name) => {
            printer.text(" ON ");
            printer.name(name);
        }
        TriggerTarget::Database => printer.text(" ON DATABASE"),
        TriggerTarget::Server => printer.text(" ON ALL SERVER"),
    }
}

fn module_body(printer: &mut Printer, body: &ModuleBody) {
    match body {
        ModuleBody::Statements(statements) => {
            printer.text(" AS");
            printer.indented(statements);
        }
        ModuleBody::Query(query) => {
            printer.text(" AS RETURN ");
            printer.query(query);
        }
        ModuleBody::External(name) => {
            printer.text(" AS EXTERNAL NAME ");
            printer.name(name);
        }
    }
}

fn parameter(printer: &mut Printer, parameter: &ParameterDeclaration) {
    printer.text(&parameter.name);
    printer.text(" ");
    definition::type_name(printer, &parameter.data_type);
    printer.text(if parameter.varying { " VARYING" } else { "" });
    definition::nullability(printer, parameter.nullable);
    printer.keyed_expr(" = ", parameter.default.as_ref());
    printer.text(if parameter.output { " OUTPUT" } else { "" });
    printer.text(if parameter.readonly { " READONLY" } else { "" });
}

fn module_options(printer: &mut Printer, options: &[ModuleOption]) {
    if options.is_empty() {
        return;
    }
    printer.text(" WITH ");
    printer.list(options, ", ", |printer, option| match option {
        ModuleOption::ExecuteAs(context) => {
            printer.text("EXECUTE AS ");
            match context {
                ExecuteContext::User(name) => printer.string(name),
                context => execution_context(printer, context),
            }
        }
        ModuleOption::ReturnsNullOnNullInput => printer.text("RETURNS NULL ON NULL INPUT"),
        ModuleOption::CalledOnNullInput => printer.text("CALLED ON NULL INPUT"),
        ModuleOption::Inline(on) => printer.text(if *on { "INLINE = ON" } else { "INLINE = OFF" }),
        ModuleOption::Word(word) => printer.text(word),
    });
}

pub(super) fn execution_context(printer: &mut Printer, context: &ExecuteContext) {
    match context {
        ExecuteContext::Caller => printer.text("CALLER"),
        ExecuteContext::Creator => printer.text("SELF"),
        ExecuteContext::Owner => printer.text("OWNER"),
        ExecuteContext::Login(name) => {
            printer.text("LOGIN = ");
            printer.string(name);
        }
        ExecuteContext::User(name) => {
            printer.text("USER = ");
            printer.string(name);
        }
    }
}

// Objects.

pub(super) fn sequence(printer: &mut Printer, sequence: &Sequence) {
    printer.text(if sequence.alter { "ALTER SEQUENCE " } else { "CREATE SEQUENCE " });
    printer.name(&sequence.name);
    if let Some(data_type) = &sequence.data_type {
        printer.text(" AS ");
        definition::type_name(printer, data_type);
    }
    let numbers = [(" START WITH ", sequence.start), (" INCREMENT BY ", sequence.increment)];
    for (words, number) in numbers {
        if let Some(number) = number {
            let _ = write!(printer.out, "{words}{number}");
        }
    }
    match sequence.restart {
        None => {}
        Some(None) => printer.text(" RESTART"),
        Some(Some(number)) => {
            let _ = write!(printer.out, " RESTART WITH {number}");
        }
    }
    sequence_bound(printer, "MINVALUE", sequence.min_value);
    sequence_bound(printer, "MAXVALUE", sequence.max_value);
    printer.text(match sequence.cycle {
        None => "",
        Some(true) => " CYCLE",
        Some(false) => " NO CYCLE",
    });
    match sequence.cache {
        None => {}
        Some(SequenceCache::Default) => printer.text(" CACHE"),
        Some(SequenceCache::None) => printer.text(" NO CACHE"),
        Some(SequenceCache::Size(size)) => {
            let _ = write!(printer.out, " CACHE {size}");
        }
    }
}

fn sequence_bound(printer: &mut Printer, words: &str, bound: Option<SequenceBound>) {
    let _ = match bound {
        None => Ok(()),
        Some(SequenceBound::None) => write!(printer.out, " NO {words}"),
        Some(SequenceBound::Value(value)) => write!(printer.out, " {words} {value}"),
    };
}

pub(super) fn create_type(printer: &mut Printer, create: &CreateType) {
    printer.text("CREATE TYPE ");
    printer.name(&create.name);
    match &create.kind {
        TypeKind::Alias { data_type, nullable } => {
            printer.text(" FROM ");
            definition::type_name(printer, data_type);
            definition::nullability(printer, *nullable);
        }
        TypeKind::Table(definition) => {
            printer.text(" AS TABLE ");
            definition::table_definition(printer, definition);
        }
    }
}

pub(super) fn create_bound(printer: &mut Printer, create: &CreateBound) {
    let (words, body) = match &create.body {
        BoundBody::Default(value) => ("CREATE DEFAULT ", value),
        BoundBody::Rule { condition, .. } => ("CREATE RULE ", condition),
    };
    printer.text(words);
    printer.name(&create.name);
    printer.text(" AS ");
    expression::expr(printer, body);
}

pub(super) fn drop_objects(printer: &mut Printer, drop: &DropObjects) {
    let _ = write!(printer.out, "DROP {} ", drop.kind.words());
    printer.text(if drop.if_exists { "IF EXISTS " } else { "" });
    printer.list(&drop.names, ", ", Printer::name);
    if let Some(target) = &drop.on {
        trigger_target(printer, target);
    }
}

pub(super) fn trigger_switch(printer: &mut Printer, switch: &TriggerSwitch) {
    printer.text(if switch.enable { "ENABLE TRIGGER " } else { "DISABLE TRIGGER " });
    match &switch.triggers {
        None => printer.text("ALL"),
        Some(names) => printer.list(names, ", ", Printer::name),
    }
    trigger_target(printer, &switch.target);
}

// Principals.

pub(super) fn principal(printer: &mut Printer, principal: &Principal) {
    let verb = if principal.alter { "ALTER" } else { "CREATE" };
    printer.worded(&format!("{verb} {}", principal.kind.words()), &principal.name);
    if !principal.clauses.is_empty() {
        let _ = write!(printer.out, " {}", principal.clauses);
    }
}

pub(super) fn permission(printer: &mut Printer, permission: &Permission) {
    let revoke = permission.verb == PermissionVerb::Revoke;
    printer.text(permission.verb.word());
    printer.text(if revoke && permission.grant_option { " GRANT OPTION FOR " } else { " " });
    printer.list(&permission.permissions, ", ", |printer, item| {
        printer.text(&item.words);
        if !item.columns.is_empty() {
            printer.text(" ");
            printer.idents(&item.columns);
        }
    });
    if let Some(securable) = &permission.securable {
        printer.text(" ON ");
        securable_name(printer, securable);
    }
    printer.text(if revoke { " FROM " } else { " TO " });
    printer.list(&permission.principals, ", ", |printer, name| printer.ident(name));
    printer.text(if !revoke && permission.grant_option { " WITH GRANT OPTION" } else { "" });
    printer.text(if permission.cascade { " CASCADE" } else { "" });
    if let Some(grantor) = &permission.grantor {
        printer.worded(" AS", grantor);
    }
}

fn securable_name(printer: &mut Printer, securable: &Securable) {
    class(printer, securable.class.as_deref());
    printer.name(&securable.name);
    if !securable.columns.is_empty() {
        printer.text(" ");
        printer.idents(&securable.columns);
    }
}

pub(super) fn class(printer: &mut Printer, class: Option<&str>) {
    if let Some(class) = class {
        let _ = write!(printer.out, "{class}::");
    }
}

pub(super) fn execute_as(printer: &mut Printer, execute: &ExecuteAs) {
    printer.text("EXECUTE AS ");
    execution_context(printer, &execute.context);
    printer.text(if execute.no_revert { " WITH NO REVERT" } else { "" });
    if let Some(cookie) = &execute.cookie {
        let _ = write!(printer.out, " WITH COOKIE INTO {cookie}");
    }
}

// Cursors.

pub(super) fn cursor_definition(printer: &mut Printer, cursor: &CursorDefinition) {
    printer.text("CURSOR");
    for option in &cursor.options {
        let _ = write!(printer.out, " {option}");
    }
    printer.text(" FOR ");
    printer.query(&cursor.query);
    match &cursor.change {
        None => {}
        Some(CursorChange::ReadOnly) => printer.text(" FOR READ ONLY"),
        Some(CursorChange::Update(columns)) => {
            printer.text(" FOR UPDATE");
            if !columns.is_empty() {
                printer.text(" OF ");
                printer.list(columns, ", ", Printer::name);
            }
        }
    }
}

pub(super) fn cursor_name(printer: &mut Printer, words: &str, cursor: &CursorName) {
    printer.text(words);
    printer.text(if cursor.global { " GLOBAL " } else { " " });
    printer.ident_or_variable(&cursor.name);
}

pub(super) fn fetch(printer: &mut Printer, fetch: &Fetch) {
    printer.text("FETCH");
    match &fetch.direction {
        FetchDirection::Next => printer.text(" NEXT"),
        FetchDirection::Prior => printer.text(" PRIOR"),
        FetchDirection::First => printer.text(" FIRST"),
        FetchDirection::Last => printer.text(" LAST"),
        FetchDirection::Absolute(row) => printer.keyed_expr(" ABSOLUTE ", Some(row)),
        FetchDirection::Relative(row) => printer.keyed_expr(" RELATIVE ", Some(row)),
    }
    cursor_name(printer, " FROM", &fetch.cursor);
    if !fetch.into.is_empty() {
        let _ = write!(printer.out, " INTO {}", fetch.into.join(", "));
    }
}
