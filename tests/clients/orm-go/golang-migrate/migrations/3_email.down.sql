drop view mailed;
alter table people drop column email;
