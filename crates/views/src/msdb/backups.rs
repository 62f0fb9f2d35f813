//! Backups and restores: their history, and pages that could not be read.

use millpond_catalog::system_view::ViewDef;
use millpond_types::DateTime;

use crate::catalog::nothing::nothing;
use crate::columns::{Char, Guid, NVarChar, Numeric, Sysname, VarBinary};
use crate::row::{Rows, ViewRows, row, view};

nothing! {
    in "dbo":
    BACKUPFILE Backupfile "backupfile" { backup_set_id: i32, first_family_number: u8, first_media_number: i16,
        filegroup_name: NVarChar<128>, page_size: i32, file_number: Numeric<10>, backed_up_page_count: Numeric<10>,
        file_type: Char<1>, source_file_block_size: Numeric<10>, file_size: Numeric<20>, logical_name: NVarChar<128>,
        physical_drive: NVarChar<260>, physical_name: NVarChar<260>, state: u8, state_desc: NVarChar<64>,
        create_lsn: Numeric<25>, drop_lsn: Numeric<25>, file_guid: Guid, read_only_lsn: Numeric<25>,
        read_write_lsn: Numeric<25>, differential_base_lsn: Numeric<25>, differential_base_guid: Guid,
        backup_size: Numeric<20>, filegroup_guid: Guid, is_readonly: bool, is_present: bool, }
    BACKUPFILEGROUP Backupfilegroup "backupfilegroup" { backup_set_id: i32, name: Sysname, filegroup_id: i32,
        filegroup_guid: Guid, r#type: Char<2>, type_desc: NVarChar<60>, is_default: bool, is_readonly: bool,
        log_filegroup_guid: Guid, }
    BACKUPMEDIAFAMILY Backupmediafamily "backupmediafamily" { media_set_id: i32, family_sequence_number: u8,
        media_family_id: Guid, media_count: i32, logical_device_name: NVarChar<128>,
        physical_device_name: NVarChar<260>, device_type: u8, physical_block_size: i32, mirror: u8, }
    BACKUPMEDIASET Backupmediaset "backupmediaset" { media_set_id: i32, media_uuid: Guid, media_family_count: u8,
        name: NVarChar<128>, description: NVarChar<255>, software_name: NVarChar<128>, software_vendor_id: i32,
        MTF_major_version: u8, mirror_count: u8, is_password_protected: bool, is_compressed: bool,
        is_encrypted: bool, }
    BACKUPSET Backupset "backupset" { backup_set_id: i32, backup_set_uuid: Guid, media_set_id: i32,
        first_family_number: u8, first_media_number: i16, last_family_number: u8, last_media_number: i16,
        catalog_family_number: u8, catalog_media_number: i16, position: i32, expiration_date: DateTime,
        software_vendor_id: i32, name: NVarChar<128>, description: NVarChar<255>, user_name: NVarChar<128>,
        software_major_version: u8, software_minor_version: u8, software_build_version: i16, time_zone: i16,
        mtf_minor_version: u8, first_lsn: Numeric<25>, last_lsn: Numeric<25>, checkpoint_lsn: Numeric<25>,
        database_backup_lsn: Numeric<25>, database_creation_date: DateTime, backup_start_date: DateTime,
        backup_finish_date: DateTime, r#type: Char<1>, sort_order: i16, code_page: i16, compatibility_level: u8,
        database_version: i32, backup_size: Numeric<20>, database_name: NVarChar<128>, server_name: NVarChar<128>,
        machine_name: NVarChar<128>, flags: i32, unicode_locale: i32, unicode_compare_style: i32,
        collation_name: NVarChar<128>, is_password_protected: bool, recovery_model: NVarChar<60>,
        has_bulk_logged_data: bool, is_snapshot: bool, is_readonly: bool, is_single_user: bool,
        has_backup_checksums: bool, is_damaged: bool, begins_log_chain: bool, has_incomplete_metadata: bool,
        is_force_offline: bool, is_copy_only: bool, first_recovery_fork_guid: Guid, last_recovery_fork_guid: Guid,
        fork_point_lsn: Numeric<25>, database_guid: Guid, family_guid: Guid, differential_base_lsn: Numeric<25>,
        differential_base_guid: Guid, compressed_backup_size: Numeric<20>, key_algorithm: NVarChar<32>,
        encryptor_thumbprint: VarBinary<20>, encryptor_type: NVarChar<32>, last_valid_restore_time: DateTime,
        compression_algorithm: NVarChar<32>, }
    LOGMARKHISTORY Logmarkhistory "logmarkhistory" { database_name: NVarChar<128>, mark_name: NVarChar<128>,
        description: NVarChar<255>, user_name: NVarChar<128>, lsn: Numeric<25>, mark_time: DateTime, }
    RESTOREFILE Restorefile "restorefile" { restore_history_id: i32, file_number: Numeric<10>,
        destination_phys_drive: NVarChar<260>, destination_phys_name: NVarChar<260>, }
    RESTOREFILEGROUP Restorefilegroup "restorefilegroup" { restore_history_id: i32, filegroup_name: NVarChar<128>, }
    RESTOREHISTORY Restorehistory "restorehistory" { restore_history_id: i32, restore_date: DateTime,
        destination_database_name: NVarChar<128>, user_name: NVarChar<128>, backup_set_id: i32,
        restore_type: Char<1>, replace: bool, recovery: bool, restart: bool, stop_at: DateTime, device_count: u8,
        stop_at_mark_name: NVarChar<128>, stop_before: bool, }
    SUSPECT_PAGES SuspectPages "suspect_pages" { database_id: i32, file_id: i32, page_id: i64, event_type: i32,
        error_count: i32, last_update_date: DateTime, }
}
