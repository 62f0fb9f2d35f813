-- A database with a bit of everything. $(DIR) is a folder of the test's own; no batch may fail.
SET NOCOUNT ON;
EXEC sp_addmessage 50001, 16, N'Nothing like %s was found', @lang = 'us_english', @with_log = 'true';
EXEC sp_addmessage 50002, 10, N'Careful';
EXEC sp_configure 'show advanced options', 1;
RECONFIGURE;
EXEC sp_configure 'cost threshold for parallelism', 7;
RECONFIGURE;
EXEC sp_configure 'fill factor (%)', 90;
GO
CREATE LOGIN clerk WITH PASSWORD = 'Sch0n.lang.genug', DEFAULT_DATABASE = msdb, CHECK_POLICY = OFF;
CREATE LOGIN guard WITH PASSWORD = 'Sch0n.lang.genug', CHECK_POLICY = ON, CHECK_EXPIRATION = ON, DEFAULT_LANGUAGE = German;
DENY CONNECT SQL TO guard;
ALTER LOGIN guard DISABLE;
CREATE SERVER ROLE watchers AUTHORIZATION sa;
ALTER SERVER ROLE watchers ADD MEMBER clerk;
ALTER SERVER ROLE dbcreator ADD MEMBER guard;
ALTER SERVER ROLE bulkadmin ADD MEMBER guard;
ALTER SERVER ROLE diskadmin ADD MEMBER guard;
ALTER SERVER ROLE processadmin ADD MEMBER guard;
ALTER SERVER ROLE setupadmin ADD MEMBER guard;
ALTER SERVER ROLE serveradmin ADD MEMBER guard;
ALTER SERVER ROLE securityadmin ADD MEMBER guard;
ALTER SERVER ROLE sysadmin ADD MEMBER guard;
GRANT VIEW SERVER STATE TO watchers;
GRANT ALTER ANY LOGIN TO clerk WITH GRANT OPTION;
DENY SHUTDOWN TO guard;
GO
CREATE DATABASE busy ON PRIMARY
    (NAME = busy, FILENAME = '$(DIR)/busy.mdf', SIZE = 8MB, FILEGROWTH = 8MB),
    (NAME = busy2, FILENAME = '$(DIR)/busy2.ndf', SIZE = 4MB, MAXSIZE = 64MB, FILEGROWTH = 10%)
    LOG ON (NAME = busy_log, FILENAME = '$(DIR)/busy.ldf', SIZE = 8MB, MAXSIZE = 512MB, FILEGROWTH = 4MB)
    COLLATE Latin1_General_100_CS_AS;
ALTER DATABASE busy ADD FILEGROUP second;
ALTER DATABASE busy ADD FILE (NAME = second1, FILENAME = '$(DIR)/second1.ndf', SIZE = 4MB), (NAME = second2, FILENAME = '$(DIR)/second2.ndf', SIZE = 4MB, FILEGROWTH = 0) TO FILEGROUP second;
ALTER DATABASE busy ADD FILEGROUP third;
ALTER DATABASE busy ADD FILE (NAME = third1, FILENAME = '$(DIR)/third1.ndf', SIZE = 4MB) TO FILEGROUP third;
ALTER DATABASE busy MODIFY FILEGROUP third DEFAULT;
ALTER DATABASE busy SET RECOVERY FULL;
ALTER DATABASE busy SET ALLOW_SNAPSHOT_ISOLATION ON;
-- All queries: the others are kept when they cost much, which depends on the machine.
ALTER DATABASE busy SET QUERY_STORE = ON (QUERY_CAPTURE_MODE = ALL);
ALTER DATABASE busy SET TRUSTWORTHY ON;
ALTER DATABASE busy MODIFY FILEGROUP third AUTOGROW_ALL_FILES;
CREATE DATABASE simple;
ALTER DATABASE simple SET RECOVERY SIMPLE;
ALTER DATABASE simple SET READ_COMMITTED_SNAPSHOT OFF;
ALTER DATABASE simple SET AUTO_CLOSE OFF, AUTO_UPDATE_STATISTICS OFF, AUTO_UPDATE_STATISTICS_ASYNC ON, ANSI_NULL_DEFAULT ON, ANSI_WARNINGS ON, ARITHABORT ON, CONCAT_NULL_YIELDS_NULL ON, CURSOR_CLOSE_ON_COMMIT ON, NUMERIC_ROUNDABORT ON, DATE_CORRELATION_OPTIMIZATION ON;
ALTER DATABASE simple SET TARGET_RECOVERY_TIME = 30 SECONDS;
ALTER DATABASE simple SET AUTO_SHRINK ON, AUTO_CREATE_STATISTICS OFF, ANSI_NULLS ON, RECURSIVE_TRIGGERS ON, DELAYED_DURABILITY = FORCED, COMPATIBILITY_LEVEL = 130, PAGE_VERIFY TORN_PAGE_DETECTION;
CREATE DATABASE bulky;
ALTER DATABASE bulky SET RECOVERY BULK_LOGGED, ANSI_PADDING ON, CURSOR_DEFAULT LOCAL, PARAMETERIZATION FORCED, DB_CHAINING ON, QUOTED_IDENTIFIER ON;
CREATE DATABASE aside CONTAINMENT = NONE;
ALTER DATABASE aside SET OFFLINE;
CREATE DATABASE still;
ALTER DATABASE still SET READ_ONLY;
ALTER DATABASE still SET RESTRICTED_USER;
GO
USE busy;
GO
CREATE USER clerk FOR LOGIN clerk WITH DEFAULT_SCHEMA = sales;
CREATE USER alone WITHOUT LOGIN;
CREATE ROLE readers AUTHORIZATION clerk;
ALTER ROLE readers ADD MEMBER alone;
ALTER ROLE db_datareader ADD MEMBER readers;
CREATE APPLICATION ROLE tool WITH PASSWORD = 'Sch0n.lang.genug', DEFAULT_SCHEMA = dbo;
GO
CREATE SCHEMA sales AUTHORIZATION clerk;
GO
CREATE TYPE sales.code FROM varchar(12) NOT NULL;
CREATE TYPE dbo.counter FROM bigint NULL;
CREATE TYPE sales.lines AS TABLE (id int IDENTITY PRIMARY KEY, code sales.code, n int CHECK (n > 0) DEFAULT 1, twice AS n * 2, INDEX by_code (code));
CREATE SEQUENCE sales.numbers AS int START WITH 10 INCREMENT BY 5 MINVALUE 10 MAXVALUE 1000 CYCLE CACHE 20;
CREATE TYPE dbo.big FROM bigint NOT NULL;
CREATE SEQUENCE dbo.typed AS dbo.big START WITH 1;
CREATE SEQUENCE dbo.ended AS tinyint START WITH 255 MAXVALUE 255 NO CYCLE;
CREATE SEQUENCE dbo.fine AS decimal(18, 0) START WITH 1 NO CACHE;
CREATE PARTITION FUNCTION by_year (int) AS RANGE RIGHT FOR VALUES (2020, 2021, 2022);
CREATE PARTITION FUNCTION by_letter (varchar(10)) AS RANGE LEFT FOR VALUES ('g', 'p');
CREATE PARTITION SCHEME years AS PARTITION by_year TO (second, third, second, [PRIMARY]);
CREATE PARTITION SCHEME letters AS PARTITION by_letter ALL TO (third);
GO
CREATE DEFAULT dbo.nought AS 0;
GO
CREATE RULE dbo.positive AS @value >= 0;
GO
CREATE TABLE sales.customer (
    id int IDENTITY(100, 2) NOT FOR REPLICATION NOT NULL CONSTRAINT pk_customer PRIMARY KEY CLUSTERED WITH (FILLFACTOR = 80, PAD_INDEX = ON) ON second,
    code sales.code CONSTRAINT uq_code UNIQUE NONCLUSTERED,
    name nvarchar(100) COLLATE German_PhoneBook_CI_AS NOT NULL,
    mail varchar(100) MASKED WITH (FUNCTION = 'email()') NULL,
    born date SPARSE NULL CONSTRAINT ck_born CHECK NOT FOR REPLICATION (born > '19000101'),
    balance money NOT NULL CONSTRAINT df_balance DEFAULT 0,
    guid uniqueidentifier ROWGUIDCOL NOT NULL DEFAULT newid(),
    stamp rowversion NOT NULL,
    notes nvarchar(max) NULL,
    picture varbinary(max) NULL,
    long1 varchar(8000) NULL,
    twice AS balance * 2 PERSISTED,
    lower_name AS lower(name),
    plain int NULL CHECK (plain < 100000),
    CONSTRAINT ck_both CHECK (balance > -1000 AND plain IS NULL OR plain > 0)
) ON second TEXTIMAGE_ON third;
EXEC sp_bindefault 'dbo.nought', 'sales.customer.plain';
EXEC sp_bindrule 'dbo.positive', 'sales.customer.plain';
EXEC sp_tableoption 'sales.customer', 'table lock on bulk load', 'on';
EXEC sp_tableoption 'sales.customer', 'large value types out of row', 'on';
CREATE TABLE sales.purchase (
    id bigint NOT NULL CONSTRAINT df_number DEFAULT (NEXT VALUE FOR sales.numbers),
    year int NOT NULL,
    customer int NULL CONSTRAINT fk_customer REFERENCES sales.customer (id) ON DELETE SET NULL ON UPDATE NO ACTION NOT FOR REPLICATION,
    amount decimal(18, 4) NULL,
    item varchar(10) NULL,
    pad char(300) NOT NULL DEFAULT 'x',
    CONSTRAINT pk_purchase PRIMARY KEY CLUSTERED (year, id) ON years (year)
);
CREATE TABLE dbo.everything (
    a bit, b tinyint, c smallint, d int, e bigint, f decimal(9, 2), g numeric(38, 10), h smallmoney, i money, j real, k float,
    l date, m time(3), n smalldatetime, o datetime, p datetime2(5), q datetimeoffset, r char(5), s varchar(20), t text, u nchar(5), v nvarchar(20),
    w ntext, x binary(5), y varbinary(20), z image, aa uniqueidentifier, bb sql_variant, cc xml, dd sysname, ee varchar(max), gg sales.code,
    hh timestamp
);
CREATE TABLE dbo.heap (id int NOT NULL, v varchar(400) NULL, w varchar(8000) NULL);
CREATE TABLE dbo.node (id int PRIMARY KEY, parent int NULL CONSTRAINT fk_parent FOREIGN KEY REFERENCES dbo.node (id), v int NOT NULL);
CREATE TABLE dbo.pairs (a int NOT NULL, b int NOT NULL, c AS a + b, UNIQUE NONCLUSTERED (a, b), only_a int NULL REFERENCES dbo.node (id));
CREATE TABLE dbo.paired (a int, b int, FOREIGN KEY (a, b) REFERENCES dbo.pairs (a, b));
CREATE TABLE dbo.counted (v decimal(9, 2) NULL DEFAULT 1, id_of bigint IDENTITY (-5, 3) PRIMARY KEY);
CREATE TABLE dbo.leaf (id int PRIMARY KEY NONCLUSTERED, node int NULL, CONSTRAINT fk_node FOREIGN KEY (node) REFERENCES dbo.node (id) ON DELETE CASCADE ON UPDATE CASCADE);
ALTER TABLE dbo.leaf NOCHECK CONSTRAINT fk_node;
ALTER TABLE dbo.leaf WITH NOCHECK ADD CONSTRAINT ck_leaf CHECK (node > 0);
ALTER TABLE dbo.leaf NOCHECK CONSTRAINT ck_leaf;
ALTER TABLE dbo.leaf SET (LOCK_ESCALATION = DISABLE);
CREATE TABLE dbo.packed (id int NOT NULL PRIMARY KEY, v varchar(100)) WITH (DATA_COMPRESSION = PAGE);
CREATE TABLE dbo.rowed (id int NOT NULL, v varchar(100));
CREATE INDEX packed_v ON dbo.packed (v) WITH (DATA_COMPRESSION = ROW, XML_COMPRESSION = ON);
ALTER TABLE dbo.rowed REBUILD WITH (DATA_COMPRESSION = ROW);
EXEC sp_tableoption 'dbo.everything', 'text in row', '500';
EXEC sp_bindefault 'dbo.nought', 'dbo.counter';
EXEC sp_bindrule 'dbo.positive', 'dbo.counter';
CREATE TABLE dbo.lots (v int NOT NULL, s varchar(200) NOT NULL);
GO
CREATE INDEX by_customer ON sales.purchase (customer DESC) INCLUDE (amount) WITH (FILLFACTOR = 70, ALLOW_ROW_LOCKS = OFF) ON [PRIMARY];
CREATE UNIQUE INDEX by_item ON sales.purchase (item, id) WHERE item IS NOT NULL WITH (IGNORE_DUP_KEY = OFF, ALLOW_PAGE_LOCKS = OFF, OPTIMIZE_FOR_SEQUENTIAL_KEY = ON) ON [PRIMARY];
CREATE UNIQUE INDEX ignoring ON dbo.heap (id) WITH (IGNORE_DUP_KEY = ON, STATISTICS_NORECOMPUTE = ON);
CREATE INDEX dormant ON dbo.heap (v);
ALTER INDEX dormant ON dbo.heap DISABLE;
CREATE STATISTICS amounts ON sales.purchase (amount, customer) WITH FULLSCAN, NORECOMPUTE;
UPDATE STATISTICS sales.purchase (amounts) WITH SAMPLE 50 PERCENT, PERSIST_SAMPLE_PERCENT = ON;
CREATE STATISTICS parts ON sales.purchase (amount) WHERE year = 2021 WITH SAMPLE 50 PERCENT;
GO
CREATE VIEW sales.totals WITH SCHEMABINDING AS SELECT customer, COUNT_BIG(*) AS n FROM sales.purchase GROUP BY customer;
GO
CREATE UNIQUE CLUSTERED INDEX totals_key ON sales.totals (customer);
GO
CREATE VIEW dbo.checked AS SELECT id, code FROM sales.customer WHERE id > 0 WITH CHECK OPTION;
GO
CREATE VIEW dbo.secret WITH ENCRYPTION, VIEW_METADATA AS SELECT 1 AS a;
GO
CREATE PROCEDURE dbo.work @from int, @text nvarchar(50) = N'x', @found int OUTPUT, @lines sales.lines READONLY AS
SET NOCOUNT ON; SELECT @found = COUNT(*) FROM sales.purchase WHERE customer > @from; SELECT COUNT(*) AS n FROM @lines;
GO
CREATE PROCEDURE dbo.started WITH EXECUTE AS OWNER, RECOMPILE AS SELECT 1 AS one;
GO
CREATE PROCEDURE sales.hidden @a int WITH ENCRYPTION, EXECUTE AS 'clerk' AS SELECT @a AS a;
GO
CREATE FUNCTION dbo.doubled (@n int = 1) RETURNS int WITH SCHEMABINDING, RETURNS NULL ON NULL INPUT AS BEGIN RETURN @n * 2 END;
GO
CREATE FUNCTION dbo.inlined (@n int) RETURNS TABLE AS RETURN SELECT id, amount FROM sales.purchase WHERE customer = @n;
GO
CREATE FUNCTION dbo.listed (@n int) RETURNS @t TABLE (id int PRIMARY KEY, v varchar(20) DEFAULT 'v') AS BEGIN INSERT @t (id) VALUES (@n); RETURN END;
GO
CREATE TRIGGER sales.watched ON sales.customer AFTER INSERT, UPDATE AS SET NOCOUNT ON; DECLARE @n int = (SELECT COUNT(*) FROM inserted);
GO
CREATE TRIGGER sales.other ON sales.customer FOR DELETE NOT FOR REPLICATION AS PRINT 'gone';
GO
EXEC sp_settriggerorder 'sales.watched', 'first', 'INSERT';
DISABLE TRIGGER sales.other ON sales.customer;
GO
CREATE VIEW dbo.plain AS SELECT id, code FROM sales.customer;
GO
CREATE TRIGGER dbo.instead ON dbo.plain INSTEAD OF INSERT AS RETURN;
GO
CREATE TRIGGER defined ON DATABASE WITH EXECUTE AS 'dbo' FOR CREATE_TABLE, DROP_TABLE AS DECLARE @x xml = EVENTDATA();
GO
CREATE TRIGGER quiet ON DATABASE FOR ALTER_TABLE, DDL_VIEW_EVENTS AS RETURN;
GO
EXEC sp_settriggerorder 'quiet', 'last', 'ALTER_TABLE', 'DATABASE';
GO
DISABLE TRIGGER quiet ON DATABASE;
GO
CREATE TRIGGER logged_in ON ALL SERVER WITH EXECUTE AS 'sa' FOR LOGON AS RETURN;
GO
CREATE TRIGGER made ON ALL SERVER FOR CREATE_LOGIN, DDL_DATABASE_LEVEL_EVENTS AS RETURN;
GO
EXEC sp_settriggerorder 'made', 'first', 'CREATE_LOGIN', 'SERVER';
GO
DISABLE TRIGGER made ON ALL SERVER;
GO
SET QUOTED_IDENTIFIER OFF;
GO
SET ANSI_NULLS OFF;
GO
CREATE PROCEDURE dbo.older AS SELECT a.id, b.code FROM sales.purchase AS a JOIN sales.customer AS b ON b.id = a.customer; UPDATE sales.customer SET balance = 1 WHERE id = 1; EXEC dbo.nowhere; SELECT * FROM simple.dbo.t; INSERT dbo.node SELECT * FROM dbo.node;
GO
CREATE TABLE dbo.before (a int NULL, b AS a + 1);
GO
SET QUOTED_IDENTIFIER ON;
SET ANSI_NULLS ON;
GO
CREATE FUNCTION dbo.tidy (@s varchar(20)) RETURNS varchar(30) AS BEGIN RETURN @s + 'x' END;
GO
CREATE PROCEDURE dbo.reads @d datetime2(3), @p decimal(9, 2) AS SELECT @d AS d, @p AS p;
GO
CREATE SYNONYM dbo.alias FOR sales.customer;
GRANT SELECT ON sales.customer TO alone WITH GRANT OPTION;
GRANT UPDATE ON sales.customer (name, mail) TO alone;
DENY DELETE ON SCHEMA::sales TO readers;
GRANT EXECUTE TO alone;
GRANT IMPERSONATE ON USER::alone TO clerk;
GRANT EXECUTE ON TYPE::sales.code TO readers;
GRANT CREATE TABLE TO clerk AS dbo;
EXEC sp_addextendedproperty N'MS_Description', N'Who buys', N'SCHEMA', N'sales', N'TABLE', N'customer';
EXEC sp_addextendedproperty N'MS_Description', N'Where to', N'SCHEMA', N'sales', N'TABLE', N'customer', N'COLUMN', N'mail';
EXEC sp_addextendedproperty N'version', 7;
ALTER DATABASE SCOPED CONFIGURATION SET MAXDOP = 2;
ALTER DATABASE SCOPED CONFIGURATION SET LAST_QUERY_PLAN_STATS = ON;
ALTER DATABASE SCOPED CONFIGURATION FOR SECONDARY SET MAXDOP = 4;
GO
INSERT sales.customer (code, name, mail, born, balance, notes, picture, long1, plain)
SELECT concat('c', value), concat(N'Müller ', value), concat('m', value, '@example.com'), iif(value % 3 = 0, '19800101', NULL), value, replicate(cast(N'n' AS nvarchar(max)), value * 50), cast(replicate(cast('p' AS varchar(max)), value * 100) AS varbinary(max)), replicate('l', 7000), value FROM generate_series(1, 200);
INSERT sales.purchase (year, customer, amount, item) SELECT 2019 + value % 5, 100 + value % 100 * 2, value, concat('i', value % 20) FROM generate_series(1, 100);
INSERT dbo.everything (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, bb, cc, dd, ee, gg)
SELECT 1, value, value, value, value, value, value, value, value, value, value, '20240101', '10:11:12.123', '20240101', '20240101', '20240101', '20240101', 'r', 's', replicate('t', 9000), 'u', 'v', 'w', 0x01, 0x02, 0x03, newid(), value, '<a/>', 'd', 'e', 'g' FROM generate_series(1, 20);
INSERT dbo.heap SELECT value, 'short', replicate('w', 2000) FROM generate_series(1, 300);
UPDATE dbo.heap SET v = replicate('v', 400), w = replicate('w', 7900) WHERE id % 3 = 0;
DELETE dbo.heap WHERE id % 7 = 0;
INSERT dbo.heap VALUES (1, 'again', NULL);
INSERT dbo.node VALUES (1, NULL, 0), (2, 1, 0), (3, 1, 0), (4, 2, 0), (5, 2, 0), (6, 3, 0);
INSERT dbo.leaf VALUES (1, 2), (2, 3);
INSERT dbo.packed SELECT value, 'packed' FROM generate_series(1, 50);
INSERT dbo.rowed SELECT value, 'rowed' FROM generate_series(1, 50);
INSERT dbo.lots SELECT value * value, concat('lots ', value * 7919 % 10000, replicate('x', 100)) FROM generate_series(1, 20000);
EXEC sp_updatestats;
SELECT NEXT VALUE FOR dbo.ended AS n;
SELECT NEXT VALUE FOR dbo.typed AS n;
INSERT dbo.pairs (a, b) VALUES (1, 1), (2, 2);
INSERT dbo.counted DEFAULT VALUES;
SELECT item, COUNT(*) AS n INTO #counted FROM sales.purchase WHERE amount > 10 GROUP BY item;
UPDATE sales.purchase SET item = 'i100' WHERE amount = 7;
DELETE sales.purchase WHERE amount = 9;
GO
BACKUP DATABASE busy TO DISK = '$(DIR)/busy.bak' WITH INIT, FORMAT, NAME = N'Whole', DESCRIPTION = N'All of it', MEDIANAME = N'shelf', MEDIADESCRIPTION = N'Second shelf', EXPIREDATE = '20990101', CHECKSUM;
BACKUP DATABASE simple TO DISK = '$(DIR)/simple1.bak' WITH COPY_ONLY, RETAINDAYS = 3;
BACKUP LOG busy TO DISK = '$(DIR)/busy.trn';
GO
RESTORE DATABASE again FROM DISK = '$(DIR)/simple1.bak' WITH MOVE 'simple' TO '$(DIR)/again.mdf', MOVE 'simple_log' TO '$(DIR)/again.ldf', NORECOVERY;
GO
USE master;
GO
CREATE DATABASE busy_then ON (NAME = busy, FILENAME = '$(DIR)/then1.ss'), (NAME = busy2, FILENAME = '$(DIR)/then2.ss'), (NAME = second1, FILENAME = '$(DIR)/then3.ss'), (NAME = second2, FILENAME = '$(DIR)/then4.ss'), (NAME = third1, FILENAME = '$(DIR)/then5.ss') AS SNAPSHOT OF busy;
GO
CREATE WORKLOAD GROUP reports WITH (IMPORTANCE = LOW, REQUEST_MAX_MEMORY_GRANT_PERCENT = 40, MAX_DOP = 2, GROUP_MAX_REQUESTS = 20);
GO
CREATE FUNCTION dbo.classify () RETURNS sysname WITH SCHEMABINDING AS BEGIN RETURN CASE WHEN app_name() = N'reports' THEN N'reports' ELSE N'default' END END;
GO
ALTER RESOURCE GOVERNOR WITH (CLASSIFIER_FUNCTION = dbo.classify);
ALTER RESOURCE GOVERNOR RECONFIGURE;
GO
EXEC msdb.dbo.sp_add_category @class = N'JOB', @type = N'LOCAL', @name = N'Nightly';
EXEC msdb.dbo.sp_add_operator @name = N'Olga', @email_address = N'olga@example.com', @pager_days = 62, @weekday_pager_start_time = 80000;
EXEC msdb.dbo.sp_add_operator @name = N'Otto', @enabled = 0, @pager_address = N'pager', @netsend_address = N'otto';
EXEC msdb.dbo.sp_add_job @job_name = N'Night', @description = N'Every night', @category_name = N'Nightly', @owner_login_name = N'sa', @notify_level_email = 2, @notify_email_operator_name = N'Olga';
WAITFOR DELAY '00:00:00.010';
EXEC msdb.dbo.sp_add_job @job_name = N'Never', @enabled = 0, @owner_login_name = N'clerk', @delete_level = 0;
EXEC msdb.dbo.sp_add_jobstep @job_name = N'Night', @step_name = N'one', @command = N'SELECT 1', @database_name = N'busy', @on_success_action = 3, @retry_attempts = 2, @retry_interval = 1;
EXEC msdb.dbo.sp_add_jobstep @job_name = N'Night', @step_name = N'two', @command = N'SELECT 2', @database_name = N'master', @output_file_name = N'$(DIR)/two.txt', @flags = 2;
EXEC msdb.dbo.sp_add_jobschedule @job_name = N'Night', @name = N'nightly', @freq_type = 4, @freq_interval = 1, @active_start_time = 10000;
EXEC msdb.dbo.sp_add_jobschedule @job_name = N'Night', @name = N'weekly', @freq_type = 8, @freq_interval = 1, @freq_recurrence_factor = 1, @freq_subday_type = 4, @freq_subday_interval = 15, @enabled = 0;
EXEC msdb.dbo.sp_add_jobserver @job_name = N'Night';
EXEC msdb.dbo.sp_add_alert N'Error 825', @message_id = 825, @job_name = N'Night', @notification_message = N'Look at the disk', @include_event_description_in = 1;
EXEC msdb.dbo.sp_add_alert N'Severity 19', @severity = 19, @database_name = N'busy', @event_description_keyword = N'%x%', @delay_between_responses = 60, @enabled = 0;
EXEC msdb.dbo.sp_add_notification N'Severity 19', N'Olga', 1;
EXEC msdb.dbo.sysmail_add_account_sp @account_name = N'first', @email_address = N'dba@example.com', @display_name = N'DBA', @replyto_address = N'reply@example.com', @description = N'An account', @mailserver_name = N'smtp.example.com';
WAITFOR DELAY '00:00:00.010';
EXEC msdb.dbo.sysmail_add_account_sp @account_name = N'second', @email_address = N'two@example.com', @mailserver_name = N'smtp2.example.com', @port = 587, @username = N'user', @password = N'secret', @enable_ssl = 1;
EXEC msdb.dbo.sysmail_add_profile_sp @profile_name = N'mail', @description = N'The profile';
EXEC msdb.dbo.sysmail_add_profile_sp @profile_name = N'spare';
EXEC msdb.dbo.sysmail_add_profileaccount_sp @profile_name = N'mail', @account_name = N'first', @sequence_number = 1;
WAITFOR DELAY '00:00:00.010';
EXEC msdb.dbo.sysmail_add_profileaccount_sp @profile_name = N'mail', @account_name = N'second', @sequence_number = 2;
EXEC msdb.dbo.sysmail_add_principalprofile_sp @profile_name = N'mail', @principal_name = N'public', @is_default = 1;
EXEC msdb.dbo.sp_send_dbmail @profile_name = N'mail', @recipients = N'olga@example.com', @copy_recipients = N'otto@example.com', @subject = N'Hello', @body = N'Body', @importance = N'High';
WAITFOR DELAY '00:00:00.010';
EXEC msdb.dbo.sp_send_dbmail @profile_name = N'spare', @recipients = N'x@example.com', @subject = N'No way', @body = N'Body';
GO
CREATE EVENT SESSION made ON SERVER
    ADD EVENT sqlserver.sql_batch_starting (SET collect_batch_text = 1 ACTION (sqlserver.session_id, package0.event_sequence) WHERE sqlserver.session_id > 50),
    ADD EVENT sqlos.wait_completed (WHERE duration >= 0),
    ADD EVENT sqlserver.sql_statement_completed (SET collect_statement = 0 ACTION (sqlserver.sql_text) WHERE cpu_time > 1000000000)
    ADD TARGET package0.event_file (SET filename = N'made', max_file_size = 2),
    ADD TARGET package0.ring_buffer (SET max_memory = 100),
    ADD TARGET package0.histogram (SET source = N'sqlserver.session_id')
    WITH (MAX_MEMORY = 2 MB, MAX_EVENT_SIZE = 3 MB, EVENT_RETENTION_MODE = ALLOW_MULTIPLE_EVENT_LOSS, MAX_DISPATCH_LATENCY = 5 SECONDS, MEMORY_PARTITION_MODE = PER_CPU,
        TRACK_CAUSALITY = ON);
CREATE EVENT SESSION made_too ON SERVER ADD EVENT sqlserver.attention WITH (MEMORY_PARTITION_MODE = PER_NODE);
ALTER EVENT SESSION made ON SERVER STATE = START;
GO
