-- ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION and what shows it.
EXEC sp_configure 'show advanced options', 1;
RECONFIGURE;
EXEC sp_configure 'max server memory (MB)', 128;
RECONFIGURE;
SELECT name, value_in_use FROM sys.configurations WHERE name LIKE 'buffer pool ext%' OR name LIKE 'max server%';
GO
--> # Configuration option 'show advanced options' changed from 0 to 1. Run the RECONFIGURE statement to install.
--> # Configuration option 'max server memory (MB)' changed from 2147483647 to 128. Run the RECONFIGURE statement to install.
--> [name:nvarchar(35) | value_in_use:int]
--> max server memory (MB) | 128
--> buffer pool extension mode | 1
--> (2 rows affected)
SELECT path, file_id, state, state_description, current_size_in_kb FROM sys.dm_os_buffer_pool_extension_configuration;
GO
--> [path:nvarchar(256) | file_id:int | state:int | state_description:nvarchar(60) | current_size_in_kb:bigint]
--> NULL | 0 | 0 | BUFFER POOL EXTENSION DISABLED | 0
--> (1 rows affected)
ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION OFF;
GO
--> Msg 873, Level 16, State 1, Line 1: Buffer pool extension is already disabled. No action is necessary.
ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION ON (FILENAME = 'ram:x.BPE', SIZE = 128 MB);
GO
--> Msg 868, Level 16, State 1, Line 1: Buffer pool extension size must be larger than the current memory allocation threshold 128 MB. Buffer pool extension is not enabled.
ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION ON (FILENAME = 'ram:x.BPE', SIZE = 131072);
GO
--> Msg 868, Level 16, State 1, Line 1: Buffer pool extension size must be larger than the current memory allocation threshold 128 MB. Buffer pool extension is not enabled.
ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION ON (FILENAME = 'ram:x.BPE', SIZE = 4097 MB);
GO
--> Msg 864, Level 16, State 1, Line 1: Attempting to allocate buffer pool extension with size larger than the maximum of 4096 MB.
ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION ON (FILENAME = 'ram:x.mdf', SIZE = 1 GB);
GO
--> Msg 858, Level 16, State 1, Line 1: Failed to create buffer pool extension on path 'ram:x.mdf'. The name of the file must end in .BPE.
ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION ON (FILENAME = '/no/such/place/x.BPE', SIZE = 1 GB);
GO
--> Msg 858, Level 16, State 1, Line 1: Failed to create buffer pool extension on path '/no/such/place/x.BPE'. Error: 3(The system cannot find the path specified.).
BEGIN TRANSACTION;
ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION ON (FILENAME = 'ram:x.BPE', SIZE = 1 GB);
GO
--> Msg 574, Level 16, State 0, Line 2: ALTER SERVER CONFIGURATION statement cannot be used inside a user transaction.
ROLLBACK;
GO
ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION ON (FILENAME = 'ram:x.BPE');
GO
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near ')'.
ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION ON (FILENAME = 'ram:x.BPE', SIZE = 1 TB);
GO
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'TB'.
ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION;
GO
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near ';'.
ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION ON (FILENAME = 'ram:x.BPE', SIZE = 1 GB);
SELECT path, file_id, state, state_description, current_size_in_kb FROM sys.dm_os_buffer_pool_extension_configuration;
SELECT path, mode, failure, pages, used_pages, dirty_pages FROM sys.dm_millpond_buffer_pool_extension;
SELECT RTRIM(counter_name) AS counter, cntr_value FROM sys.dm_os_performance_counters
WHERE counter_name LIKE 'Extension%' AND object_name = 'SQLServer:Buffer Manager' ORDER BY 1;
GO
--> [path:nvarchar(256) | file_id:int | state:int | state_description:nvarchar(60) | current_size_in_kb:bigint]
--> ram:x.BPE | 1 | 5 | BUFFER POOL EXTENSION ENABLED | 1048576
--> (1 rows affected)
--> [path:nvarchar(256) | mode:nvarchar(20) | failure:nvarchar(512) | pages:bigint | used_pages:bigint | dirty_pages:bigint]
--> ram:x.BPE | write-back | NULL | 130431 | 0 | 0
--> (1 rows affected)
--> [counter:nvarchar(128) | cntr_value:bigint]
--> Extension allocated pages | 0
--> Extension free pages | 130431
--> Extension in use as percentage | 0
--> Extension outstanding IO counter | 0
--> Extension page evictions/sec | 0
--> Extension page reads/sec | 0
--> Extension page unreferenced time | 0
--> Extension page writes/sec | 0
--> (8 rows affected)
ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION ON (FILENAME = 'ram:y.BPE', SIZE = 1 GB);
GO
--> Msg 872, Level 16, State 1, Line 1: Buffer pool extension is already enabled. No action is necessary.
EXEC sp_configure 'buffer pool extension mode', 0;
RECONFIGURE;
SELECT mode FROM sys.dm_millpond_buffer_pool_extension;
GO
--> # Configuration option 'buffer pool extension mode' changed from 1 to 0. Run the RECONFIGURE statement to install.
--> [mode:nvarchar(20)]
--> clean
--> (1 rows affected)
EXEC sp_configure 'buffer pool extension mode', 2;
GO
--> Msg 15129, Level 16, State 1, Line 1: '2' is not a valid value for configuration option 'buffer pool extension mode'.
ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION OFF;
SELECT path, file_id, state, state_description, current_size_in_kb FROM sys.dm_os_buffer_pool_extension_configuration;
GO
--> [path:nvarchar(256) | file_id:int | state:int | state_description:nvarchar(60) | current_size_in_kb:bigint]
--> NULL | 0 | 0 | BUFFER POOL EXTENSION DISABLED | 0
--> (1 rows affected)
-- The file is gone, so the name is free again.
ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION ON (FILENAME = 'ram:x.BPE', SIZE = 200 MB);
SELECT state, current_size_in_kb FROM sys.dm_os_buffer_pool_extension_configuration;
ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION OFF;
GO
--> [state:int | current_size_in_kb:bigint]
--> 5 | 204800
--> (1 rows affected)
CREATE DATABASE tiers;
GO
USE tiers;
SET NOCOUNT ON;
CREATE TABLE t (id int NOT NULL PRIMARY KEY, filler char(4000) NOT NULL);
DECLARE @i int = 0;
WHILE @i < 100
BEGIN
    INSERT t VALUES (@i, 'x');
    SET @i += 1;
END;
SELECT name, IIF(used_pages BETWEEN 50 AND 60, 'about 52', CONCAT(used_pages, '')) AS used,
    IIF(memory_pages BETWEEN 50 AND 60, 'all', CONCAT(memory_pages, '')) AS memory, extension_pages, disk_pages
FROM sys.dm_millpond_table_tiers;
GO
--> [name:nvarchar(128) | used:varchar(25) | memory:varchar(25) | extension_pages:bigint | disk_pages:bigint]
--> t | about 52 | all | 0 | 0
