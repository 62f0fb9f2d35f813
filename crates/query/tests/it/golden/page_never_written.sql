-- DBCC PAGE shows the zeros of a page that nobody has written yet: nothing is damaged.
create database page_never_written
go
use page_never_written
dbcc traceon (3604) with no_infomsgs
go
dbcc page ('page_never_written', 1, 1000, 0) with no_infomsgs
go
--> # PAGE: (1:1000)
-->
--> PAGE HEADER:
-->
--> m_pageId = (0:0)  m_headerVersion = 0  m_type = 0
--> m_typeFlagBits = 0x0  m_level = 0  m_flagBits = 0x0
--> m_objId = 0  m_indexId = 0  m_prevPage = (0:0)
--> m_nextPage = (0:0)  m_slotCnt = 0  m_freeCnt = 0
--> m_freeData = 0  m_lsn = (0:0:0)  m_tornBits = 0
select 'goes on' as x
go
--> [x:varchar(7)]
--> goes on
--> (1 rows affected)
dbcc page ('page_never_written', 1, 1000000, 0)
go
--> Msg 8968, Level 16, State 1, Line 1: The page (1:1000000) of database ID 5 does not exist.
dbcc checkdb ('page_never_written') with no_infomsgs
go
