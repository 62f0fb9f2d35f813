insert notes (words) values (N'first; not the end'), (N'its first');
go
/* A batch of its own, with GO in a text:
GO
*/
create procedure count_notes @more int as
begin
    declare @found int = (select count(*) from notes);
    return @found + @more;
end;
GO
if exists (select * from notes where words = '${word}')
    throw 50000, 'the placeholder', 1;
