//! Objects that are no tables: schemas, modules with their text, types, sequences, synonyms.

use std::sync::Arc;

use millpond_tsql::ast::ObjectName;
use millpond_types::SqlType;
use parking_lot::Mutex;

use super::table::{ObjectId, TableDef};

/// Number of a schema in its database: 1 dbo, 2 guest, 3 INFORMATION_SCHEMA, 4 sys, others from 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaId(pub i32);

impl SchemaId {
    /// The default schema of every user.
    pub const DBO: SchemaId = SchemaId(1);
}

/// A schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// Number.
    pub id: SchemaId,
    /// Name.
    pub name: Arc<str>,
}

impl Schema {
    /// The default schema.
    #[must_use]
    pub fn dbo() -> Schema {
        Schema { id: SchemaId::DBO, name: Arc::from("dbo") }
    }
}

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
        }
    }

    /// The kind of a code.
    #[must_use]
    pub fn of_code(code: &str) -> Option<ModuleKind> {
        use ModuleKind as K;
        [K::View, K::Procedure, K::ScalarFunction, K::InlineFunction, K::TableFunction, K::Trigger]
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
    /// The statement was parsed with QUOTED_IDENTIFIER ON.
    pub quoted_identifier: bool,
    /// ANSI_NULLS when it was made.
    pub ansi_nulls: bool,
    /// A trigger that is switched off.
    pub is_disabled: bool,
    /// Marked as one of the system's own: a procedure `sp_…` of master sees the names of the database that it runs in.
    pub is_system: bool,
    /// Created, local time, microseconds since 1970.
    pub created_us: i64,
    /// Last altered, likewise.
    pub modified_us: i64,
}

impl ModuleDef {
    /// Whether the text has the word SCHEMABINDING, as an option or in any other place.
    #[must_use]
    pub fn may_be_bound(&self) -> bool {
        const WORD: &[u8] = b"schemabinding";
        self.text.as_bytes().windows(WORD.len()).any(|part| part.eq_ignore_ascii_case(WORD))
    }
}

/// A sequence.
#[derive(Clone, Debug)]
pub struct SequenceDef {
    /// Number.
    pub id: ObjectId,
    /// Schema.
    pub schema: Schema,
    /// Name.
    pub name: String,
    /// Type of its values: an integer type or decimal(p, 0).
    pub sql: SqlType,
    /// START WITH
    pub start: i64,
    /// INCREMENT BY, not 0
    pub increment: i64,
    /// MINVALUE
    pub min: i64,
    /// MAXVALUE
    pub max: i64,
    /// CYCLE
    pub cycle: bool,
    /// CACHE; 0 = NO CACHE
    pub cache: u32,
    /// Under which number the durable mark is kept: its own, or after ALTER a negative one that nobody else has.
    pub counter: ObjectId,
    /// What was given.
    pub state: Arc<Mutex<SequenceState>>,
}

/// The numbers of a sequence as far as they were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequenceState {
    /// The number that comes first; none was given since the definition was made.
    pub first: i64,
    /// The last number given.
    pub last: Option<i64>,
    /// The mark: numbers up to it are reserved.
    pub reserved: Option<i64>,
}

impl SequenceDef {
    /// The number behind `last`, and whether the sequence begins again with it; `None` behind the end.
    #[must_use]
    pub fn after(&self, last: Option<i64>, first: i64) -> Option<(i64, bool)> {
        let Some(last) = last else { return Some((first, false)) };
        match last.checked_add(self.increment).filter(|next| (self.min..=self.max).contains(next)) {
            Some(next) => Some((next, false)),
            None if self.cycle => Some((if self.increment > 0 { self.min } else { self.max }, true)),
            None => None,
        }
    }

    /// Whether a mark covers a number.
    #[must_use]
    pub fn reaches(&self, mark: i64, number: i64) -> bool {
        if self.increment > 0 { number <= mark } else { number >= mark }
    }

    /// Numbers that follow `number` before the sequence ends or begins again.
    #[must_use]
    pub fn steps_left(&self, number: i64) -> u64 {
        let room = if self.increment > 0 { self.max.abs_diff(number) } else { number.abs_diff(self.min) };
        room / self.increment.unsigned_abs()
    }

    /// The last number of the block that is reserved with `number`.
    #[must_use]
    pub fn block_end(&self, number: i64) -> i64 {
        let steps = u64::from(self.cache.saturating_sub(1)).min(self.steps_left(number));
        let steps = i64::try_from(steps).expect("a cache is below 2^32");
        number + self.increment * steps
    }

    /// The number that was given last, else the one that comes first.
    #[must_use]
    pub fn current(&self) -> i64 {
        let state = self.state.lock();
        state.last.unwrap_or(state.first)
    }

    /// Whether no number is left.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        let state = self.state.lock();
        self.after(state.last, state.first).is_none()
    }
}

/// A type that the user made.
#[derive(Debug)]
pub struct UserTypeDef {
    /// `sys.types.user_type_id`, from 257.
    pub id: i32,
    /// Schema.
    pub schema: Schema,
    /// Name.
    pub name: String,
    /// What it is.
    pub form: UserTypeForm,
}

/// Forms of user types.
#[derive(Debug)]
pub enum UserTypeForm {
    /// `CREATE TYPE t FROM base [NULL | NOT NULL]`
    Alias {
        /// Base type.
        sql: SqlType,
        /// Nullability of a column that says nothing.
        nullable: bool,
    },
    /// `CREATE TYPE t AS TABLE (…)`
    Table {
        /// Definition; its name is the type's.
        def: Arc<TableDef>,
        /// MEMORY_OPTIMIZED = ON
        memory_optimized: bool,
    },
}

/// A synonym.
#[derive(Debug)]
pub struct SynonymDef {
    /// Number.
    pub id: ObjectId,
    /// Schema.
    pub schema: Schema,
    /// Name.
    pub name: String,
    /// What it stands for.
    pub base: ObjectName,
}
