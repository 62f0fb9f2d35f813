//! `sys.dm_tcp_listener_states`: where the server takes connections. An engine that is embedded listens nowhere.

use millpond_catalog::system_view::ViewDef;
use millpond_engine::signal::listeners::Listener;
use millpond_types::DateTime;

use crate::columns::{NVarChar, datetime_of, int, text};
use crate::row::{ViewRows, row, view};

row! {
    /// A row of `sys.dm_tcp_listener_states`.
    struct DmTcpListenerStates {
        listener_id: i32,
        ip_address: NVarChar<48>,
        is_ipv4: bool,
        port: i32,
        r#type: u8,
        type_desc: NVarChar<20>,
        state: u8,
        state_desc: NVarChar<16>,
        start_time: DateTime,
    }
}

/// `sys.dm_tcp_listener_states`
pub static DM_TCP_LISTENER_STATES: ViewDef = view(
    "sys",
    "dm_tcp_listener_states",
    &ViewRows(|ctx, _| {
        let row = |(listener, id): (Listener, i32)| DmTcpListenerStates {
            listener_id: id,
            ip_address: text(&listener.address.ip().to_string()),
            is_ipv4: listener.address.is_ipv4(),
            port: int(listener.address.port()),
            r#type: 0,
            type_desc: text("TSQL"),
            state: 0,
            state_desc: text("ONLINE"),
            start_time: datetime_of(listener.since_us),
        };
        Ok(ctx.engine.listeners.all().into_iter().zip(1..).map(row).collect())
    }),
);
