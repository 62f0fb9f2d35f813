alter table people add phone nosuchtype;
