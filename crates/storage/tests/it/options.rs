//! The table of configuration options, and what sp_configure and RECONFIGURE do with it.

use millpond_storage::settings::options::{OPTIONS, OptionError, OptionId, Options};

#[test]
fn the_table_is_in_order_and_its_defaults_are_allowed() {
    for (at, info) in OPTIONS.iter().enumerate() {
        assert_eq!(info.id as usize, at, "{}", info.name);
        assert!(info.allows(info.default), "{}", info.name);
        assert!(info.name.len() <= 35, "{}", info.name);
    }
    assert!(OPTIONS.is_sorted_by_key(|info| info.configuration_id));
}

#[test]
fn a_value_is_configured_first_and_runs_after_reconfigure() {
    let options = Options::default();
    let change = options.set("tempdb eager writes", 1).unwrap();
    assert_eq!((change.info.id, change.old, change.new), (OptionId::TempdbEagerWrites, 0, 1));
    assert!(!options.is_on(OptionId::TempdbEagerWrites));
    options.reconfigure(false).unwrap();
    assert!(options.is_on(OptionId::TempdbEagerWrites));
    assert_eq!(options.changed(), [("tempdb eager writes", 1)]);
    let restarted = Options::starting_with(options.changed());
    assert!(restarted.is_on(OptionId::TempdbEagerWrites));
}

#[test]
fn advanced_options_are_found_when_they_are_shown() {
    let options = Options::default();
    assert!(matches!(options.set("max server memory (MB)", 512), Err(OptionError::Unknown { .. })));
    options.set("show advanced", 1).unwrap();
    assert!(options.find("max server memory").is_err(), "not before RECONFIGURE");
    options.reconfigure(false).unwrap();
    options.set("MAX SERVER MEM", 512).unwrap();
    assert!(matches!(options.find("server memory"), Err(OptionError::Ambiguous { matches, .. }) if matches.len() == 2));
    assert_eq!(options.find("locks").unwrap().id, OptionId::Locks);
    assert!(matches!(options.find("no such thing"), Err(OptionError::Unknown { .. })));
}

#[test]
fn values_out_of_range_are_refused() {
    let options = Options::starting_with([("show advanced options", 1), ("max server memory (MB)", 5), ("?", 1)]);
    assert_eq!(
        options.running(OptionId::MaxServerMemoryMb),
        i64::from(i32::MAX),
        "a stored value out of range is not believed"
    );
    let error = options.set("max server memory (MB)", 127).unwrap_err();
    assert_eq!(error, OptionError::OutOfRange { name: "max server memory (MB)", value: 127 });
    options.set("max server memory (MB)", 128).unwrap();
    assert!(options.set("max worker threads", 0).is_ok(), "0: the server decides");
    assert!(options.set("max worker threads", 5).is_err());
    assert!(options.set("query wait (s)", -2).is_err());
}

#[test]
fn long_recovery_intervals_want_override() {
    let options = Options::starting_with([("show advanced options", 1)]);
    options.set("recovery interval", 61).unwrap();
    options.set("direct statements", 0).unwrap();
    assert!(options.reconfigure(false).is_err());
    assert!(options.is_on(OptionId::DirectStatements), "nothing was installed");
    options.reconfigure(true).unwrap();
    assert_eq!(options.running(OptionId::RecoveryIntervalMin), 61);
    options.reconfigure(false).unwrap();
}

#[test]
fn options_that_are_not_dynamic_wait_for_the_next_start() {
    let options = Options::starting_with([("show advanced options", 1)]);
    options.set("fill factor", 90).unwrap();
    options.reconfigure(false).unwrap();
    assert_eq!((options.running(OptionId::FillFactor), options.configured(OptionId::FillFactor)), (0, 90));
    assert_eq!(Options::starting_with(options.changed()).running(OptionId::FillFactor), 90);
}
