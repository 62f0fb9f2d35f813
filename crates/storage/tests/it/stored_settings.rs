//! Settings of an instance in their file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_device::{FileSystem, Media};
use millpond_storage::settings::options::OptionId;
use millpond_storage::settings::tempdb::{TempdbConfig, number_files};
use millpond_storage::settings::*;

const FILE_NAME: &str = "instance.toml";
const NEW_NAME: &str = "instance.toml.new";

fn sample() -> Stored {
    let mut stored = Stored::new([7; 16], 1_000);
    let config = TempdbConfig::default_for(2);
    let files = number_files(&config, false).unwrap();
    stored.seed(&config, files);
    stored.sa_hash = Some("$argon2id$v=19$m=1".into());
    stored.state = InstanceState::Ready;
    let mut table: toml::Table = toml::from_str(&toml::to_string(&stored).unwrap()).unwrap();
    let options = table.entry("options").or_insert_with(|| toml::Table::new().into());
    options.as_table_mut().unwrap().insert("max server memory (MB)".into(), 512.into());
    table.try_into().unwrap()
}

fn place(dir: &Path) -> Option<(Arc<dyn Media>, PathBuf)> {
    Some((Arc::new(FileSystem), dir.to_path_buf()))
}

#[test]
fn settings_come_back() {
    let dir = tempfile::tempdir().unwrap();
    assert!(load(&FileSystem, dir.path()).unwrap().is_none());
    store(&FileSystem, dir.path(), &sample(), true).unwrap();
    assert_eq!(load(&FileSystem, dir.path()).unwrap().unwrap(), sample());
    assert!(!dir.path().join(NEW_NAME).exists());
}

#[test]
fn newer_and_damaged_files_are_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(FILE_NAME);
    let result_for = |text: &[u8]| {
        fs::write(&path, text).unwrap();
        let result = load(&FileSystem, dir.path());
        assert_eq!(fs::read(&path).unwrap(), text);
        result.unwrap_err()
    };
    assert!(matches!(result_for(b"format = 4\nbrand_new = [1]"), SettingsError::Newer { found: 4, .. }));
    for bad in [&b"format = 1"[..], b"format = 'x'", b"", b"\xff\xfe", b"format = 1\nstate = 3", b"= ="] {
        assert!(matches!(result_for(bad), SettingsError::Damaged { .. }), "{bad:?}");
    }
    let text = toml::to_string(&sample()).unwrap().replace("07070707", "zz070707");
    assert!(matches!(result_for(text.as_bytes()), SettingsError::Damaged { .. }));
}

#[test]
fn an_instance_of_the_first_format_keeps_its_settings_and_makes_its_databases_anew() {
    let dir = tempfile::tempdir().unwrap();
    let text = toml::to_string(&sample()).unwrap().replace("format = 2", "format = 1");
    fs::write(dir.path().join(FILE_NAME), text).unwrap();
    let stored = load(&FileSystem, dir.path()).unwrap().unwrap();
    let mut wanted = sample();
    wanted.state = InstanceState::Creating;
    assert_eq!(stored, wanted);
}

#[test]
fn a_directory_has_one_owner() {
    let dir = tempfile::tempdir().unwrap();
    let lock = DirectoryLock::take(&FileSystem, dir.path()).unwrap();
    let refused = DirectoryLock::take(&FileSystem, dir.path()).unwrap_err();
    let own_pid = std::process::id();
    assert!(matches!(&refused, SettingsError::InUse { pid: Some(pid), .. } if *pid == own_pid), "{refused}");
    assert!(refused.to_string().contains(&own_pid.to_string()));
    drop(lock);
    DirectoryLock::take(&FileSystem, dir.path()).unwrap();
    fs::write(dir.path().join("file"), "x").unwrap();
    let no_directory = DirectoryLock::take(&FileSystem, &dir.path().join("file")).unwrap_err();
    assert!(matches!(no_directory, SettingsError::System { .. }));
}

#[test]
fn an_edited_configuration_goes_before_what_was_altered() {
    let stored = sample();
    assert!(stored.is_seeded_by(&TempdbConfig::default_for(2)));
    assert!(!stored.is_seeded_by(&TempdbConfig::default_for(3)));
}

#[test]
fn options_are_stored_by_reconfigure() {
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings::new(place(dir.path()), sample());
    assert_eq!(settings.running(OptionId::MaxServerMemoryMb), 512);
    settings.set_option("tempdb forward", 1).unwrap();
    settings.reconfigure(false).unwrap();
    assert!(settings.is_on(OptionId::TempdbForwardOnlySearch));
    let again = Settings::new(None, load(&FileSystem, dir.path()).unwrap().unwrap());
    assert!(again.is_on(OptionId::TempdbForwardOnlySearch));
    assert_eq!(again.server_guid(), [7; 16]);
}

#[test]
fn a_change_that_cannot_be_stored_is_not_made() {
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings::new(place(&dir.path().join("gone")), sample());
    assert!(settings.set_sa_hash(None).is_err());
    assert!(settings.sa_hash().is_some());
}
