//! What every database has of Service Broker though none has services of its own: the system's message types and contracts, and the
//! route by which all services are looked for in the instance. Users can make no others (CREATE MESSAGE TYPE and its kin are refused).
//!
//! It knows no database: all have the same.

use millpond_catalog::system_view::ViewDef;
use millpond_types::DateTime;

use crate::columns::{Char, NVarChar, Sysname, text};
use crate::row::{Rows, ViewRows, row, view};

/// The owner of what the system brings: dbo.
const OWNER: i32 = 1;

row! {
    /// A row of `sys.service_message_types`.
    struct ServiceMessageTypes {
        name: Sysname,
        message_type_id: i32,
        principal_id: Option<i32>,
        validation: Char<2>,
        validation_desc: Option<NVarChar<60>>,
        xml_collection_id: Option<i32>,
    }
}

row! {
    /// A row of `sys.service_contracts`.
    struct ServiceContracts {
        name: Sysname,
        service_contract_id: i32,
        principal_id: Option<i32>,
    }
}

row! {
    /// A row of `sys.service_contract_message_usages`.
    struct ServiceContractMessageUsages {
        service_contract_id: i32,
        message_type_id: i32,
        is_sent_by_initiator: bool,
        is_sent_by_target: bool,
    }
}

row! {
    /// A row of `sys.service_contract_usages`.
    struct ServiceContractUsages {
        service_id: i32,
        service_contract_id: i32,
    }
}

row! {
    /// A row of `sys.routes`.
    struct Routes {
        name: Sysname,
        route_id: i32,
        principal_id: Option<i32>,
        remote_service_name: Option<NVarChar<256>>,
        broker_instance: Option<NVarChar<128>>,
        lifetime: Option<DateTime>,
        address: Option<NVarChar<256>>,
        mirror_address: Option<NVarChar<256>>,
    }
}

/// The system's message types below the address of its schemas, each with its validation; their numbers count from 1.
const MESSAGE_TYPES: [(&str, &str); 14] = [
    ("ServiceBroker/Error", "X"),
    ("ServiceBroker/EndDialog", "E"),
    ("Notifications/QueryNotification", "X"),
    ("Notifications/EventNotification", "X"),
    ("ServiceBroker/DialogTimer", "E"),
    ("ServiceBroker/BrokerConfigurationNotice/MissingRoute", "X"),
    ("ServiceBroker/BrokerConfigurationNotice/FailedRoute", "X"),
    ("ServiceBroker/BrokerConfigurationNotice/MissingRemoteServiceBinding", "X"),
    ("ServiceBroker/BrokerConfigurationNotice/FailedRemoteServiceBinding", "X"),
    ("ServiceBroker/ServiceEcho/Echo", "N"),
    ("ServiceBroker/ServiceDiagnostic/Query", "X"),
    ("ServiceBroker/ServiceDiagnostic/Status", "X"),
    ("ServiceBroker/ServiceDiagnostic/Description", "N"),
    (DEFAULT, "N"),
];

/// The system's contracts, likewise.
const CONTRACTS: [&str; 6] = [
    "Notifications/PostQueryNotification",
    "Notifications/PostEventNotification",
    "ServiceBroker/BrokerConfigurationNotice",
    "ServiceBroker/ServiceEcho",
    "ServiceBroker/ServiceDiagnostic",
    DEFAULT,
];

/// What one may send who names nothing.
const DEFAULT: &str = "DEFAULT";

/// Which message types a contract has: the contract, the message type, whether the initiator sends it, and the target.
const USAGES: [(i32, i32, bool, bool); 11] = [
    (1, 3, true, false),
    (2, 4, true, false),
    (3, 6, true, false),
    (3, 7, true, false),
    (3, 8, true, false),
    (3, 9, true, false),
    (4, 10, true, true),
    (5, 11, true, false),
    (5, 12, false, true),
    (5, 13, false, true),
    (6, 14, true, true),
];

/// The first number of what is a user's: the route is made with the database, by a statement.
const ROUTE_ID: i32 = 65_536;

fn full_name(name: &str) -> Sysname {
    if name == DEFAULT { text(name) } else { text(&format!("http://schemas.microsoft.com/SQL/{name}")) }
}

/// `sys.service_message_types`
pub static SERVICE_MESSAGE_TYPES: ViewDef = view(
    "sys",
    "service_message_types",
    &ViewRows(|_, _| {
        let row = |(id, (name, validation)): (i32, (&str, &str))| ServiceMessageTypes {
            name: full_name(name),
            message_type_id: id,
            principal_id: Some(OWNER),
            validation: text(&format!("{validation:<2}")),
            validation_desc: Some(text(match validation {
                "X" => "XML",
                "E" => "EMPTY",
                _ => "BINARY",
            })),
            xml_collection_id: None,
        };
        Ok((1..).zip(MESSAGE_TYPES).map(row).collect())
    }),
);

/// `sys.service_contracts`
pub static SERVICE_CONTRACTS: ViewDef = view(
    "sys",
    "service_contracts",
    &ViewRows(|_, _| {
        let row =
            |(id, name)| ServiceContracts { name: full_name(name), service_contract_id: id, principal_id: Some(OWNER) };
        Ok((1..).zip(CONTRACTS).map(row).collect())
    }),
);

/// `sys.service_contract_message_usages`
pub static SERVICE_CONTRACT_MESSAGE_USAGES: ViewDef = view(
    "sys",
    "service_contract_message_usages",
    &ViewRows(|_, _| {
        let row = |(contract, message_type, by_initiator, by_target)| ServiceContractMessageUsages {
            service_contract_id: contract,
            message_type_id: message_type,
            is_sent_by_initiator: by_initiator,
            is_sent_by_target: by_target,
        };
        Ok(USAGES.into_iter().map(row).collect())
    }),
);

/// `sys.service_contract_usages`: there are no services.
pub static SERVICE_CONTRACT_USAGES: ViewDef =
    view("sys", "service_contract_usages", &ViewRows::<ServiceContractUsages>(|_, _| Ok(Rows::new())));

/// `sys.routes`
pub static ROUTES: ViewDef = view(
    "sys",
    "routes",
    &ViewRows(|_, _| {
        Ok(Rows::one(Routes {
            name: text("AutoCreatedLocal"),
            route_id: ROUTE_ID,
            principal_id: Some(OWNER),
            remote_service_name: None,
            broker_instance: None,
            lifetime: None,
            address: Some(text("LOCAL")),
            mirror_address: None,
        }))
    }),
);
