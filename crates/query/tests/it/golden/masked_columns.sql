-- Masked columns: what masks show of which types, to whom, and through what.
CREATE DATABASE veil;
GO
USE veil;
CREATE TABLE Membership (
    MemberID int IDENTITY PRIMARY KEY,
    FirstName varchar(100) MASKED WITH (FUNCTION = 'partial(1, "xxxxx", 1)') NULL,
    LastName varchar(100) NOT NULL,
    Phone varchar(12) MASKED WITH (FUNCTION = 'default()') NULL,
    Email varchar(100) MASKED WITH (FUNCTION = 'email()') NOT NULL,
    DiscountCode smallint MASKED WITH (FUNCTION = 'random(1, 100)') NULL
);
INSERT Membership (FirstName, LastName, Phone, Email, DiscountCode) VALUES
    ('Roberto', 'Tamburello', '555.123.4567', 'RTamburello@contoso.com', 1000),
    ('Janice', 'Galvin', '555.123.4568', 'JGalvin@contoso.com.co', 5000),
    ('Z', 'Mu', NULL, 'ZMu@contoso.net', 5001);
CREATE USER TestUser WITHOUT LOGIN;
GRANT SELECT, INSERT, UPDATE, DELETE ON Membership TO TestUser;
GRANT CREATE TABLE TO TestUser;
GRANT ALTER ON SCHEMA::dbo TO TestUser;
GO
--> (3 rows affected)
SELECT c.name, t.name AS table_name, c.is_masked, c.masking_function FROM sys.masked_columns c JOIN sys.tables t ON t.object_id = c.object_id ORDER BY c.column_id;
SELECT name, is_masked FROM sys.columns WHERE object_id = OBJECT_ID('Membership') ORDER BY column_id;
SELECT FirstName, Phone, Email, DiscountCode FROM Membership ORDER BY MemberID;
EXECUTE AS USER = 'TestUser';
SELECT MemberID, FirstName, LastName, Phone, Email FROM Membership ORDER BY MemberID;
SELECT COUNT(*) AS between_1_and_100 FROM Membership WHERE DiscountCode > 100;
SELECT MAX(IIF(DiscountCode BETWEEN 1 AND 100, 1, 0)) AS shown FROM (SELECT DiscountCode FROM Membership) m;
GO
--> [name:nvarchar(128) | table_name:nvarchar(128) | is_masked:bit | masking_function:nvarchar(4000)]
--> FirstName | Membership | 1 | partial(1, "xxxxx", 1)
--> Phone | Membership | 1 | default()
--> Email | Membership | 1 | email()
--> DiscountCode | Membership | 1 | random(1, 100)
--> (4 rows affected)
--> [name:nvarchar(128) | is_masked:bit]
--> MemberID | 0
--> FirstName | 1
--> LastName | 0
--> Phone | 1
--> Email | 1
--> DiscountCode | 1
--> (6 rows affected)
--> [FirstName:varchar(100) | Phone:varchar(12) | Email:varchar(100) | DiscountCode:smallint]
--> Roberto | 555.123.4567 | RTamburello@contoso.com | 1000
--> Janice | 555.123.4568 | JGalvin@contoso.com.co | 5000
--> Z | NULL | ZMu@contoso.net | 5001
--> (3 rows affected)
--> [MemberID:int | FirstName:varchar(100) | LastName:varchar(100) | Phone:varchar(12) | Email:varchar(100)]
--> 1 | Rxxxxxo | Tamburello | xxxx | RXXX@XXXX.com
--> 2 | Jxxxxxe | Galvin | xxxx | JXXX@XXXX.com
--> 3 | xxxxx | Mu | NULL | ZXXX@XXXX.com
--> (3 rows affected)
--> [between_1_and_100:int]
--> 3
--> (1 rows affected)
--> [shown:int]
--> 0
--> (1 rows affected)
-- Predicates and orders see values; what is computed of them is behind default().
SELECT LastName FROM Membership WHERE Phone = '555.123.4568';
SELECT LastName FROM Membership ORDER BY Email DESC;
SELECT Phone + '!' AS computed, UPPER(Email) AS upper_email, LEN(Email) AS length, CASE WHEN Email LIKE 'J%' THEN 'is J' ELSE 'is none' END AS asked FROM Membership WHERE MemberID = 2;
SELECT MAX(Email) AS last_email, COUNT(Phone) AS phones, SUM(DiscountCode) AS total FROM Membership;
SELECT Email, COUNT(*) AS n FROM Membership GROUP BY Email ORDER BY MIN(MemberID);
SELECT d.mail FROM (SELECT Email AS mail, MemberID FROM Membership) d ORDER BY d.MemberID;
WITH c AS (SELECT Email FROM Membership WHERE MemberID = 1) SELECT Email FROM c UNION ALL SELECT 'plain' FROM c;
SELECT a.LastName, b.Email FROM Membership a JOIN Membership b ON a.MemberID = b.MemberID WHERE a.MemberID = 1;
SELECT (SELECT Email FROM Membership WHERE MemberID = 1) AS inside;
SELECT a.LastName, x.value FROM Membership a CROSS APPLY (SELECT a.Email AS value) x WHERE a.MemberID = 1;
SELECT s.value FROM Membership m CROSS APPLY STRING_SPLIT(m.Phone, '.') s WHERE m.MemberID = 1;
SELECT LAG(Email) OVER (ORDER BY MemberID) AS before FROM Membership ORDER BY MemberID;
SELECT DISTINCT Phone FROM Membership;
SELECT TOP (1) Email FROM Membership ORDER BY MemberID;
SELECT FirstName, Email FROM Membership WHERE MemberID = 1 FOR JSON PATH;
GO
--> [LastName:varchar(100)]
--> Galvin
--> (1 rows affected)
--> [LastName:varchar(100)]
--> Mu
--> Tamburello
--> Galvin
--> (3 rows affected)
--> [computed:varchar(13) | upper_email:varchar(100) | length:int | asked:varchar(7)]
--> xxxx | xxxx | 0 | xxxx
--> (1 rows affected)
--> [last_email:varchar(100) | phones:int | total:int]
--> xxxx | 2 | 0
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [Email:varchar(100) | n:int]
--> RXXX@XXXX.com | 1
--> JXXX@XXXX.com | 1
--> ZXXX@XXXX.com | 1
--> (3 rows affected)
--> [mail:varchar(100)]
--> RXXX@XXXX.com
--> JXXX@XXXX.com
--> ZXXX@XXXX.com
--> (3 rows affected)
--> [Email:varchar(100)]
--> xxxx
--> xxxx
--> (2 rows affected)
--> [LastName:varchar(100) | Email:varchar(100)]
--> Tamburello | RXXX@XXXX.com
--> (1 rows affected)
--> [inside:varchar(100)]
--> RXXX@XXXX.com
--> (1 rows affected)
--> [LastName:varchar(100) | value:varchar(100)]
--> Tamburello | RXXX@XXXX.com
--> (1 rows affected)
--> [value:varchar(12)]
--> xxxx
--> xxxx
--> xxxx
--> (3 rows affected)
--> [before:varchar(100)]
--> NULL
--> xxxx
--> xxxx
--> (3 rows affected)
--> [Phone:varchar(12)]
--> xxxx
--> xxxx
--> NULL
--> (3 rows affected)
--> [Email:varchar(100)]
--> RXXX@XXXX.com
--> (1 rows affected)
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"FirstName":"Rxxxxxo","Email":"RXXX@XXXX.com"}]
--> (1 rows affected)
-- Variables, tables and cursors get masked values.
DECLARE @a varchar(100), @b varchar(100);
SELECT @a = Email FROM Membership WHERE MemberID = 1;
SET @b = (SELECT Email FROM Membership WHERE MemberID = 1);
SELECT @a AS a, @b AS b;
SELECT Email, Phone INTO copied FROM Membership;
DECLARE @t TABLE (email varchar(100));
INSERT @t SELECT Email FROM Membership WHERE MemberID = 1;
SELECT email FROM @t;
DECLARE c CURSOR FOR SELECT Email FROM Membership WHERE MemberID = 1;
OPEN c;
FETCH c INTO @a;
CLOSE c;
DEALLOCATE c;
SELECT @a AS fetched;
GO
--> [a:varchar(100) | b:varchar(100)]
--> RXXX@XXXX.com | RXXX@XXXX.com
--> (1 rows affected)
--> (3 rows affected)
--> (1 rows affected)
--> [email:varchar(100)]
--> RXXX@XXXX.com
--> (1 rows affected)
--> [fetched:varchar(100)]
--> RXXX@XXXX.com
--> (1 rows affected)
-- Changes: the values that are there are changed as they are; what goes elsewhere is masked.
UPDATE Membership SET LastName = Email, DiscountCode = DiscountCode + 1, Email = Email OUTPUT inserted.LastName, deleted.Email WHERE MemberID = 1;
DELETE Membership OUTPUT deleted.Email, deleted.LastName WHERE MemberID = 3;
INSERT Membership (FirstName, LastName, Phone, Email) OUTPUT inserted.Email VALUES ('Own', 'Row', '1', 'own@contoso.com');
MERGE Membership AS t USING (SELECT MemberID, Email FROM Membership WHERE MemberID = 2) AS s ON t.MemberID = s.MemberID WHEN MATCHED THEN UPDATE SET LastName = s.Email OUTPUT inserted.Email;
GO
--> [LastName:varchar(100) | Email:varchar(100)]
--> RXXX@XXXX.com | RXXX@XXXX.com
--> (1 rows affected)
--> [Email:varchar(100) | LastName:varchar(100)]
--> ZXXX@XXXX.com | Mu
--> (1 rows affected)
--> [Email:varchar(100)]
--> oXXX@XXXX.com
--> (1 rows affected)
--> [Email:varchar(100)]
--> JXXX@XXXX.com
--> (1 rows affected)
REVERT;
SELECT MemberID, LastName, Email, DiscountCode FROM Membership ORDER BY MemberID;
SELECT Email, Phone FROM copied;
DROP TABLE copied;
GO
--> [MemberID:int | LastName:varchar(100) | Email:varchar(100) | DiscountCode:smallint]
--> 1 | RXXX@XXXX.com | RTamburello@contoso.com | 1001
--> 2 | JXXX@XXXX.com | JGalvin@contoso.com.co | 5000
--> 4 | Row | own@contoso.com | NULL
--> (3 rows affected)
--> [Email:varchar(100) | Phone:varchar(12)]
--> RXXX@XXXX.com | xxxx
--> JXXX@XXXX.com | xxxx
--> ZXXX@XXXX.com | NULL
--> (3 rows affected)
-- A column whose mask is lifted takes no other's value; a trigger sees what its statement's session sees.
ALTER TABLE Membership ADD Other varchar(100) MASKED WITH (FUNCTION = 'default()');
GO
CREATE TRIGGER seen_changes ON Membership AFTER UPDATE AS SELECT Email FROM inserted;
GO
GRANT UNMASK ON Membership(Other) TO TestUser;
EXECUTE AS USER = 'TestUser';
UPDATE Membership SET Other = Email WHERE MemberID = 1;
SELECT Other FROM Membership WHERE MemberID = 1;
REVERT;
DROP TRIGGER seen_changes;
REVOKE UNMASK ON Membership(Other) FROM TestUser;
ALTER TABLE Membership DROP COLUMN Other;
GO
--> [Email:varchar(100)]
--> RXXX@XXXX.com
--> (1 rows affected)
--> (1 rows affected)
--> [Other:varchar(100)]
--> RXXX@XXXX.com
--> (1 rows affected)
-- Views, procedures and functions: the context counts, not the chain.
CREATE VIEW seen AS SELECT MemberID, Email, Phone + '' AS phone FROM Membership;
GO
CREATE PROCEDURE ask AS SELECT Email FROM Membership WHERE MemberID = 1;
GO
CREATE PROCEDURE ask_as_owner WITH EXECUTE AS OWNER AS SELECT Email FROM Membership WHERE MemberID = 1;
GO
CREATE FUNCTION mail_of (@id int) RETURNS varchar(100) AS BEGIN RETURN (SELECT Email FROM dbo.Membership WHERE MemberID = @id) END;
GO
CREATE FUNCTION mails () RETURNS TABLE AS RETURN SELECT Email FROM dbo.Membership WHERE MemberID = 1;
GO
GRANT SELECT ON seen TO TestUser;
GRANT EXECUTE ON ask TO TestUser;
GRANT EXECUTE ON ask_as_owner TO TestUser;
GRANT EXECUTE ON mail_of TO TestUser;
GRANT SELECT ON mails TO TestUser;
EXECUTE AS USER = 'TestUser';
SELECT Email, phone FROM seen WHERE MemberID = 1;
EXEC ask;
EXEC ask_as_owner;
SELECT dbo.mail_of(1) AS mail;
SELECT Email FROM dbo.mails();
REVERT;
EXEC ask;
SELECT dbo.mail_of(1) AS mail;
GO
--> [Email:varchar(100) | phone:varchar(13)]
--> RXXX@XXXX.com | xxxx
--> (1 rows affected)
--> [Email:varchar(100)]
--> RXXX@XXXX.com
--> (1 rows affected)
--> [Email:varchar(100)]
--> RTamburello@contoso.com
--> (1 rows affected)
--> [mail:varchar(100)]
--> RXXX@XXXX.com
--> (1 rows affected)
--> [Email:varchar(100)]
--> xxxx
--> (1 rows affected)
--> [Email:varchar(100)]
--> RTamburello@contoso.com
--> (1 rows affected)
--> [mail:varchar(100)]
--> RTamburello@contoso.com
--> (1 rows affected)
-- UNMASK on a column, a table, a schema, the database.
GRANT UNMASK ON Membership(Email) TO TestUser;
EXECUTE AS USER = 'TestUser';
SELECT Email, Phone FROM Membership WHERE MemberID = 1;
SELECT Email + Phone AS both FROM Membership WHERE MemberID = 1;
REVERT;
REVOKE UNMASK ON Membership(Email) FROM TestUser;
GRANT UNMASK ON Membership TO TestUser;
EXECUTE AS USER = 'TestUser';
SELECT Email, Phone FROM Membership WHERE MemberID = 1;
REVERT;
REVOKE UNMASK ON Membership FROM TestUser;
GRANT UNMASK ON SCHEMA::dbo TO TestUser;
EXECUTE AS USER = 'TestUser';
SELECT Email, Phone FROM Membership WHERE MemberID = 1;
REVERT;
REVOKE UNMASK ON SCHEMA::dbo FROM TestUser;
GRANT UNMASK TO TestUser;
DENY UNMASK ON Membership(Phone) TO TestUser;
EXECUTE AS USER = 'TestUser';
SELECT Email, Phone FROM Membership WHERE MemberID = 1;
REVERT;
REVOKE UNMASK ON Membership(Phone) FROM TestUser;
REVOKE UNMASK FROM TestUser;
SELECT permission_name, class_desc FROM sys.database_permissions WHERE permission_name = 'UNMASK';
GO
--> [Email:varchar(100) | Phone:varchar(12)]
--> RTamburello@contoso.com | xxxx
--> (1 rows affected)
--> [both:varchar(112)]
--> xxxx
--> (1 rows affected)
--> [Email:varchar(100) | Phone:varchar(12)]
--> RTamburello@contoso.com | 555.123.4567
--> (1 rows affected)
--> [Email:varchar(100) | Phone:varchar(12)]
--> RTamburello@contoso.com | 555.123.4567
--> (1 rows affected)
--> [Email:varchar(100) | Phone:varchar(12)]
--> RTamburello@contoso.com | xxxx
--> (1 rows affected)
--> [permission_name:nvarchar(128) | class_desc:nvarchar(60)]
--> (0 rows affected)
-- Masks are added, changed and dropped.
EXECUTE AS USER = 'TestUser';
ALTER TABLE Membership ALTER COLUMN LastName ADD MASKED WITH (FUNCTION = 'partial(2,"xxxx",0)');
REVERT;
GO
--> Msg 262, Level 14, State 1, Line 3: ALTER ANY MASK permission denied in database 'veil'.
ALTER TABLE Membership ALTER COLUMN LastName ADD MASKED WITH (FUNCTION = 'partial(2,"xxxx",0)');
ALTER TABLE Membership ALTER COLUMN Phone DROP MASKED;
ALTER TABLE Membership ALTER COLUMN FirstName varchar(100) MASKED WITH (FUNCTION = 'default()') NULL;
ALTER TABLE Membership ALTER COLUMN Email varchar(120) NOT NULL;
SELECT name, masking_function FROM sys.masked_columns ORDER BY column_id;
EXECUTE AS USER = 'TestUser';
SELECT FirstName, LastName, Phone, Email FROM Membership WHERE MemberID = 4;
REVERT;
ALTER TABLE Membership ALTER COLUMN Phone DROP MASKED;
ALTER TABLE Membership ALTER COLUMN nothing DROP MASKED;
ALTER TABLE Membership ALTER COLUMN nothing ADD MASKED WITH (FUNCTION = 'default()');
ALTER TABLE Membership ALTER COLUMN Phone ADD MASKED WITH (FUNCTION = 'hash()');
ALTER TABLE Membership ALTER COLUMN Phone ADD MASKED WITH (FUNCTION = 'random(1, 2)');
ALTER TABLE Membership ALTER COLUMN DiscountCode ADD MASKED WITH (FUNCTION = 'email()');
ALTER TABLE Membership ALTER COLUMN Phone ADD MASKED WITH (FUNCTION = 'partial(1)');
ALTER TABLE Membership ALTER COLUMN Phone ADD MASKED WITH (FUNCTION = 'default');
GO
--> [name:nvarchar(128) | masking_function:nvarchar(4000)]
--> FirstName | default()
--> LastName | partial(2,"xxxx",0)
--> DiscountCode | random(1, 100)
--> (3 rows affected)
--> [FirstName:varchar(100) | LastName:varchar(100) | Phone:varchar(12) | Email:varchar(120)]
--> xxxx | Roxxxx | 1 | own@contoso.com
--> (1 rows affected)
--> Msg 16007, Level 16, State 1, Line 9: The column 'Phone' does not have a data masking function.
--> Msg 4924, Level 16, State 1, Line 10: ALTER TABLE ALTER COLUMN failed because column 'nothing' does not exist in table 'Membership'.
--> Msg 4924, Level 16, State 1, Line 11: ALTER TABLE ALTER COLUMN failed because column 'nothing' does not exist in table 'Membership'.
--> Msg 16002, Level 16, State 1, Line 12: Invalid data masking function in column 'Phone'.
--> Msg 16003, Level 16, State 1, Line 13: The data type of column 'Phone' does not support data masking function 'random'.
--> Msg 16003, Level 16, State 1, Line 14: The data type of column 'DiscountCode' does not support data masking function 'email'.
--> Msg 16005, Level 16, State 1, Line 15: Invalid argument for data masking function 'partial' for column 'Phone'.
--> Msg 16006, Level 16, State 1, Line 16: Invalid data masking format for function 'default' in column 'Phone'.
ALTER TABLE Membership ALTER COLUMN Phone ADD MASKED WITH (FUNCTION = default());
GO
--> Msg 156, Level 15, State 1, Line 1: Incorrect syntax near the keyword 'default'.
-- Every type behind default(); parts of dates.
CREATE TABLE types (
    a bit MASKED WITH (FUNCTION = 'default()'), b tinyint MASKED WITH (FUNCTION = 'default()'), c bigint MASKED WITH (FUNCTION = 'default()'),
    d decimal(9, 2) MASKED WITH (FUNCTION = 'default()'), e money MASKED WITH (FUNCTION = 'default()'), f float MASKED WITH (FUNCTION = 'default()'),
    g date MASKED WITH (FUNCTION = 'default()'), h time(3) MASKED WITH (FUNCTION = 'default()'), i datetime MASKED WITH (FUNCTION = 'default()'),
    j datetime2 MASKED WITH (FUNCTION = 'default()'), k datetimeoffset MASKED WITH (FUNCTION = 'default()'), l char(3) MASKED WITH (FUNCTION = 'default()'),
    m nvarchar(max) MASKED WITH (FUNCTION = 'default()'), n varbinary(10) MASKED WITH (FUNCTION = 'default()'), o uniqueidentifier MASKED WITH (FUNCTION = 'default()'),
    p xml MASKED WITH (FUNCTION = 'default()'), q nchar(6) MASKED WITH (FUNCTION = 'default()'), r AS b + 1);
INSERT types VALUES (1, 7, 7, 7.5, 7.5, 7.5, '20260203', '12:13:14.156', '20260203 12:13:14', '20260203 12:13:14', '20260203 12:13:14 +02:00', 'abc', N'text', 0x0102, NEWID(), '<a/>', N'abc');
CREATE TABLE moments (
    y datetime2(3) MASKED WITH (FUNCTION = 'datetime("Y")'), mo date MASKED WITH (FUNCTION = 'datetime("M")'), d smalldatetime MASKED WITH (FUNCTION = 'datetime("D")'),
    h datetime MASKED WITH (FUNCTION = 'datetime("h")'), mi time(3) MASKED WITH (FUNCTION = 'datetime("m")'), s datetimeoffset(3) MASKED WITH (FUNCTION = 'datetime("s")'));
INSERT moments VALUES ('20260203 12:13:14.156', '20260203', '20260203 12:13', '20260203 12:13:14.157', '12:13:14.156', '20260203 12:13:14.156 +02:00');
GRANT SELECT ON types TO TestUser;
GRANT SELECT ON moments TO TestUser;
EXECUTE AS USER = 'TestUser';
SELECT * FROM types;
SELECT * FROM moments;
REVERT;
GO
--> (1 rows affected)
--> (1 rows affected)
--> [a:bit | b:tinyint | c:bigint | d:decimal(9,2) | e:money | f:float | g:date | h:time(3) | i:datetime | j:datetime2(7) | k:datetimeoffset(7) | l:char(3) | m:nvarchar(max) | n:varbinary(10) | o:uniqueidentifier | p:xml | q:nchar(6) | r:int]
--> 0 | 0 | 0 | 0.00 | 0.0000 | 0.0 | 1900-01-01 | 00:00:00.000 | 1900-01-01 00:00:00.000 | 1900-01-01 00:00:00.0000000 | 1900-01-01 00:00:00.0000000 +00:00 | xxx | xxxx | 0x30 | 00000000-0000-0000-0000-000000000000 | <masked/> | xxxx | 0
--> (1 rows affected)
--> [y:datetime2(3) | mo:date | d:smalldatetime | h:datetime | mi:time(3) | s:datetimeoffset(3)]
--> 2000-02-03 12:13:14.156 | 2026-01-03 | 2026-02-01 12:13:00 | 2026-02-03 00:13:14.157 | 12:00:14.156 | 2026-02-03 12:13:00.000 +02:00
--> (1 rows affected)
USE master;
DROP DATABASE veil;
GO
