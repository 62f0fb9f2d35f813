//! SET options that count when a text is parsed, wherever they stand in it: PARSEONLY, QUOTED_IDENTIFIER.

use millpond_tsql::ast::{SetOption, SetValue, Statement, StatementKind};

/// What a text sets when it is parsed: the last that it says of each, outside of modules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParseTime {
    /// PARSEONLY
    pub parse_only: Option<bool>,
    /// QUOTED_IDENTIFIER, also by ANSI_DEFAULTS
    pub quoted_identifier: Option<bool>,
}

impl ParseTime {
    /// What these statements set.
    pub(crate) fn of(statements: &[Statement]) -> ParseTime {
        let mut found = ParseTime::default();
        found.look(statements);
        found
    }

    fn look(&mut self, statements: &[Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::SetOption(option) => {
                    let on = Some(matches!(option.value, SetValue::On));
                    if sets(option, "PARSEONLY") {
                        self.parse_only = on;
                    }
                    if sets(option, "QUOTED_IDENTIFIER") || sets(option, "ANSI_DEFAULTS") {
                        self.quoted_identifier = on;
                    }
                }
                StatementKind::Block(statements) => self.look(statements),
                StatementKind::If { then, otherwise, .. } => {
                    self.look(std::slice::from_ref(then));
                    self.look(otherwise.as_deref().map_or(&[][..], std::slice::from_ref));
                }
                StatementKind::While { body, .. } => self.look(std::slice::from_ref(body)),
                StatementKind::TryCatch { body, handler } => {
                    self.look(body);
                    self.look(handler);
                }
                _ => {}
            }
        }
    }
}

/// Whether a SET is of that option.
pub fn sets(option: &SetOption, name: &str) -> bool {
    option.names.iter().any(|known| known == name)
}
