-- A foreign key and what it refers to are of one type, length, scale and collation.
set nocount on
create table pv (v varchar(20) primary key)
create table pc (c char(5) primary key)
create table pn (n nvarchar(20) primary key)
create table pd (d decimal(10, 2) primary key)
create table pt (t datetime2(3) primary key)
create table pk (v varchar(20) collate Latin1_General_CS_AS primary key)
go
create table f (a char(20) constraint fa references pv (v))
go
--> Msg 1778, Level 16, State 0, Line 1: Column 'pv.v' is not the same data type as referencing column 'f.a' in foreign key 'fa'.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table f (a nvarchar(20) constraint fa references dbo.pv (v))
go
--> Msg 1778, Level 16, State 0, Line 1: Column 'dbo.pv.v' is not the same data type as referencing column 'f.a' in foreign key 'fa'.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table f (a varchar(10) constraint fa references pv (v))
go
--> Msg 1753, Level 16, State 0, Line 1: Column 'pv.v' is not the same length or scale as referencing column 'f.a' in foreign key 'fa'. Columns participating in a foreign key relationship must be defined with the same length and scale.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table f (a varchar(30) constraint fa references dbo.pv (v))
go
--> Msg 1753, Level 16, State 0, Line 1: Column 'dbo.pv.v' is not the same length or scale as referencing column 'f.a' in foreign key 'fa'. Columns participating in a foreign key relationship must be defined with the same length and scale.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table f (a char(4) constraint fa references pc (c))
go
--> Msg 1753, Level 16, State 0, Line 1: Column 'pc.c' is not the same length or scale as referencing column 'f.a' in foreign key 'fa'. Columns participating in a foreign key relationship must be defined with the same length and scale.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table f (a nvarchar(10) constraint fa references pn (n))
go
--> Msg 1753, Level 16, State 0, Line 1: Column 'pn.n' is not the same length or scale as referencing column 'f.a' in foreign key 'fa'. Columns participating in a foreign key relationship must be defined with the same length and scale.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table f (a decimal(10, 3) constraint fa references pd (d))
go
--> Msg 1753, Level 16, State 0, Line 1: Column 'pd.d' is not the same length or scale as referencing column 'f.a' in foreign key 'fa'. Columns participating in a foreign key relationship must be defined with the same length and scale.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table f (a decimal(9, 2) constraint fa references pd (d))
go
--> Msg 1753, Level 16, State 0, Line 1: Column 'pd.d' is not the same length or scale as referencing column 'f.a' in foreign key 'fa'. Columns participating in a foreign key relationship must be defined with the same length and scale.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table f (a datetime2(7) constraint fa references pt (t))
go
--> Msg 1753, Level 16, State 0, Line 1: Column 'pt.t' is not the same length or scale as referencing column 'f.a' in foreign key 'fa'. Columns participating in a foreign key relationship must be defined with the same length and scale.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table f (a varchar(20) constraint fa references pk (v))
go
--> Msg 1757, Level 16, State 0, Line 1: Column 'pk.v' is not of same collation as referencing column 'f.a' in foreign key 'fa'.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table f (a varchar(20), b nvarchar(20), c numeric(10, 2), d datetime2(3), e varchar(20) collate Latin1_General_CS_AS)
alter table f add constraint fb foreign key (b) references pv (v)
go
--> Msg 1778, Level 16, State 0, Line 2: Column 'pv.v' is not the same data type as referencing column 'f.b' in foreign key 'fb'.
--> Msg 1750, Level 16, State 1, Line 2: Could not create constraint or index. See previous errors.
alter table f add constraint fa foreign key (a) references pv (v), constraint fb foreign key (b) references pn (n), constraint fc foreign key (c) references pd (d), constraint fd foreign key (d) references pt (t), constraint fe foreign key (e) references pk (v)
insert pv values ('v')
insert f (a) values ('v'), ('w')
go
--> Msg 547, Level 16, State 0, Line 3: The INSERT statement conflicted with the FOREIGN KEY constraint "fa". The conflict occurred in database "master", table "dbo.pv", column 'v'.
--> # The statement has been terminated.
