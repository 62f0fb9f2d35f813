-- Characters that code page 1252 lacks become what they look like, or a question mark.
declare @n nvarchar(40) = N'Łódź ʼ∞ Ａ１ жΩ語'
select cast(@n as varchar(40)) as narrow, datalength(cast(@n as varchar(40))) as bytes
create table t (v varchar(20), n nvarchar(20))
insert t values (N'Đorđe', N'Đorđe'), (N'Ωmega…', N'Ωmega…')
select v, n, case when v = n then 'same' else 'other' end as compared from t
select count(*) as found from t where v = N'Đorđe'
select count(*) as found from t where v = cast(N'Đorđe' as varchar(20))
select N'ā' + 'b' as wide, cast(N'ā' as char(3)) + '|' as padded, convert(varbinary(4), cast(N'ā≤' as varchar(4))) as bytes
select cast(N'ā' as varchar(4)) collate Latin1_General_100_CI_AS_SC_UTF8 as after_it
GO
--> [narrow:varchar(40) | bytes:int]
--> Lódz '8 A1 ?O? | 14
--> (1 rows affected)
--> (2 rows affected)
--> [v:varchar(20) | n:nvarchar(20) | compared:varchar(5)]
--> Ðorde | Đorđe | other
--> Omega… | Ωmega… | other
--> (2 rows affected)
--> [found:int]
--> 0
--> (1 rows affected)
--> [found:int]
--> 1
--> (1 rows affected)
--> [wide:nvarchar(2) | padded:varchar(4) | bytes:varbinary(4)]
--> āb | a  | | 0x613D
--> (1 rows affected)
--> [after_it:varchar(12)]
--> a
--> (1 rows affected)
