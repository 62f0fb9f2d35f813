//! What a session sees of the definitions of databases.
//!
//! What always holds: what is seen is of the state of definitions and of security that is there now; it is made anew when either is
//! another, or the session acts as another principal.

use std::sync::Arc;

use millpond_storage::contract::DbId;
use parking_lot::Mutex;

use crate::database::DatabaseObjects;
use crate::name::is_global_temporary;
use crate::schema::ObjectId;
use crate::security::{Containers, DatabaseToken, Of, Rights, Securable, SecurityContext, ServerSecurity};

/// Databases of which is kept what is seen.
const KEPT_MAX: usize = 16;

/// What was seen, and of which states.
struct Seen {
    database: DbId,
    context: Arc<SecurityContext>,
    server: Arc<ServerSecurity>,
    all: Arc<DatabaseObjects>,
    objects: Arc<DatabaseObjects>,
}

/// What a session has seen last.
#[derive(Default)]
pub struct VisibleObjects(Mutex<Vec<Seen>>);

impl VisibleObjects {
    /// The definitions of a database that a context may see.
    #[must_use]
    pub fn of(
        &self,
        (context, token): (&Arc<SecurityContext>, &DatabaseToken),
        database: DbId,
        server: &Arc<ServerSecurity>,
        all: &Arc<DatabaseObjects>,
    ) -> Arc<DatabaseObjects> {
        if token.is_dbo() {
            return Arc::clone(all);
        }
        let mut kept = self.0.lock();
        let is_now = |seen: &Seen| {
            seen.database == database
                && Arc::ptr_eq(&seen.context, context)
                && Arc::ptr_eq(&seen.server, server)
                && Arc::ptr_eq(&seen.all, all)
        };
        if let Some(seen) = kept.iter().find(|seen| is_now(seen)) {
            return Arc::clone(&seen.objects);
        }
        let containers: &dyn Containers = &**all;
        let rights = Rights { server, security: all.security(), objects: Some(containers), token };
        let mut objects = DatabaseObjects::clone(all);
        let is_open = |on: Securable| {
            database == DbId::TEMPDB
                && on.of == Of::Object
                && all.get(ObjectId(on.major)).is_some_and(|object| is_global_temporary(object.name()))
        };
        objects.retain(&|on| rights.may_see(on) || is_open(on));
        let objects = Arc::new(objects);
        kept.retain(|seen| seen.database != database);
        if kept.len() == KEPT_MAX {
            kept.remove(0);
        }
        let (context, server, all) = (Arc::clone(context), Arc::clone(server), Arc::clone(all));
        kept.push(Seen { database, context, server, all, objects: Arc::clone(&objects) });
        objects
    }
}
