alter table people add email nvarchar(200);
exec('create view mailed as select name from people where email is not null');
