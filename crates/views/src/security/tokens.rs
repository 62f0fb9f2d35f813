//! `sys.login_token` and `sys.user_token`: who the session is, with its roles.
//!
//! What always holds: a user alone (EXECUTE AS USER) has no rights on the server; what its login is there counts for DENY only.

use std::collections::BTreeSet;

use millpond_catalog::Within;
use millpond_catalog::security::{PrincipalId, ServerToken, UserKind};
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;

use super::{SeenInDatabase, SeenOnServer};
use crate::columns::{NVarChar, VarBinary, bytes, text};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of both views.
    struct LoginToken {
        principal_id: Option<i32>,
        sid: Option<VarBinary<85>>,
        name: Option<NVarChar<128>>,
        r#type: Option<NVarChar<128>>,
        usage: Option<NVarChar<128>>,
    }
}

/// `sys.login_token`
pub static LOGIN_TOKEN: ViewDef = view("sys", "login_token", &ViewRows(login_token));

/// `sys.user_token`
pub static USER_TOKEN: ViewDef = view("sys", "user_token", &ViewRows(user_token));

const GRANT_OR_DENY: &str = "GRANT OR DENY";

/// Itself before its roles.
fn itself_first(own: Option<PrincipalId>, all: &BTreeSet<PrincipalId>) -> impl Iterator<Item = PrincipalId> {
    own.into_iter().chain(all.iter().copied().filter(move |id| Some(*id) != own))
}

fn login_token(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<LoginToken>> {
    let seen = SeenOnServer::of(ctx)?;
    let (token, usage) = match seen.token.clone() {
        Some(token) => (Some(token), GRANT_OR_DENY),
        None => {
            let login = seen.server.of_sid(&ctx.facts.security.sid);
            (login.map(|login| ServerToken::new(&seen.server, login.id)), "DENY ONLY")
        }
    };
    let public_alone = BTreeSet::from([PrincipalId::SERVER_PUBLIC]);
    let (own, all) = token.as_ref().map_or((None, &public_alone), |token| (Some(token.login), &token.identities));
    let rows = itself_first(own, all).filter_map(|id| seen.server.principal(id)).map(|principal| LoginToken {
        principal_id: Some(principal.id.0),
        sid: Some(bytes(&principal.sid)),
        name: Some(text(&principal.name)),
        r#type: Some(text(if principal.is_role { "SERVER ROLE" } else { "SQL LOGIN" })),
        usage: Some(text(usage)),
    });
    Ok(rows.collect())
}

fn user_token(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<LoginToken>> {
    let Some(seen) = SeenInDatabase::of(ctx, database.database)? else { return Ok(Rows::new()) };
    let token = &seen.0.token;
    let all = itself_first(Some(token.user), &token.identities);
    let rows = all.filter_map(|id| seen.security().principal(id)).map(|principal| LoginToken {
        principal_id: Some(principal.id.0),
        sid: principal.sid.as_deref().map(bytes),
        name: Some(text(&principal.name)),
        r#type: Some(text(match principal.kind {
            UserKind::User => "SQL USER",
            UserKind::Role => "ROLE",
            UserKind::ApplicationRole => "APPLICATION ROLE",
        })),
        usage: Some(text(GRANT_OR_DENY)),
    });
    Ok(rows.collect())
}
