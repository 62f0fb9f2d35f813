//! What GRANT and ALTER AUTHORIZATION name that is no object.

use millpond_catalog::security::{Of, Securable};
use millpond_engine::settled;
use millpond_message::error::SqlResult;
use millpond_tsql::ast::ObjectName;

use crate::Work;
use crate::{InDatabase, cannot};

/// A class as messages name it.
pub(super) fn kind_words(of: Of) -> &'static str {
    match of {
        Of::Schema => "schema",
        Of::Type => "type",
        Of::User => "user",
        Of::Role => "role",
        Of::ApplicationRole => "application role",
        Of::Database => "database",
        _ => "object",
    }
}

/// A schema, type, principal or the database, by its name.
///
/// # Errors
/// 15151
pub(super) fn find_securable(work: &Work<'_>, at: &InDatabase, of: Of, name: &ObjectName) -> SqlResult<Securable> {
    let last = name.last();
    let none = || cannot("find", kind_words(of), last);
    let major = match of {
        Of::Database => {
            return match work.ctx.engine.database_id(last) {
                Some(id) if id == work.ctx.facts.database => Ok(Securable::DATABASE),
                _ => Err(none()),
            };
        }
        Of::Schema => at.objects().schema(last).ok_or_else(none)?.id.0,
        Of::Type => {
            let schema = at.objects().schema(settled::part(name, 1).unwrap_or("dbo"));
            schema.and_then(|schema| at.objects().user_type(schema.id, last)).ok_or_else(none)?.id
        }
        Of::User | Of::Role | Of::ApplicationRole => {
            let found = at.security().named(last);
            found.filter(|one| one.kind.class() == of).ok_or_else(none)?.id.0
        }
        _ => return Err(none()),
    };
    Ok(Securable::new(of, major))
}
