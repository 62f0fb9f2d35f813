//! millpond-access
