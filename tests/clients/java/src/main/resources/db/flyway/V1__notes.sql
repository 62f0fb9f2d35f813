create table notes (id int identity primary key, words nvarchar(50) not null);
GO
create index notes_words on notes (words);
GO
