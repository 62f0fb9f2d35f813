-- differs clustered: an index has the order, so that the cursor is a dynamic one
-- differs secondary: the cursor has no order
-- Cursors.
CREATE TABLE #t (id int, name varchar(10));
INSERT #t VALUES (1, 'one'), (2, 'two'), (3, 'three');
GO
--> (3 rows affected)
DECLARE c CURSOR FOR SELECT id, name FROM #t ORDER BY id;
OPEN c;
SELECT @@CURSOR_ROWS AS cursor_rows;
DECLARE @id int, @name varchar(10);
FETCH NEXT FROM c INTO @id, @name;
WHILE @@FETCH_STATUS = 0
BEGIN
    PRINT CONCAT(@id, ' ', @name);
    FETCH c INTO @id, @name;
END;
PRINT @@FETCH_STATUS;
CLOSE c;
GO
--> [cursor_rows:int]
--> 3
--> (1 rows affected)
--> # 1 one
--> # 2 two
--> # 3 three
--> # -1
-- A global cursor lives on in the next batch; without INTO the row goes to the client.
OPEN c;
FETCH NEXT FROM c;
FETCH PRIOR FROM c;
CLOSE c;
CLOSE c;
DEALLOCATE c;
OPEN c;
GO
--> [id:int | name:varchar(10)]
--> 1 | one
--> (1 rows affected)
--> Msg 16911, Level 16, State 1, Line 4: fetch: The fetch type prior cannot be used with forward only cursors.
--> Msg 16917, Level 16, State 1, Line 6: Cursor is not open.
--> Msg 16916, Level 16, State 1, Line 8: A cursor with the name 'c' does not exist.
DECLARE s SCROLL CURSOR FOR SELECT id FROM #t ORDER BY id;
OPEN s;
FETCH LAST FROM s;
FETCH PRIOR FROM s;
FETCH ABSOLUTE 1 FROM s;
FETCH RELATIVE 2 FROM s;
FETCH ABSOLUTE -2 FROM s;
FETCH RELATIVE 5 FROM s;
FETCH PRIOR FROM s;
DEALLOCATE s;
GO
--> [id:int]
--> 3
--> (1 rows affected)
--> [id:int]
--> 2
--> (1 rows affected)
--> [id:int]
--> 1
--> (1 rows affected)
--> [id:int]
--> 3
--> (1 rows affected)
--> [id:int]
--> 2
--> (1 rows affected)
--> [id:int]
--> (0 rows affected)
--> [id:int]
--> 3
--> (1 rows affected)
-- Variables count at DECLARE; rows count at OPEN.
DECLARE @low int = 2, @id int;
DECLARE v CURSOR LOCAL STATIC FOR SELECT id FROM #t WHERE id >= @low;
SET @low = 3;
INSERT #t VALUES (4, 'four');
OPEN v;
INSERT #t VALUES (5, 'five');
SELECT @@CURSOR_ROWS AS cursor_rows;
FETCH v INTO @id, @id;
FETCH v INTO @id;
PRINT @id;
GO
--> (1 rows affected)
--> (1 rows affected)
--> [cursor_rows:int]
--> 3
--> (1 rows affected)
--> Msg 16924, Level 16, State 1, Line 9: Cursorfetch: The number of variables declared in the INTO list must match that of selected columns.
--> # 2
-- A local cursor ended with its batch.
FETCH v;
GO
--> Msg 16916, Level 16, State 1, Line 2: A cursor with the name 'v' does not exist.
DECLARE @c CURSOR, @id int;
SET @c = CURSOR FAST_FORWARD FOR SELECT MAX(id) FROM #t;
OPEN @c;
FETCH NEXT FROM @c INTO @id;
PRINT @id;
CLOSE @c;
DEALLOCATE @c;
OPEN @c;
GO
--> # 5
--> Msg 16950, Level 16, State 2, Line 8: The variable '@c' does not currently have a cursor allocated to it.
DECLARE d CURSOR FOR SELECT 1;
DECLARE d CURSOR FOR SELECT 2;
DEALLOCATE d;
GO
--> Msg 16915, Level 16, State 1, Line 2: A cursor with the name 'd' already exists.
DECLARE @a CURSOR, @b CURSOR, @x int;
SET @a = CURSOR SCROLL FOR SELECT id FROM #t ORDER BY id;
OPEN @a;
SET @b = @a;
FETCH NEXT FROM @a;
FETCH NEXT FROM @b INTO @x;
PRINT @x;
GO
--> [id:int]
--> 1
--> (1 rows affected)
--> # 2
