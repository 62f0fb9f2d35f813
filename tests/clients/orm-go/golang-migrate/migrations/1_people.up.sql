create table people (id int identity primary key, name nvarchar(100) not null unique);
insert people (name) values (N'Ann');
