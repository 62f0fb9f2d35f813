-- What SQL Server has and this version does not is refused by its name; what nobody has is unknown as ever.
select json_contains('{"a":1}', 1);
go
--> Msg 40517, Level 16, State 1, Line 2: The function JSON_CONTAINS is not supported in this version of Millpond.
select TextValid('t.c', 0x00);
go
--> Msg 40517, Level 16, State 1, Line 1: The function TEXTVALID is not supported in this version of Millpond.
select no_such_function(1);
go
--> Msg 195, Level 15, State 10, Line 1: 'no_such_function' is not a recognized built-in function name.
select @@no_such_value;
go
--> Msg 137, Level 15, State 2, Line 1: Must declare the scalar variable "@@no_such_value".
exec sp_addumpdevice 'disk', 'd', 'f';
go
--> Msg 40517, Level 16, State 1, Line 1: The procedure sp_addumpdevice is not supported in this version of Millpond.
exec msdb.dbo.sp_syspolicy_purge_history;
go
--> Msg 40517, Level 16, State 1, Line 1: The procedure sp_syspolicy_purge_history is not supported in this version of Millpond.
exec sp_no_such_procedure;
go
--> Msg 2812, Level 16, State 62, Line 1: Could not find stored procedure 'sp_no_such_procedure'.
select * from sys.sysremotelogins;
go
--> Msg 40517, Level 16, State 1, Line 1: sys.sysremotelogins is not supported in this version of Millpond.
select * from Sys.Sysoledbusers;
go
--> Msg 40517, Level 16, State 1, Line 1: Sys.Sysoledbusers is not supported in this version of Millpond.
select * from msdb.dbo.sysssislog;
go
--> Msg 40517, Level 16, State 1, Line 1: msdb.dbo.sysssislog is not supported in this version of Millpond.
select * from sys.no_such_view;
go
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'sys.no_such_view'.
select value from semantickeyphrasetable('a,b', ',');
go
--> Msg 40517, Level 16, State 1, Line 1: SEMANTICKEYPHRASETABLE is not supported in this version of Millpond.
select * from semanticsimilaritydetailstable('[]');
go
--> Msg 40517, Level 16, State 1, Line 1: SEMANTICSIMILARITYDETAILSTABLE is not supported in this version of Millpond.
select * from no_such_function(1);
go
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'no_such_function'.
dbcc outputbuffer (51);
go
--> Msg 40517, Level 16, State 1, Line 1: DBCC OUTPUTBUFFER is not supported in this version of Millpond.
dbcc no_such_command;
go
--> Msg 2526, Level 16, State 3, Line 1: Incorrect DBCC statement. Check the documentation for the correct DBCC syntax and options.
set fips_flagger 'FULL';
go
--> Msg 40517, Level 16, State 1, Line 1: SET FIPS_FLAGGER is not supported in this version of Millpond.
select 'a' collate SQL_EBCDIC037_CP1_CS_AS;
go
--> Msg 40517, Level 16, State 1, Line 1: The collation SQL_EBCDIC037_CP1_CS_AS is not supported in this version of Millpond.
select 'a' collate Klingon_CI_AS;
go
--> Msg 448, Level 16, State 1, Line 1: Invalid collation 'Klingon_CI_AS'.
create table t (x xml, n int);
go
select x.value('(/a)[1]', 'int') from t;
go
--> [:int]
--> (0 rows affected)
declare @x xml; select @x.exist('/a');
go
--> [:bit]
--> NULL
--> (1 rows affected)
select n.value('(/a)[1]', 'int'), nobody.value('a') from t;
go
--> Msg 258, Level 15, State 1, Line 1: Cannot call methods on int.
select $partition.f(1);
go
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'f'.
select a.n from t a, t b where match(a-(b)->a);
go
--> Msg 40517, Level 16, State 1, Line 1: MATCH over a graph is not supported in this version of Millpond.
alter table t merge range (1);
go
--> Msg 40517, Level 16, State 1, Line 1: ALTER TABLE … MERGE is not supported in this version of Millpond.
create clustered columnstore index c on t order (n);
go
--> Msg 40517, Level 16, State 1, Line 1: A columnstore index is not supported in this version of Millpond.
select format(1, 'N', 'klingon');
go
--> [:nvarchar(4000)]
--> Msg 9818, Level 16, State 1, Line 1: The culture parameter 'klingon' provided in the function call is not supported.
-- A procedure of the user is found first.
create procedure sp_addumpdevice as select 'mine' as whose;
go
exec sp_addumpdevice;
go
--> [whose:varchar(4)]
--> mine
--> (1 rows affected)
-- A branch that is not taken says nothing.
if 1 = 0 select * from sys.syscacheobjects;
select 1 as one;
go
--> [one:int]
--> 1
--> (1 rows affected)
