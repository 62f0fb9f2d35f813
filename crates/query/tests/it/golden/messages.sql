-- sys.messages has the texts that errors are made from; RAISERROR and FORMATMESSAGE take the messages from 13000 on by number.
SELECT message_id, language_id, severity, is_event_logged, text FROM sys.messages WHERE message_id IN (208, 547, 823, 3621, 15457, 50000) ORDER BY message_id;
GO
--> [message_id:int | language_id:smallint | severity:tinyint | is_event_logged:bit | text:nvarchar(2048)]
--> 208 | 1033 | 16 | 0 | Invalid object name '%.*ls'.
--> 547 | 1033 | 16 | 0 | The %ls statement conflicted with the %ls constraint "%.*ls". The conflict occurred in database "%.*ls", table "%.*ls"%ls%.*ls%ls.
--> 823 | 1033 | 24 | 1 | The operating system returned an error during an I/O in a data file: %ls. This is a severe system-level error condition that threatens database integrity and must be corrected immediately.
--> 3621 | 1033 | 10 | 0 | The statement has been terminated.
--> 15457 | 1033 | 10 | 1 | Configuration option '%s' changed from %ld to %ld. Run the RECONFIGURE statement to install.
--> (5 rows affected)
SELECT COUNT(*) AS doubles FROM (SELECT message_id FROM sys.messages GROUP BY message_id, language_id HAVING COUNT(*) > 1) AS d;
GO
--> [doubles:int]
--> 0
--> (1 rows affected)
SELECT FORMATMESSAGE(15009, 'no_such', 'depot') AS text, FORMATMESSAGE(15457, N'lock timeout', 0, 5) AS numbers;
SELECT FORMATMESSAGE(208, 't') AS below, FORMATMESSAGE(13000) AS unknown, FORMATMESSAGE(50001, 1) AS of_nobody, FORMATMESSAGE(NULL) AS none;
GO
--> [text:nvarchar(2048) | numbers:nvarchar(2048)]
--> The object 'no_such' does not exist in database 'depot' or is invalid for this operation. | Configuration option 'lock timeout' changed from 0 to 5. Run the RECONFIGURE statement to install.
--> (1 rows affected)
--> [below:nvarchar(2048) | unknown:nvarchar(2048) | of_nobody:nvarchar(2048) | none:nvarchar(2048)]
--> NULL | NULL | NULL | NULL
--> (1 rows affected)
RAISERROR (15009, 16, 3, 'no_such', 'depot');
PRINT 'goes on';
GO
--> Msg 15009, Level 16, State 3, Line 1: The object 'no_such' does not exist in database 'depot' or is invalid for this operation.
--> # goes on
-- -1 stands for the severity of the message; one of 10 informs.
RAISERROR (15009, -1, -1, 'no_such', 'depot');
RAISERROR (15457, -1, 1, 'lock timeout', 0, 5);
SELECT @@ERROR AS error;
GO
--> Msg 15009, Level 16, State 1, Line 2: The object 'no_such' does not exist in database 'depot' or is invalid for this operation.
--> # Configuration option 'lock timeout' changed from 0 to 5. Run the RECONFIGURE statement to install.
--> [error:int]
--> 0
--> (1 rows affected)
BEGIN TRY
    RAISERROR (15250, 11, 2);
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_SEVERITY() AS severity, ERROR_STATE() AS state, ERROR_MESSAGE() AS text;
END CATCH
GO
--> [number:int | severity:int | state:int | text:nvarchar(4000)]
--> 15250 | 11 | 2 | The database name component of the object qualifier must be the name of the current database.
--> (1 rows affected)
-- An argument that does not fit its place, and one that is not there.
RAISERROR (15457, 16, 1, 'lock timeout', 'none', 5);
RAISERROR (15009, 16, 1, 'no_such');
GO
--> Msg 2786, Level 16, State 1, Line 2: The data type of substitution parameter 2 does not match the expected type of the format specification.
--> Msg 15009, Level 16, State 1, Line 3: The object 'no_such' does not exist in database '(null)' or is invalid for this operation.
-- An error has the text of the table.
SET DATEFIRST 9;
GO
--> Msg 2742, Level 16, State 1, Line 2: SET DATEFIRST 9 is out of range.
