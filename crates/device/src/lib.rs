//! millpond-device
