-- What the five situations happen to: small rows, wide rows, and rows on a slow disk.
create database pond
go
alter database pond set allow_snapshot_isolation on
go
use pond
create table lily (id int not null primary key, amount int not null, note varchar(200) not null)
insert lily select value, value, replicate('x', 100) from generate_series(1, 1000)
create table wide (k int not null primary key, pad char(400) not null)
insert wide select value, convert(char(400), newid()) from generate_series(1, 60000)
go
create database archive on (name = archive, filename = 'slow/archive.mdf', size = 64MB) log on (name = archive_log, filename = 'archive_log.ldf')
go
use archive
create table old (k int not null primary key, pad char(4000) not null)
insert old select value, replicate('o', 4000) from generate_series(1, 12000)
go
checkpoint
