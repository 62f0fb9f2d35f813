//! millpond-tds
