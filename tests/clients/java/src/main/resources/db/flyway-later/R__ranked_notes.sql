create or alter view ranked_notes as select id, words, rank from notes;
