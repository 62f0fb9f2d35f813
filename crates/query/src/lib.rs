//! millpond-query
