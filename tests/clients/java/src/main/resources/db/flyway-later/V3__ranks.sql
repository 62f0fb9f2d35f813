alter table notes add rank int not null constraint notes_rank default 7;
GO
update notes set rank = rank;
exec sp_rename 'notes.notes_words', 'notes_by_words', 'INDEX';
