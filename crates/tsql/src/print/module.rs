//! Modules, sequences, types, principals, cursors.

use std::fmt::Write;

use super::Printer;
use crate::ast::{
    CreateType, CursorChange, CursorDefinition, CursorName, DefinitionVerb, DropObjects, ExecuteAs, ExecuteContext,
    Fetch, FetchDirection, Module, ModuleBody, ModuleKind, ModuleOption, ParameterDeclaration, Permission,
    PermissionVerb, Principal, Returns, Securable, Sequence, SequenceBound, SequenceCache, TriggerHead, TriggerSwitch,
    TriggerTarget, TypeKind,
};

/// Modules.
impl Printer {
    pub(super) fn module(&mut self, module: &Module) {
        self.text(match module.verb {
            DefinitionVerb::Create => "CREATE ",
            DefinitionVerb::Alter => "ALTER ",
            DefinitionVerb::CreateOrAlter => "CREATE OR ALTER ",
        });
        self.text(match &module.kind {
            ModuleKind::View(_) => "VIEW ",
            ModuleKind::Procedure { .. } => "PROCEDURE ",
            ModuleKind::Function { .. } => "FUNCTION ",
            ModuleKind::Trigger { .. } => "TRIGGER ",
        });
        self.name(&module.name);
        match &module.kind {
            ModuleKind::View(view) => {
                if !view.columns.is_empty() {
                    self.text(" ");
                    self.idents(&view.columns);
                }
                self.module_options(&module.options);
                self.text(" AS ");
                self.query(&view.query);
                self.text(if view.check_option { " WITH CHECK OPTION" } else { "" });
            }
            ModuleKind::Procedure { number, parameters, for_replication, body } => {
                if let Some(number) = number {
                    let _ = write!(self.out, ";{number}");
                }
                if !parameters.is_empty() {
                    self.text(" ");
                    self.list(parameters, ", ", Self::parameter);
                }
                self.module_options(&module.options);
                self.text(if *for_replication { " FOR REPLICATION" } else { "" });
                self.module_body(body);
            }
            ModuleKind::Function { parameters, returns, body } => {
                self.text("(");
                self.list(parameters, ", ", Self::parameter);
                self.text(") RETURNS ");
                self.returns(returns);
                self.module_options(&module.options);
                self.module_body(body);
            }
            ModuleKind::Trigger { head, body } => {
                self.trigger_head(head, &module.options);
                self.module_body(body);
            }
        }
    }

    fn returns(&mut self, returns: &Returns) {
        match returns {
            Returns::Scalar(data_type) => self.data_type(data_type),
            Returns::Query => self.text("TABLE"),
            Returns::Table { variable, definition } => {
                let _ = write!(self.out, "{variable} TABLE ");
                self.table_definition(definition);
            }
        }
    }

    fn trigger_head(&mut self, head: &TriggerHead, options: &[ModuleOption]) {
        self.trigger_target(&head.target);
        self.module_options(options);
        let when = if head.instead_of { " INSTEAD OF" } else { " AFTER" };
        let _ = write!(self.out, "{when} {}", head.events.join(", "));
        self.text(if head.not_for_replication { " NOT FOR REPLICATION" } else { "" });
    }

    pub(super) fn trigger_target(&mut self, target: &TriggerTarget) {
        match target {
            TriggerTarget::Object(name) => {
                self.text(" ON ");
                self.name(name);
            }
            TriggerTarget::Database => self.text(" ON DATABASE"),
            TriggerTarget::Server => self.text(" ON ALL SERVER"),
        }
    }

    fn module_body(&mut self, body: &ModuleBody) {
        match body {
            ModuleBody::Statements(statements) => {
                self.text(" AS");
                self.indented(statements);
            }
            ModuleBody::Query(query) => {
                self.text(" AS RETURN ");
                self.query(query);
            }
            ModuleBody::External(name) => {
                self.text(" AS EXTERNAL NAME ");
                self.name(name);
            }
        }
    }

    pub(super) fn parameter(&mut self, parameter: &ParameterDeclaration) {
        self.text(&parameter.name);
        self.text(" ");
        self.data_type(&parameter.data_type);
        self.text(if parameter.varying { " VARYING" } else { "" });
        self.nullability(parameter.nullable);
        self.keyed_expr(" = ", parameter.default.as_ref());
        self.text(if parameter.output { " OUTPUT" } else { "" });
        self.text(if parameter.readonly { " READONLY" } else { "" });
    }

    fn module_options(&mut self, options: &[ModuleOption]) {
        if options.is_empty() {
            return;
        }
        self.text(" WITH ");
        self.list(options, ", ", |printer, option| match option {
            ModuleOption::ExecuteAs(context) => {
                printer.text("EXECUTE AS ");
                match context {
                    ExecuteContext::User(name) => printer.string(name),
                    context => printer.context(context),
                }
            }
            ModuleOption::ReturnsNullOnNullInput => printer.text("RETURNS NULL ON NULL INPUT"),
            ModuleOption::CalledOnNullInput => printer.text("CALLED ON NULL INPUT"),
            ModuleOption::Inline(on) => printer.text(if *on { "INLINE = ON" } else { "INLINE = OFF" }),
            ModuleOption::Word(word) => printer.text(word),
        });
    }

    pub(super) fn context(&mut self, context: &ExecuteContext) {
        match context {
            ExecuteContext::Caller => self.text("CALLER"),
            ExecuteContext::Creator => self.text("SELF"),
            ExecuteContext::Owner => self.text("OWNER"),
            ExecuteContext::Login(name) => {
                self.text("LOGIN = ");
                self.string(name);
            }
            ExecuteContext::User(name) => {
                self.text("USER = ");
                self.string(name);
            }
        }
    }
}

/// Objects.
impl Printer {
    pub(super) fn sequence(&mut self, sequence: &Sequence) {
        self.text(if sequence.alter { "ALTER SEQUENCE " } else { "CREATE SEQUENCE " });
        self.name(&sequence.name);
        if let Some(data_type) = &sequence.data_type {
            self.text(" AS ");
            self.data_type(data_type);
        }
        let numbers = [(" START WITH ", sequence.start), (" INCREMENT BY ", sequence.increment)];
        for (words, number) in numbers {
            if let Some(number) = number {
                let _ = write!(self.out, "{words}{number}");
            }
        }
        match sequence.restart {
            None => {}
            Some(None) => self.text(" RESTART"),
            Some(Some(number)) => {
                let _ = write!(self.out, " RESTART WITH {number}");
            }
        }
        self.sequence_bound("MINVALUE", sequence.min_value);
        self.sequence_bound("MAXVALUE", sequence.max_value);
        self.text(match sequence.cycle {
            None => "",
            Some(true) => " CYCLE",
            Some(false) => " NO CYCLE",
        });
        match sequence.cache {
            None => {}
            Some(SequenceCache::Default) => self.text(" CACHE"),
            Some(SequenceCache::None) => self.text(" NO CACHE"),
            Some(SequenceCache::Size(size)) => {
                let _ = write!(self.out, " CACHE {size}");
            }
        }
    }

    fn sequence_bound(&mut self, words: &str, bound: Option<SequenceBound>) {
        let _ = match bound {
            None => Ok(()),
            Some(SequenceBound::None) => write!(self.out, " NO {words}"),
            Some(SequenceBound::Value(value)) => write!(self.out, " {words} {value}"),
        };
    }

    pub(super) fn create_type(&mut self, create: &CreateType) {
        self.text("CREATE TYPE ");
        self.name(&create.name);
        match &create.kind {
            TypeKind::Alias { data_type, nullable } => {
                self.text(" FROM ");
                self.data_type(data_type);
                self.nullability(*nullable);
            }
            TypeKind::Table(definition) => {
                self.text(" AS TABLE ");
                self.table_definition(definition);
            }
        }
    }

    pub(super) fn drop_objects(&mut self, drop: &DropObjects) {
        let _ = write!(self.out, "DROP {} ", drop.kind.words());
        self.text(if drop.if_exists { "IF EXISTS " } else { "" });
        self.list(&drop.names, ", ", Self::name);
        if let Some(target) = &drop.on {
            self.trigger_target(target);
        }
    }

    pub(super) fn trigger_switch(&mut self, switch: &TriggerSwitch) {
        self.text(if switch.enable { "ENABLE TRIGGER " } else { "DISABLE TRIGGER " });
        match &switch.triggers {
            None => self.text("ALL"),
            Some(names) => self.list(names, ", ", Self::name),
        }
        self.trigger_target(&switch.target);
    }
}

/// Principals.
impl Printer {
    pub(super) fn principal(&mut self, principal: &Principal) {
        let verb = if principal.alter { "ALTER" } else { "CREATE" };
        self.worded(&format!("{verb} {}", principal.kind.words()), &principal.name);
        if !principal.clauses.is_empty() {
            let _ = write!(self.out, " {}", principal.clauses);
        }
    }

    pub(super) fn permission(&mut self, permission: &Permission) {
        let revoke = permission.verb == PermissionVerb::Revoke;
        self.text(permission.verb.word());
        self.text(if revoke && permission.grant_option { " GRANT OPTION FOR " } else { " " });
        self.list(&permission.permissions, ", ", |printer, item| {
            printer.text(&item.words);
            if !item.columns.is_empty() {
                printer.text(" ");
                printer.idents(&item.columns);
            }
        });
        if let Some(securable) = &permission.securable {
            self.text(" ON ");
            self.securable(securable);
        }
        self.text(if revoke { " FROM " } else { " TO " });
        self.list(&permission.principals, ", ", |printer, name| printer.ident(name));
        self.text(if !revoke && permission.grant_option { " WITH GRANT OPTION" } else { "" });
        self.text(if permission.cascade { " CASCADE" } else { "" });
        if let Some(grantor) = &permission.grantor {
            self.worded(" AS", grantor);
        }
    }

    fn securable(&mut self, securable: &Securable) {
        self.class(securable.class.as_deref());
        self.name(&securable.name);
        if !securable.columns.is_empty() {
            self.text(" ");
            self.idents(&securable.columns);
        }
    }

    pub(super) fn class(&mut self, class: Option<&str>) {
        if let Some(class) = class {
            let _ = write!(self.out, "{class}::");
        }
    }

    pub(super) fn execute_as(&mut self, execute: &ExecuteAs) {
        self.text("EXECUTE AS ");
        self.context(&execute.context);
        self.text(if execute.no_revert { " WITH NO REVERT" } else { "" });
        if let Some(cookie) = &execute.cookie {
            let _ = write!(self.out, " WITH COOKIE INTO {cookie}");
        }
    }
}

/// Cursors.
impl Printer {
    pub(super) fn cursor_definition(&mut self, cursor: &CursorDefinition) {
        self.text("CURSOR");
        for option in &cursor.options {
            let _ = write!(self.out, " {option}");
        }
        self.text(" FOR ");
        self.query(&cursor.query);
        match &cursor.change {
            None => {}
            Some(CursorChange::ReadOnly) => self.text(" FOR READ ONLY"),
            Some(CursorChange::Update(columns)) => {
                self.text(" FOR UPDATE");
                if !columns.is_empty() {
                    self.text(" OF ");
                    self.list(columns, ", ", Self::name);
                }
            }
        }
    }

    pub(super) fn cursor_name(&mut self, words: &str, cursor: &CursorName) {
        self.text(words);
        self.text(if cursor.global { " GLOBAL " } else { " " });
        self.ident_or_variable(&cursor.name);
    }

    pub(super) fn fetch(&mut self, fetch: &Fetch) {
        self.text("FETCH");
        match &fetch.direction {
            FetchDirection::Next => self.text(" NEXT"),
            FetchDirection::Prior => self.text(" PRIOR"),
            FetchDirection::First => self.text(" FIRST"),
            FetchDirection::Last => self.text(" LAST"),
            FetchDirection::Absolute(row) => self.keyed_expr(" ABSOLUTE ", Some(row)),
            FetchDirection::Relative(row) => self.keyed_expr(" RELATIVE ", Some(row)),
        }
        self.cursor_name(" FROM", &fetch.cursor);
        if !fetch.into.is_empty() {
            let _ = write!(self.out, " INTO {}", fetch.into.join(", "));
        }
    }
}
