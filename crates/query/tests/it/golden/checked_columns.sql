-- A CHECK over one column is that column's, wherever it was written: its message and the catalog name the column.
create database checked_columns
go
use checked_columns
set nocount on
go
create table ck (a int constraint ck_a check (a > 0), b int, c int, constraint ck_b check (b > 0 and b < 10), constraint ck_bc check (b < c), constraint ck_none check (1 = 1))
go
insert ck values (-1, 1, 2)
go
--> Msg 547, Level 16, State 0, Line 1: The INSERT statement conflicted with the CHECK constraint "ck_a". The conflict occurred in database "checked_columns", table "dbo.ck", column 'a'.
--> # The statement has been terminated.
insert ck values (1, 11, 12)
go
--> Msg 547, Level 16, State 0, Line 1: The INSERT statement conflicted with the CHECK constraint "ck_b". The conflict occurred in database "checked_columns", table "dbo.ck", column 'b'.
--> # The statement has been terminated.
insert ck values (1, 3, 2)
go
--> Msg 547, Level 16, State 0, Line 1: The INSERT statement conflicted with the CHECK constraint "ck_bc". The conflict occurred in database "checked_columns", table "dbo.ck".
--> # The statement has been terminated.
insert ck values (1, 1, -5 + 7)
update ck set a = 0
go
--> Msg 547, Level 16, State 0, Line 2: The UPDATE statement conflicted with the CHECK constraint "ck_a". The conflict occurred in database "checked_columns", table "dbo.ck", column 'a'.
--> # The statement has been terminated.
merge ck using (values (1)) s (a) on ck.a = s.a when matched then update set a = -1;
go
--> Msg 547, Level 16, State 0, Line 1: The MERGE statement conflicted with the CHECK constraint "ck_a". The conflict occurred in database "checked_columns", table "dbo.ck", column 'a'.
--> # The statement has been terminated.
alter table ck add constraint ck_c check (c > 5)
go
--> Msg 547, Level 16, State 0, Line 1: The ALTER TABLE statement conflicted with the CHECK constraint "ck_c". The conflict occurred in database "checked_columns", table "dbo.ck", column 'c'.
alter table ck with nocheck add constraint ck_c check (c > 5)
go
alter table ck with check check constraint ck_c
go
--> Msg 547, Level 16, State 0, Line 1: The ALTER TABLE statement conflicted with the CHECK constraint "ck_c". The conflict occurred in database "checked_columns", table "dbo.ck", column 'c'.
select name, col_name(parent_object_id, parent_column_id) as of_column from sys.check_constraints order by name
exec sp_helpconstraint 'ck', 'nomsg'
go
--> [name:nvarchar(128) | of_column:nvarchar(128)]
--> ck_a | a
--> ck_b | b
--> ck_bc | NULL
--> ck_c | c
--> ck_none | NULL
--> [constraint_type:nvarchar(146) | constraint_name:nvarchar(128) | delete_action:nvarchar(11) | update_action:nvarchar(11) | status_enabled:varchar(8) | status_for_replication:varchar(19) | constraint_keys:nvarchar(2126)]
--> CHECK on column a | ck_a | (n/a) | (n/a) | Enabled | Is_For_Replication | ([a]>(0))
--> CHECK on column b | ck_b | (n/a) | (n/a) | Enabled | Is_For_Replication | ([b]>(0) AND [b]<(10))
--> CHECK Table Level | ck_bc | (n/a) | (n/a) | Enabled | Is_For_Replication | ([b]<[c])
--> CHECK on column c | ck_c | (n/a) | (n/a) | Enabled | Is_For_Replication | ([c]>(5))
--> CHECK Table Level | ck_none | (n/a) | (n/a) | Enabled | Is_For_Replication | ((1)=(1))
--> # No foreign keys reference table 'ck', or you do not have permissions on referencing tables.
create table #ck (a int check (a > 0))
go
insert #ck values (0)
go
--> Msg 547, Level 16, State 0, Line 1: The INSERT statement conflicted with the CHECK constraint "CK__ck__a__00000000". The conflict occurred in database "tempdb", table "dbo.#ck", column 'a'.
--> # The statement has been terminated.
declare @ck table (a int check (a > 0), b int, check (a > b))
begin try
    insert @ck values (1, 1)
end try
begin catch
    select case when error_message() like '%column%' then 'one' else 'both' end as columns
end catch
begin try
    insert @ck values (-1, -2)
end try
begin catch
    select case when error_message() like '%, column ''a''.' then 'one' else 'both' end as columns
end catch
go
--> [columns:varchar(4)]
--> both
--> [columns:varchar(4)]
--> one
