drop table books;
