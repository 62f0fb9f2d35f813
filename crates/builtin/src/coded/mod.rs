//! Values in another coding: compressed, encrypted, as letters.

pub(crate) mod gzip;
pub(crate) mod letters;
pub(crate) mod passphrase;
