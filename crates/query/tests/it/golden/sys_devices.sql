-- Backup devices, of which there are none.
EXEC sp_helpdevice
GO
EXEC sp_helpdevice 'no]such''device'
GO
EXEC sp_dropdevice 'no such device'
GO
EXEC sp_dropdevice NULL
GO
EXEC sp_dropdevice 'd', 'keep'
GO
BEGIN TRANSACTION
EXEC sp_dropdevice 'd'
ROLLBACK
GO
