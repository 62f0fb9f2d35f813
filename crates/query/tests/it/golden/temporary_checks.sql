-- ALTER TABLE #t [NO]CHECK CONSTRAINT and SET.
CREATE TABLE #t (id int NOT NULL CONSTRAINT pk PRIMARY KEY, v int CONSTRAINT pos CHECK (v > 0), w int CONSTRAINT small CHECK (w < 10), UNIQUE (w));
CREATE TABLE #h (v int CONSTRAINT h_pos CHECK (v > 0));
INSERT #t VALUES (1, 1, 1);
INSERT #t VALUES (2, -1, 2);
GO
--> (1 rows affected)
--> Msg 547, Level 16, State 0, Line 5: The INSERT statement conflicted with the CHECK constraint "pos". The conflict occurred in database "tempdb", table "dbo.#t", column 'v'.
--> # The statement has been terminated.
ALTER TABLE #t NOCHECK CONSTRAINT pos;
INSERT #t VALUES (2, -1, 2);
INSERT #t VALUES (3, -1, 20);
GO
--> (1 rows affected)
--> Msg 547, Level 16, State 0, Line 3: The INSERT statement conflicted with the CHECK constraint "small". The conflict occurred in database "tempdb", table "dbo.#t", column 'w'.
--> # The statement has been terminated.
ALTER TABLE #t WITH CHECK CHECK CONSTRAINT pos;
GO
--> Msg 547, Level 16, State 0, Line 1: The ALTER TABLE statement conflicted with the CHECK constraint "pos". The conflict occurred in database "tempdb", table "dbo.#t", column 'v'.
ALTER TABLE #t CHECK CONSTRAINT pos;
INSERT #t VALUES (3, -1, 3);
GO
--> Msg 547, Level 16, State 0, Line 2: The INSERT statement conflicted with the CHECK constraint "pos". The conflict occurred in database "tempdb", table "dbo.#t", column 'v'.
--> # The statement has been terminated.
ALTER TABLE #t NOCHECK CONSTRAINT ALL;
INSERT #t VALUES (3, -1, 30);
SELECT * FROM #t;
GO
--> (1 rows affected)
--> [id:int | v:int | w:int]
--> 1 | 1 | 1
--> 2 | -1 | 2
--> 3 | -1 | 30
--> (3 rows affected)
DELETE #t WHERE v < 0;
ALTER TABLE #t WITH CHECK CHECK CONSTRAINT ALL;
INSERT #t VALUES (4, -1, 4);
GO
--> (2 rows affected)
--> Msg 547, Level 16, State 0, Line 3: The INSERT statement conflicted with the CHECK constraint "pos". The conflict occurred in database "tempdb", table "dbo.#t", column 'v'.
--> # The statement has been terminated.
ALTER TABLE #t NOCHECK CONSTRAINT nope;
GO
--> Msg 4917, Level 16, State 0, Line 1: Constraint 'nope' does not exist.
ALTER TABLE #h NOCHECK CONSTRAINT h_pos;
INSERT #h VALUES (-1);
BEGIN TRAN;
DELETE #h;
ALTER TABLE #h CHECK CONSTRAINT ALL;
ROLLBACK;
INSERT #h VALUES (-2);
SELECT v FROM #h ORDER BY v;
GO
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [v:int]
--> -2
--> -1
--> (2 rows affected)
ALTER TABLE #h WITH CHECK CHECK CONSTRAINT h_pos;
GO
--> Msg 547, Level 16, State 0, Line 1: The ALTER TABLE statement conflicted with the CHECK constraint "h_pos". The conflict occurred in database "tempdb", table "dbo.#h", column 'v'.
ALTER TABLE #t SET (LOCK_ESCALATION = DISABLE);
ALTER TABLE #h SET (LOCK_ESCALATION = AUTO);
SELECT id, v, w FROM #t;
GO
--> [id:int | v:int | w:int]
--> 1 | 1 | 1
--> (1 rows affected)
ALTER TABLE #t SET (LOCK_ESCALATION = NOPE);
GO
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'NOPE'.
DROP TABLE #t, #h;
GO
