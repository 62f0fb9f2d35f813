create table books (id int identity primary key, owner int not null references people (id), title nvarchar(max));
insert books (owner, title) select id, N'A' from people;
