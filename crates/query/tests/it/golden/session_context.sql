-- Values of a session by key.
exec sp_set_session_context 'tenant', 7;
exec sp_set_session_context @key = N'who', @value = N'Ann', @read_only = 1;
select session_context(N'tenant') as tenant, session_context(N'TENANT') as any_case, session_context(N'who') as who, session_context(N'none') as none;
select sql_variant_property(session_context(N'tenant'), 'BaseType') as t, sql_variant_property(session_context(N'who'), 'BaseType') as w;
exec sp_set_session_context 'tenant', null;
select session_context(N'tenant') as gone;
go
--> [tenant:sql_variant | any_case:sql_variant | who:sql_variant | none:sql_variant]
--> 7 | 7 | Ann | NULL
--> (1 rows affected)
--> [t:sql_variant | w:sql_variant]
--> int | nvarchar
--> (1 rows affected)
--> [gone:sql_variant]
--> NULL
--> (1 rows affected)
exec sp_set_session_context 'who', 'Bob';
go
--> Msg 15664, Level 16, State 1, Line 1: Cannot set key 'who' in the session context. The key has been set as read_only for this session.
select session_context(N'who') as still;
go
--> [still:sql_variant]
--> Ann
--> (1 rows affected)
select session_context('who');
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type varchar is invalid for argument 1 of session_context function.
exec sp_set_session_context N'who';
go
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_set_session_context' expects parameter '@value', which was not supplied.
create table t (id int not null, tenant int not null);
insert t values (1, 7), (2, 8);
exec sp_set_session_context N'tenant', 8;
select id from t where tenant = cast(session_context(N'tenant') as int);
go
--> (2 rows affected)
--> [id:int]
--> 2
--> (1 rows affected)
declare @i int = 0, @key nvarchar(128), @long varchar(8000) = replicate('x', 8000);
while @i < 140
begin
    set @key = concat(N'k', @i);
    exec sp_set_session_context @key, @long;
    set @i += 1;
end
go
--> Msg 15665, Level 16, State 1, Line 5: The value was not set for key 'k130' because the total size of keys and values in the session context would exceed the 1 MB limit.
--> Msg 15665, Level 16, State 1, Line 5: The value was not set for key 'k131' because the total size of keys and values in the session context would exceed the 1 MB limit.
--> Msg 15665, Level 16, State 1, Line 5: The value was not set for key 'k132' because the total size of keys and values in the session context would exceed the 1 MB limit.
--> Msg 15665, Level 16, State 1, Line 5: The value was not set for key 'k133' because the total size of keys and values in the session context would exceed the 1 MB limit.
--> Msg 15665, Level 16, State 1, Line 5: The value was not set for key 'k134' because the total size of keys and values in the session context would exceed the 1 MB limit.
--> Msg 15665, Level 16, State 1, Line 5: The value was not set for key 'k135' because the total size of keys and values in the session context would exceed the 1 MB limit.
--> Msg 15665, Level 16, State 1, Line 5: The value was not set for key 'k136' because the total size of keys and values in the session context would exceed the 1 MB limit.
--> Msg 15665, Level 16, State 1, Line 5: The value was not set for key 'k137' because the total size of keys and values in the session context would exceed the 1 MB limit.
--> Msg 15665, Level 16, State 1, Line 5: The value was not set for key 'k138' because the total size of keys and values in the session context would exceed the 1 MB limit.
--> Msg 15665, Level 16, State 1, Line 5: The value was not set for key 'k139' because the total size of keys and values in the session context would exceed the 1 MB limit.
