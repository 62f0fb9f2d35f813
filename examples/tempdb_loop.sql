-- A temporary table of char(8000) rows is filled for five seconds and dropped, again and again: does it get written?
-- The script is Tony Rogerson's of 24 August 2006, in its own words; only its five minutes are ten seconds here.
set nocount on

declare @i int
set @i = 1
declare @st datetime
declare @st2 datetime
set @st = current_timestamp

while current_timestamp <= dateadd( second, 10, @st )
begin
      create table #t ( mycol char(8000) not null )

      set @st2 = current_timestamp
      while current_timestamp <= dateadd( second, 5, @st2 )
      begin
            insert #t values( 'abc' )
            set @i = @i + 1
      end

      drop table #t
end

print 'iterations ' + cast( @i as varchar(20) )
GO

-- What it cost: the question that the script was written for, first as its author asked it ...
select * from ::fn_virtualfilestats( 2, 2 )
union all
select * from ::fn_virtualfilestats( 2, 1 )
GO

-- ... and with the reason of every write, per file of tempdb.
select   cast(f.name as varchar(12)) as tempdb_file, isnull(w.reason, '-') as reason,
         sum(isnull(w.writes, 0)) as writes, sum(isnull(w.bytes_written, 0)) as bytes_written
from     sys.master_files f
left join sys.dm_millpond_file_writes w on w.database_id = f.database_id and w.file_id = f.file_id
where    f.database_id = 2
group by f.name, w.reason
order by f.name
GO
