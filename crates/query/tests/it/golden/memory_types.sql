-- Memory-optimized table types: rows in memory alone, with keys, indexes, DEFAULT and CHECK.
USE tempdb;
GO
CREATE TYPE dbo.orders AS TABLE (
    id int NOT NULL PRIMARY KEY NONCLUSTERED,
    customer int NOT NULL INDEX ix_customer HASH WITH (BUCKET_COUNT = 1000),
    amount decimal(9, 2) NOT NULL DEFAULT 1.5 CHECK (amount > 0),
    note varchar(20) NULL,
    INDEX ix_amount NONCLUSTERED (amount DESC, id)
) WITH (MEMORY_OPTIMIZED = ON);
GO
SELECT name, is_memory_optimized FROM sys.table_types WHERE name = 'orders';
GO
--> [name:nvarchar(128) | is_memory_optimized:bit]
--> orders | 1
--> (1 rows affected)
DECLARE @o dbo.orders;
INSERT @o VALUES (1, 10, 5, 'one'), (2, 10, 7.25, 'two'), (3, 20, 1, NULL);
INSERT @o (id, customer) SELECT id + 10, customer FROM @o WHERE customer = 10;
SELECT * FROM @o ORDER BY id;
SELECT id FROM @o WHERE customer = 10 ORDER BY id DESC;
SELECT TOP 2 id, amount FROM @o ORDER BY amount DESC, id;
SELECT note FROM @o WHERE id = 2;
SELECT customer, SUM(amount) AS total FROM @o GROUP BY customer ORDER BY customer;
SELECT a.id, b.id AS other FROM @o AS a JOIN @o AS b ON b.customer = a.customer AND b.id > a.id ORDER BY a.id, b.id;
UPDATE @o SET id = id + 1, note = 'moved' OUTPUT deleted.id AS was, inserted.id WHERE customer = 10 AND id > 2;
UPDATE o SET amount += 1 FROM @o AS o WHERE id IN (1, 2);
DELETE @o WHERE note = 'moved' AND id = 12;
SELECT * FROM @o ORDER BY id;
DELETE @o;
SELECT COUNT(*) AS none FROM @o;
GO
--> (3 rows affected)
--> (2 rows affected)
--> [id:int | customer:int | amount:decimal(9,2) | note:varchar(20)]
--> 1 | 10 | 5.00 | one
--> 2 | 10 | 7.25 | two
--> 3 | 20 | 1.00 | NULL
--> 11 | 10 | 1.50 | NULL
--> 12 | 10 | 1.50 | NULL
--> (5 rows affected)
--> [id:int]
--> 12
--> 11
--> 2
--> 1
--> (4 rows affected)
--> [id:int | amount:decimal(9,2)]
--> 2 | 7.25
--> 1 | 5.00
--> (2 rows affected)
--> [note:varchar(20)]
--> two
--> (1 rows affected)
--> [customer:int | total:decimal(38,2)]
--> 10 | 15.25
--> 20 | 1.00
--> (2 rows affected)
--> [id:int | other:int]
--> 1 | 2
--> 1 | 11
--> 1 | 12
--> 2 | 11
--> 2 | 12
--> 11 | 12
--> (6 rows affected)
--> [was:int | id:int]
--> 11 | 12
--> 12 | 13
--> (2 rows affected)
--> (2 rows affected)
--> (1 rows affected)
--> [id:int | customer:int | amount:decimal(9,2) | note:varchar(20)]
--> 1 | 10 | 6.00 | one
--> 2 | 10 | 8.25 | two
--> 3 | 20 | 1.00 | NULL
--> 13 | 10 | 1.50 | moved
--> (4 rows affected)
--> (4 rows affected)
--> [none:int]
--> 0
--> (1 rows affected)
-- A statement that fails leaves nothing; a rollback leaves variables alone.
DECLARE @o dbo.orders;
INSERT @o (id, customer) VALUES (1, 1), (2, 2);
INSERT @o (id, customer) VALUES (3, 3), (1, 9);
UPDATE @o SET id = 5;
INSERT @o (id, customer, amount) VALUES (7, 7, -1);
BEGIN TRAN;
DELETE @o WHERE id = 1;
INSERT @o (id, customer) VALUES (8, 8);
ROLLBACK;
SELECT id, customer FROM @o ORDER BY id;
GO
--> (2 rows affected)
--> Msg 2627, Level 14, State 1, Line 4: Violation of PRIMARY KEY constraint 'PK__orders__0000000000000001'. Cannot insert duplicate key in object 'dbo.@o'. The duplicate key value is (1).
--> # The statement has been terminated.
--> Msg 2627, Level 14, State 1, Line 5: Violation of PRIMARY KEY constraint 'PK__orders__0000000000000001'. Cannot insert duplicate key in object 'dbo.@o'. The duplicate key value is (5).
--> # The statement has been terminated.
--> Msg 547, Level 16, State 0, Line 6: The INSERT statement conflicted with the CHECK constraint "CK__orders__amoun__00000002". The conflict occurred in database "tempdb", table "dbo.@o", column 'amount'.
--> # The statement has been terminated.
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | customer:int]
--> 2 | 2
--> 8 | 8
--> (2 rows affected)
-- No page of tempdb: the variable is in no view of objects and costs no space, but is accounted.
SET NOCOUNT ON;
DECLARE @o dbo.orders;
DECLARE @i int = 0;
WHILE @i < 200
BEGIN
    INSERT @o (id, customer) VALUES (@i, @i % 7);
    SET @i += 1;
END
SELECT user_objects_alloc_page_count AS pages FROM sys.dm_db_task_space_usage WHERE session_id = @@SPID;
SELECT name, rows FROM sys.dm_millpond_memory_variables WHERE session_id = @@SPID;
SELECT memory_consumer_type_desc, memory_consumer_desc, index_id, allocation_count
FROM sys.dm_db_xtp_memory_consumers ORDER BY memory_consumer_id;
SELECT COUNT(*) AS listed FROM sys.dm_db_xtp_table_memory_stats WHERE memory_used_by_table_kb > 10;
SELECT IIF(used_bytes > 50000, 'much', 'little') AS used FROM sys.dm_xtp_system_memory_consumers;
SELECT COUNT(*) AS objects FROM sys.tables WHERE name LIKE '#%';
SET NOCOUNT OFF;
GO
--> [pages:bigint]
--> 0
--> [name:nvarchar(128) | rows:bigint]
--> @o | 200
--> [memory_consumer_type_desc:nvarchar(64) | memory_consumer_desc:nvarchar(64) | index_id:int | allocation_count:int]
--> VARHEAP | Table heap | NULL | 200
--> VARHEAP | Range index heap | 2 | 200
--> HASH | Hash index | 3 | 200
--> VARHEAP | Range index heap | 4 | 200
--> [listed:int]
--> 1
--> [used:varchar(6)]
--> much
--> [objects:int]
--> 0
SELECT used_bytes FROM sys.dm_xtp_system_memory_consumers;
GO
--> [used_bytes:bigint]
--> 0
--> (1 rows affected)
-- As a READONLY parameter.
CREATE PROCEDURE dbo.total_of @p dbo.orders READONLY AS
    SELECT COUNT(*) AS n, SUM(amount) AS total FROM @p;
GO
DECLARE @o dbo.orders;
INSERT @o (id, customer, amount) VALUES (1, 1, 10), (2, 1, 20);
EXEC total_of @o;
GO
--> (2 rows affected)
--> [n:int | total:decimal(38,2)]
--> 2 | 30.00
--> (1 rows affected)
-- Memory ends: the statement fails, the variable keeps what it had, the server goes on.
EXEC sp_configure 'memory-optimized data (%)', 1;
RECONFIGURE;
GO
--> # Configuration option 'memory-optimized data (%)' changed from 25 to 1. Run the RECONFIGURE statement to install.
CREATE TYPE dbo.wide AS TABLE (id int NOT NULL, v char(8000) NOT NULL, INDEX ix (id)) WITH (MEMORY_OPTIMIZED = ON);
GO
DECLARE @w dbo.wide;
INSERT @w VALUES (1, 'kept');
INSERT @w SELECT a.id, 'x' FROM (SELECT TOP 4000 1 AS id FROM sys.all_columns AS a CROSS JOIN sys.all_columns AS b) AS a;
SELECT COUNT(*) AS kept FROM @w;
BEGIN TRY
    INSERT @w SELECT a.id, 'x' FROM (SELECT TOP 4000 1 AS id FROM sys.all_columns AS a CROSS JOIN sys.all_columns AS b) AS a;
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_SEVERITY() AS severity;
END CATCH
INSERT @w VALUES (2, 'still');
SELECT COUNT(*) AS more FROM @w;
GO
--> (1 rows affected)
--> Msg 41805, Level 16, State 1, Line 3: There is insufficient memory in the resource pool 'default' to run this operation on memory-optimized tables. See 'https://go.microsoft.com/fwlink/?LinkID=614951' for more information.
--> # The statement has been terminated.
--> [kept:int]
--> 1
--> (1 rows affected)
--> [number:int | severity:int]
--> 41805 | 16
--> (1 rows affected)
--> (1 rows affected)
--> [more:int]
--> 2
--> (1 rows affected)
EXEC sp_configure 'memory-optimized data (%)', 25;
RECONFIGURE;
GO
--> # Configuration option 'memory-optimized data (%)' changed from 1 to 25. Run the RECONFIGURE statement to install.
-- What such a type may not have.
CREATE TYPE dbo.bad1 AS TABLE (id int NOT NULL PRIMARY KEY) WITH (MEMORY_OPTIMIZED = ON);
GO
--> Msg 12317, Level 16, State 76, Line 2: Clustered indexes, which are the default for primary keys, are not supported with memory optimized tables. Specify a NONCLUSTERED index instead.
CREATE TYPE dbo.bad2 AS TABLE (id int NOT NULL) WITH (MEMORY_OPTIMIZED = ON);
GO
--> Msg 41327, Level 16, State 7, Line 1: The memory optimized table 'bad2' must have at least one index or a primary key.
CREATE TYPE dbo.bad3 AS TABLE (id int NOT NULL, INDEX ix (id) WHERE id > 1) WITH (MEMORY_OPTIMIZED = ON);
GO
--> Msg 10794, Level 16, State 1, Line 1: The feature 'filtered index' is not supported with indexes on memory optimized tables.
CREATE TYPE dbo.bad4 AS TABLE (id int NOT NULL INDEX ix HASH WITH (BUCKET_COUNT = 8));
GO
--> Msg 10794, Level 16, State 1, Line 1: The index option 'HASH' is not supported with disk-based tables.
CREATE TYPE dbo.bad5 AS TABLE (id int NOT NULL INDEX ix HASH) WITH (MEMORY_OPTIMIZED = ON);
GO
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'HASH'.
CREATE TYPE dbo.bad6 AS TABLE (id int IDENTITY(5, 2), INDEX ix (id)) WITH (MEMORY_OPTIMIZED = ON);
GO
--> Msg 12316, Level 16, State 1, Line 1: The use of seed and increment values other than 1 is not supported with memory optimized tables.
-- Keys of types on pages hold as well.
CREATE TYPE dbo.keyed AS TABLE (id int PRIMARY KEY, v varchar(5) UNIQUE);
GO
DECLARE @k dbo.keyed;
INSERT @k VALUES (1, 'a'), (2, 'b');
INSERT @k VALUES (1, 'c');
INSERT @k VALUES (3, 'b');
SELECT * FROM @k;
GO
--> (2 rows affected)
--> Msg 2627, Level 14, State 1, Line 3: Violation of PRIMARY KEY constraint 'PK__keyed__0000000000000000'. Cannot insert duplicate key in object 'dbo.@k'. The duplicate key value is (1).
--> # The statement has been terminated.
--> Msg 2627, Level 14, State 1, Line 4: Violation of UNIQUE KEY constraint 'UQ__keyed__0000000000000001'. Cannot insert duplicate key in object 'dbo.@k'. The duplicate key value is (b).
--> # The statement has been terminated.
--> [id:int | v:varchar(5)]
--> 1 | a
--> 2 | b
--> (2 rows affected)
