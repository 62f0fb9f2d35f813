-- A message with a number of its own: raised with its text and severity, listed, in place of another, gone
exec sp_addmessage 50001, 16, N'Percentage expects a value between 20 and 100.'
exec sp_addmessage @msgnum = 50002, @severity = 10, @msgtext = N'%s has %d of %5.1s.', @lang = 'us_english'
select message_id, language_id, severity, is_event_logged, text from sys.messages where message_id > 50000 order by 1, 2
raiserror (50001, 16, 1)
raiserror (50001, -1, 7)
raiserror (50002, -1, 1, 'Anna', 3, 'trees')
select formatmessage(50002, 'Bob', 4, 'x') as f, formatmessage(50003) as n
go
--> [message_id:int | language_id:smallint | severity:tinyint | is_event_logged:bit | text:nvarchar(2048)]
--> 50001 | 1033 | 16 | 0 | Percentage expects a value between 20 and 100.
--> 50002 | 1033 | 10 | 0 | %s has %d of %5.1s.
--> (2 rows affected)
--> Msg 50001, Level 16, State 1, Line 5: Percentage expects a value between 20 and 100.
--> Msg 50001, Level 16, State 7, Line 6: Percentage expects a value between 20 and 100.
--> # Anna has 3 of     t.
--> [f:nvarchar(2048) | n:nvarchar(2048)]
--> Bob has 4 of     x. | NULL
--> (1 rows affected)
-- Caught, with the number and severity that it has
begin try
  raiserror (50001, 11, 2)
end try
begin catch
  select error_number() as n, error_severity() as s, error_state() as t, error_message() as m
end catch
go
--> [n:int | s:int | t:int | m:nvarchar(4000)]
--> 50001 | 11 | 2 | Percentage expects a value between 20 and 100.
--> (1 rows affected)
-- The same in another language: its places name those of the English text; sessions without it have the English one
exec sp_addmessage 60000, 16, N'This is a test message with one numeric parameter (%d), one string parameter (%s), and another string parameter (%s).', 'us_english'
exec sp_addmessage 60000, 16, N'Dies ist eine Testmeldung mit einem Zeichenfolgenparameter (%3!), einem weiteren (%2!), und einem numerischen Parameter (%1!).', 'German'
raiserror (60000, 1, 1, 15, 'param1', 'param2')
set language German
raiserror (60000, 1, 1, 15, 'param1', 'param2')
select formatmessage(60000, 1, 'a', 'b') as f
set language French
raiserror (60000, 1, 1, 15, 'param1', 'param2')
set language us_english
exec sp_addmessage 60000, 12, N'New: %d, %s, %s', @replace = 'replace', @with_log = 'true'
select language_id, severity, is_event_logged from sys.messages where message_id = 60000 order by 1
exec sp_altermessage 60000, 'WITH_LOG', 'false'
select language_id, severity, is_event_logged from sys.messages where message_id = 60000 order by 1
go
--> # This is a test message with one numeric parameter (15), one string parameter (param1), and another string parameter (param2).
--> # Changed language setting to Deutsch.
--> # Dies ist eine Testmeldung mit einem Zeichenfolgenparameter (param2), einem weiteren (param1), und einem numerischen Parameter (15).
--> [f:nvarchar(2048)]
--> Dies ist eine Testmeldung mit einem Zeichenfolgenparameter (b), einem weiteren (a), und einem numerischen Parameter (1).
--> (1 rows affected)
--> # Changed language setting to Français.
--> # This is a test message with one numeric parameter (15), one string parameter (param1), and another string parameter (param2).
--> # Changed language setting to us_english.
--> [language_id:smallint | severity:tinyint | is_event_logged:bit]
--> 1031 | 12 | 1
--> 1033 | 12 | 1
--> (2 rows affected)
--> [language_id:smallint | severity:tinyint | is_event_logged:bit]
--> 1031 | 12 | 0
--> 1033 | 12 | 0
--> (2 rows affected)
-- What is refused
exec sp_addmessage 50000, 16, N'a'
exec sp_addmessage 50005, 26, N'a'
exec sp_addmessage 50005, 0, N'a'
exec sp_addmessage 50005, 16
exec sp_addmessage 50005, 16, N'a', 'Klingon'
exec sp_addmessage 50005, 16, N'a', 'German'
exec sp_addmessage 50001, 16, N'a'
exec sp_addmessage 50001, 16, N'a', null, 'maybe'
exec sp_addmessage 50001, 16, N'a', null, 'false', 'again'
exec sp_addmessage 60000, 11, N'a', 'French'
exec sp_altermessage 50009, 'WITH_LOG', 'true'
exec sp_altermessage 50001, 'LOG', 'true'
exec sp_altermessage 50001, 'WITH_LOG', 'yes'
exec sp_dropmessage
exec sp_dropmessage 1205
exec sp_dropmessage 50009
exec sp_dropmessage 50001, 'German'
exec sp_dropmessage 60000
go
--> Msg 15040, Level 16, State 1, Line 2: User-defined error messages must have an ID greater than 50000.
--> Msg 15041, Level 16, State 1, Line 3: User-defined error messages must have a severity level between 1 and 25.
--> Msg 15041, Level 16, State 1, Line 4: User-defined error messages must have a severity level between 1 and 25.
--> Msg 15071, Level 16, State 1, Line 5: Usage: sp_addmessage <msgnum>,<severity>,<msgtext> [,<language> [,FALSE | TRUE [,REPLACE]]]
--> Msg 15033, Level 16, State 1, Line 6: 'Klingon' is not a valid official language name.
--> Msg 15279, Level 16, State 1, Line 7: You must add the us_english version of this message before you can add the 'German' version.
--> Msg 15043, Level 16, State 1, Line 8: You must specify 'REPLACE' to overwrite an existing message.
--> Msg 15271, Level 16, State 1, Line 9: Invalid @with_log parameter value. Valid values are 'true' or 'false'.
--> Msg 15043, Level 16, State 1, Line 10: You must specify 'REPLACE' to overwrite an existing message.
--> Msg 15304, Level 16, State 1, Line 11: The severity level of the 'French' version of this message must be the same as the severity level (12) of the us_english version.
--> Msg 15179, Level 16, State 1, Line 12: The message number 50009 or specified language version does not exist.
--> Msg 15176, Level 16, State 1, Line 13: The only valid @parameter value is 'WITH_LOG'.
--> Msg 15277, Level 16, State 1, Line 14: The only valid @parameter_value values are 'true' or 'false'.
--> Msg 15177, Level 16, State 1, Line 15: Usage: sp_dropmessage <msg number> [,<language> | 'ALL']
--> Msg 15178, Level 16, State 1, Line 16: Cannot drop or alter a message with an ID less than 50,000.
--> Msg 15179, Level 16, State 1, Line 17: The message number 50009 or specified language version does not exist.
--> Msg 15179, Level 16, State 1, Line 18: The message number 50001 or specified language version does not exist.
--> Msg 15280, Level 16, State 1, Line 19: All localized versions of this message must be dropped before the us_english version can be dropped.
-- Dropped, one by one or all; a transaction that is rolled back keeps them
begin transaction
exec sp_dropmessage 60000, 'all'
exec sp_dropmessage 50001
rollback
select message_id from sys.messages where message_id > 50000 order by 1
raiserror (60000, 16, 1)
declare @n int = (select count(*) from sys.messages where message_id > 50000)
select @n as n
go
--> [message_id:int]
--> 50002
--> (1 rows affected)
--> Msg 18054, Level 16, State 1, Line 7: Error 60000, severity 16, state 1 was raised, but no message with that error number was found in sys.messages. If error is larger than 50000, make sure the user-defined message is added using sp_addmessage.
--> [n:int]
--> 1
--> (1 rows affected)
