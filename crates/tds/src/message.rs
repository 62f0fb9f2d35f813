//! What a client can say, by packet type.

use crate::TdsError;
use crate::login::Login7;
use crate::packet::PacketType;
use crate::prelogin::Prelogin;
use crate::rpc::RpcMessage;
use crate::sqlbatch::SqlBatch;
use crate::transmgr::TransactionRequest;

/// A decoded message of a client.
#[derive(Clone, Debug)]
pub enum ClientMessage {
    /// The first message. While TLS is negotiated the same packet type carries handshake bytes; see [`crate::tls`].
    Prelogin(Prelogin),
    /// The login.
    Login(Box<Login7>),
    /// Statements.
    SqlBatch(SqlBatch),
    /// Calls.
    Rpc(RpcMessage),
    /// Begin, commit, roll back, save.
    Transaction(TransactionRequest),
    /// Cancel what runs; answered with [`crate::token::Done::attention`].
    Attention,
    /// Rows of INSERT BULK, as they came: COLMETADATA, rows, DONE.
    BulkLoad(Vec<u8>),
}

impl ClientMessage {
    /// Decodes a message by its type.
    pub fn decode(packet_type: PacketType, payload: Vec<u8>) -> Result<Self, TdsError> {
        Ok(match packet_type {
            PacketType::PreLogin => Self::Prelogin(Prelogin::decode(&payload)?),
            PacketType::Login7 => Self::Login(Box::new(Login7::decode(&payload)?)),
            PacketType::SqlBatch => Self::SqlBatch(SqlBatch::decode(&payload)?),
            PacketType::Rpc => Self::Rpc(RpcMessage::decode(payload)?),
            PacketType::TransactionManager => Self::Transaction(TransactionRequest::decode(&payload)?),
            PacketType::Attention => Self::Attention,
            PacketType::BulkLoad => Self::BulkLoad(payload),
            PacketType::OldLogin => {
                return Err(TdsError::Unsupported { what: "the login of TDS 4.2" });
            }
            PacketType::FedAuthToken => {
                return Err(TdsError::Unsupported { what: "federated authentication" });
            }
            PacketType::Sspi => {
                return Err(TdsError::Unsupported { what: "integrated security" });
            }
            PacketType::TabularResult => {
                return Err(TdsError::malformed("message: a client sends no results"));
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_we_lack_is_named() {
        for packet_type in [PacketType::OldLogin, PacketType::FedAuthToken, PacketType::Sspi] {
            assert!(ClientMessage::decode(packet_type, vec![]).unwrap_err().is_unsupported());
        }
        assert!(matches!(ClientMessage::decode(PacketType::Attention, vec![]), Ok(ClientMessage::Attention)));
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(byte in any::<u8>(), payload in prop::collection::vec(any::<u8>(), 0..300)) {
            if let Ok(packet_type) = PacketType::from_byte(byte) {
                let _ = ClientMessage::decode(packet_type, payload);
            }
        }
    }
}
