-- All documented columns of sys.databases.
CREATE DATABASE shown;
GO
SELECT is_supplemental_logging_enabled, is_auto_create_stats_on, is_auto_create_stats_incremental_on, is_fulltext_enabled, is_trustworthy_on, is_db_chaining_on,
  is_parameterization_forced, is_master_key_encrypted_by_server, is_query_store_on, is_published, is_subscribed, is_merge_published, is_distributor, is_sync_with_backup
FROM sys.databases WHERE name = 'shown';
SELECT is_broker_enabled, log_reuse_wait_desc, is_date_correlation_on, is_cdc_enabled, is_encrypted, is_honor_broker_priority_on, replica_id, group_database_id, resource_pool_id,
  default_language_lcid, default_language_name, default_fulltext_language_lcid, default_fulltext_language_name, is_nested_triggers_on, is_transform_noise_words_on,
  two_digit_year_cutoff FROM sys.databases WHERE name = 'shown';
SELECT containment, containment_desc, target_recovery_time_in_seconds, delayed_durability, delayed_durability_desc, is_memory_optimized_elevate_to_snapshot_on, is_federation_member,
  is_remote_data_archive_enabled, is_mixed_page_allocation_on, is_temporal_history_retention_enabled, catalog_collation_type, catalog_collation_type_desc,
  physical_database_name FROM sys.databases WHERE name = 'shown';
SELECT is_result_set_caching_on, is_accelerated_database_recovery_on, is_tempdb_spill_to_remote_store, is_stale_page_detection_on, is_memory_optimized_enabled, is_data_retention_enabled,
  is_ledger_on, is_change_feed_enabled FROM sys.databases WHERE name = 'shown';
SELECT name, is_db_chaining_on, is_read_only, state_desc FROM sys.databases WHERE database_id IN (1, 2) OR name = 'shown' ORDER BY name;
SELECT COUNT(*) AS columns FROM sys.all_columns WHERE object_id = OBJECT_ID('sys.databases');
SELECT COUNT(DISTINCT service_broker_guid) AS guids, COUNT(*) AS databases FROM sys.databases WHERE database_id > 2;
GO
--> [is_supplemental_logging_enabled:bit | is_auto_create_stats_on:bit | is_auto_create_stats_incremental_on:bit | is_fulltext_enabled:bit | is_trustworthy_on:bit | is_db_chaining_on:bit | is_parameterization_forced:bit | is_master_key_encrypted_by_server:bit | is_query_store_on:bit | is_published:bit | is_subscribed:bit | is_merge_published:bit | is_distributor:bit | is_sync_with_backup:bit]
--> 0 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0
--> (1 rows affected)
--> [is_broker_enabled:bit | log_reuse_wait_desc:nvarchar(60) | is_date_correlation_on:bit | is_cdc_enabled:bit | is_encrypted:bit | is_honor_broker_priority_on:bit | replica_id:uniqueidentifier | group_database_id:uniqueidentifier | resource_pool_id:int | default_language_lcid:smallint | default_language_name:nvarchar(128) | default_fulltext_language_lcid:int | default_fulltext_language_name:nvarchar(128) | is_nested_triggers_on:bit | is_transform_noise_words_on:bit | two_digit_year_cutoff:smallint]
--> 0 | NOTHING | 0 | 0 | 0 | 0 | NULL | NULL | 1 | NULL | NULL | NULL | NULL | NULL | NULL | NULL
--> (1 rows affected)
--> [containment:tinyint | containment_desc:nvarchar(60) | target_recovery_time_in_seconds:int | delayed_durability:int | delayed_durability_desc:nvarchar(60) | is_memory_optimized_elevate_to_snapshot_on:bit | is_federation_member:bit | is_remote_data_archive_enabled:bit | is_mixed_page_allocation_on:bit | is_temporal_history_retention_enabled:bit | catalog_collation_type:int | catalog_collation_type_desc:nvarchar(60) | physical_database_name:nvarchar(128)]
--> 0 | NONE | 60 | 0 | DISABLED | 0 | 0 | 0 | 0 | 1 | 0 | DATABASE_DEFAULT | shown
--> (1 rows affected)
--> [is_result_set_caching_on:bit | is_accelerated_database_recovery_on:bit | is_tempdb_spill_to_remote_store:bit | is_stale_page_detection_on:bit | is_memory_optimized_enabled:bit | is_data_retention_enabled:bit | is_ledger_on:bit | is_change_feed_enabled:bit]
--> 0 | 0 | 0 | 0 | 1 | 0 | 0 | 0
--> (1 rows affected)
--> [name:nvarchar(128) | is_db_chaining_on:bit | is_read_only:bit | state_desc:nvarchar(60)]
--> master | 1 | 0 | ONLINE
--> shown | 0 | 0 | ONLINE
--> tempdb | 1 | 0 | ONLINE
--> (3 rows affected)
--> [columns:int]
--> 89
--> (1 rows affected)
--> [guids:int | databases:int]
--> 3 | 3
--> (1 rows affected)
ALTER DATABASE shown SET TRUSTWORTHY ON;
ALTER DATABASE shown SET PARAMETERIZATION FORCED;
SELECT is_trustworthy_on, is_db_chaining_on, is_parameterization_forced FROM sys.databases WHERE name = 'shown';
DROP DATABASE shown;
GO
--> [is_trustworthy_on:bit | is_db_chaining_on:bit | is_parameterization_forced:bit]
--> 1 | 0 | 1
--> (1 rows affected)
