//! millpond-server
