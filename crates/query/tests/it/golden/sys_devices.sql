-- Backup devices, of which there are none.
EXEC sp_helpdevice
GO
--> [device_name:nvarchar(128) | physical_name:nvarchar(260) | description:nvarchar(255) | status:int | cntrltype:smallint | size:int]
EXEC sp_helpdevice 'no]such''device'
GO
--> Msg 15012, Level 16, State 1, Line 7: The device 'no]such'device' does not exist. Use sys.backup_devices to show available devices.
EXEC sp_dropdevice 'no such device'
GO
--> Msg 15012, Level 16, State 1, Line 22: The device 'no such device' does not exist. Use sys.backup_devices to show available devices.
EXEC sp_dropdevice NULL
GO
--> Msg 15012, Level 16, State 1, Line 22: The device '(null)' does not exist. Use sys.backup_devices to show available devices.
EXEC sp_dropdevice 'd', 'keep'
GO
--> Msg 15216, Level 16, State 1, Line 17: 'keep' is not a valid option for the @delfile parameter.
BEGIN TRANSACTION
EXEC sp_dropdevice 'd'
ROLLBACK
GO
--> Msg 15002, Level 16, State 1, Line 7: The procedure 'sys.sp_dropdevice' cannot be executed within a transaction.
