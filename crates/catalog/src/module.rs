//! Modules: views, procedures, functions and triggers, which are their text.

use std::sync::Arc;

use millpond_storage::contract::DbId;
use millpond_types::SqlType;

use crate::schema::{ObjectId, Schema};
use crate::security::PrincipalId;

/// Kinds of modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModuleKind {
    /// `V`
    View,
    /// `P`
    Procedure,
    /// `FN`
    ScalarFunction,
    /// `IF`: a table-valued function of one RETURN (SELECT …)
    InlineFunction,
    /// `TF`
    TableFunction,
    /// `TR`
    Trigger,
    /// `D`: a default that is bound to columns and types.
    Default,
    /// `R`: a rule that is bound to columns and types.
    Rule,
}

impl ModuleKind {
    /// `sys.objects.type`, without blanks.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            ModuleKind::View => "V",
            ModuleKind::Procedure => "P",
            ModuleKind::ScalarFunction => "FN",
            ModuleKind::InlineFunction => "IF",
            ModuleKind::TableFunction => "TF",
            ModuleKind::Trigger => "TR",
            ModuleKind::Default => "D",
            ModuleKind::Rule => "R",
        }
    }

    /// The kind of a code.
    #[must_use]
    pub fn of_code(code: &str) -> Option<ModuleKind> {
        use ModuleKind as K;
        [K::View, K::Procedure, K::ScalarFunction, K::InlineFunction, K::TableFunction, K::Trigger, K::Default, K::Rule]
            .into_iter()
            .find(|kind| kind.code() == code)
    }
}

/// A parameter of a module, as `sys.parameters` shows it. What it means is read from the text.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterDef {
    /// With its `@`; empty for a function's result.
    pub name: String,
    /// Type; `None` for a table type.
    pub sql: Option<SqlType>,
    /// OUTPUT
    pub output: bool,
    /// It has a default.
    pub has_default: bool,
}

/// Where a trigger stands among those of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FiringPlace {
    /// Before all others.
    First,
    /// After all others.
    Last,
}

/// A module: an object that is its text.
#[derive(Clone, Debug)]
pub struct ModuleDef {
    /// Number.
    pub id: ObjectId,
    /// Schema.
    pub schema: Schema,
    /// Name.
    pub name: String,
    /// Kind.
    pub kind: ModuleKind,
    /// The whole CREATE statement as it was sent.
    pub text: Arc<str>,
    /// Names of the columns that a view or inline function was made or last refreshed with; none of one of an old file, and of
    /// other modules.
    pub columns: Arc<[String]>,
    /// The table of a trigger, whatever its name is now; 0 for other modules.
    pub parent: ObjectId,
    /// Events that a trigger fires first or last for, as `sp_settriggerorder` has said; each once, in upper case.
    pub order: Arc<[(String, FiringPlace)]>,
    /// The statement was parsed with QUOTED_IDENTIFIER ON.
    pub quoted_identifier: bool,
    /// ANSI_NULLS when it was made.
    pub ansi_nulls: bool,
    /// A trigger that is switched off.
    pub is_disabled: bool,
    /// Marked as one of the system's own: a procedure `sp_…` of master sees the names of the database that it runs in.
    pub is_system: bool,
    /// The user that EXECUTE AS names, by its name or as SELF: who made the module or altered it last. None of a module of an
    /// old file.
    pub runs_as: Option<PrincipalId>,
    /// Created, local time, microseconds since 1970.
    pub created_us: i64,
    /// Last altered, likewise.
    pub modified_us: i64,
}

impl ModuleDef {
    /// Where a trigger stands among those of an event; none of one that fires in between.
    #[must_use]
    pub fn place_in_order(&self, event: &str) -> Option<FiringPlace> {
        self.order.iter().find(|(known, _)| known == event).map(|(_, place)| *place)
    }

    /// Triggers of an event fire in the order of this, and those with the same in the order in which they were made.
    #[must_use]
    pub fn rank_in_order(&self, event: &str) -> u8 {
        match self.place_in_order(event) {
            Some(FiringPlace::First) => 0,
            None => 1,
            Some(FiringPlace::Last) => 2,
        }
    }

    /// Whether the text has the word SCHEMABINDING, as an option or in any other place.
    #[must_use]
    pub fn may_be_bound(&self) -> bool {
        const WORD: &[u8] = b"schemabinding";
        self.text.as_bytes().windows(WORD.len()).any(|part| part.eq_ignore_ascii_case(WORD))
    }
}

/// A definition that bound code was made from: when another has taken its place, the code is made anew.
pub type UsedModule = (DbId, Arc<ModuleDef>);
