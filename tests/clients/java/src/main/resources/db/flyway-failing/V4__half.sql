create table half (id int);
GO
insert half select id from nobody;
