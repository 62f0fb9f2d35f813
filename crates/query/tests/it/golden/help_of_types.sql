-- differs clustered, secondary: the indexes of a table that is not made cannot be made either
-- sp_help of a type, of the server and of the user; what it gives is not counted
create type code from varchar(11) not null
create type amounts as table (a decimal(9, 2))
go
exec sp_help 'int'
exec sp_help 'nvarchar'
exec sp_help 'datetime2'
exec sp_help code
exec sp_help 'dbo.amounts'
exec sp_help 'sys.xml'
go
--> [Type_name:nvarchar(128) | Storage_type:nvarchar(128) | Length:smallint | Prec:int | Scale:int | Nullable:varchar(35) | Default_name:nvarchar(128) | Rule_name:nvarchar(128) | Collation:nvarchar(128)]
--> int | int | 4 | 10 | 0 | yes | none | none | NULL
--> [Type_name:nvarchar(128) | Storage_type:nvarchar(128) | Length:smallint | Prec:int | Scale:int | Nullable:varchar(35) | Default_name:nvarchar(128) | Rule_name:nvarchar(128) | Collation:nvarchar(128)]
--> nvarchar | nvarchar | 8000 | 4000 | NULL | yes | none | none | SQL_Latin1_General_CP1_CI_AS
--> [Type_name:nvarchar(128) | Storage_type:nvarchar(128) | Length:smallint | Prec:int | Scale:int | Nullable:varchar(35) | Default_name:nvarchar(128) | Rule_name:nvarchar(128) | Collation:nvarchar(128)]
--> datetime2 | datetime2 | 8 | 27 | 7 | yes | none | none | NULL
--> [Type_name:nvarchar(128) | Storage_type:nvarchar(128) | Length:smallint | Prec:int | Scale:int | Nullable:varchar(35) | Default_name:nvarchar(128) | Rule_name:nvarchar(128) | Collation:nvarchar(128)]
--> code | varchar | 11 | 11 | NULL | no | none | none | SQL_Latin1_General_CP1_CI_AS
--> [Type_name:nvarchar(128) | Storage_type:nvarchar(128) | Length:smallint | Prec:int | Scale:int | Nullable:varchar(35) | Default_name:nvarchar(128) | Rule_name:nvarchar(128) | Collation:nvarchar(128)]
--> amounts | table type | -1 | 0 | NULL | no | none | none | NULL
--> [Type_name:nvarchar(128) | Storage_type:nvarchar(128) | Length:smallint | Prec:int | Scale:int | Nullable:varchar(35) | Default_name:nvarchar(128) | Rule_name:nvarchar(128) | Collation:nvarchar(128)]
--> xml | xml | -1 | -1 | NULL | yes | none | none | NULL
exec sp_help 'nothing'
go
--> Msg 15009, Level 16, State 1, Line 1: The object 'nothing' does not exist in database 'master' or is invalid for this operation.
-- A key of a type over a column that is none: the constraint is not made either
create type pairs as table (id int, primary key (code))
go
--> Msg 1911, Level 16, State 1, Line 2: Column name 'code' does not exist in the target table or view.
--> Msg 1750, Level 16, State 1, Line 2: Could not create constraint or index. See previous errors.
create table pairs (id int, constraint twice unique (id, id))
go
--> Msg 1909, Level 16, State 1, Line 1: Cannot use duplicate column names in index. Column name 'id' listed more than once.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
