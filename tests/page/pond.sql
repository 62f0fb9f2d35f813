create database pond
go
use pond
create table lily (id int not null primary key, amount int not null, note varchar(200) not null)
insert lily select value, value, replicate('x', 100) from generate_series(1, 1000)
create table wide (k int not null primary key, pad char(400) not null)
insert wide select value, convert(char(400), newid()) from generate_series(1, 60000)
go
create database [<script>document.title='broken'</script>]
go
create database [it's "quoted" & ‮reversed‬]
go
create login [<b>ann</b>] with password = 'Pond-2026!', check_policy = off
go
create login ann with password = 'Pond-2026!', check_policy = off
go
