drop table people;
