#!/usr/bin/env python3
"""A buffer pool extension across kill -9 and an orderly restart: how much of its hit rate is back without refilling.

  benches/extension.py
  benches/extension.py --rounds 3 --rows 300000

A table of char(1000) rows, several times the memory, is scanned into an extension that holds all of it; then rows are read
and updated at random (four to one) until the rounds are done. The share of page reads that the extension answered is
counted by the server's own counters, in the last round before the server goes and in the first one after it came back.
Between the two nothing is read on purpose. The rows' sum must be that of the committed updates, each time.
"""

import kit

ROWS_PER_PAGE = 7
COUNTERS = (
    "select sum(case when counter_name = 'Extension page reads/sec' then cntr_value else 0 end), "
    "sum(case when counter_name = 'Page reads/sec' then cntr_value else 0 end) "
    "from sys.dm_os_performance_counters where object_name = 'SQLServer:Buffer Manager'"
)
ROUND = """
set nocount on
declare @i int = 0, @id int, @x bigint = {seed}, @a int
while @i < {operations}
begin
    set @x = (@x * 1103515245 + 12345) % 2147483648
    set @id = @x / 16 % {rows} + 1
    if @i % 5 = 0 update dbo.t set a = a + 1 where id = @id else select @a = a from dbo.t where id = @id
    set @i = @i + 1
end
"""


def arguments():
    parser = kit.Arguments(__doc__, pairs=3)
    parser.add_argument("--rows", type=int, default=300_000, help="rows of the table (default: %(default)s)")
    parser.add_argument("--memory-mb", type=int, default=64, help="memory of the server (default: %(default)s)")
    parser.add_argument("--operations", type=int, default=20_000, help="reads and updates of a round (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds before each end (default: %(default)s)")
    return parser.parse_args()


class World:
    """A server with a table and an extension, and what the rows must come to."""

    def __init__(self, server, options):
        self.server, self.options = server, options
        self.rounds = 0

    def make(self):
        options = self.options
        table_mb = options.rows // ROWS_PER_PAGE // 128
        self.server.execute("create database d")
        with self.server.connect("d") as connection, connection.cursor() as cursor:
            cursor.execute("create table dbo.t (id int not null primary key, a int not null, filler char(1000) not null)")
            cursor.execute(f"insert dbo.t select n, 0, 'x' from {kit.million_numbers('n')} where n <= {options.rows}")
            cursor.execute("checkpoint")
        path = f"{self.server.directory.name}/pool.bpe"
        self.server.execute(
            "alter server configuration set buffer pool extension on "
            f"(filename = '{path}', size = {2 * max(table_mb, options.memory_mb)} MB)"
        )
        with self.server.connect("d") as connection, connection.cursor() as cursor:
            cursor.execute("select max(filler) from dbo.t")
            cursor.fetchall()

    def hit_rate(self):
        """Runs a round; the share of its page reads that the extension answered."""
        self.rounds += 1
        options = self.options
        with self.server.connect("d") as connection, connection.cursor() as cursor:
            before = self.counters(cursor)
            cursor.execute(ROUND.format(seed=1000 + self.rounds, operations=options.operations, rows=options.rows))
            after = self.counters(cursor)
        extension, disk = (late - early for early, late in zip(before, after))
        return extension / max(extension + disk, 1)

    @staticmethod
    def counters(cursor):
        cursor.execute(COUNTERS)
        return [int(value) for value in cursor.fetchall()[0]]

    def expect_sum(self):
        with self.server.connect("d") as connection, connection.cursor() as cursor:
            cursor.execute("select sum(cast(a as bigint)) from dbo.t")
            found = cursor.fetchall()[0][0]
        wanted = self.rounds * -(-self.options.operations // 5)
        if found != wanted:
            raise SystemExit(f"the rows come to {found} instead of {wanted}")


def main():
    kit.with_pytds()
    options = arguments()
    config = f"[server]\nmax_server_memory_mb = {options.memory_mb}\n"
    report = kit.Report(options.json, f"{options.rows:,} rows, {options.memory_mb} MB of memory, {options.pairs} rounds")
    found = {"kill -9": [], "orderly end": []}
    with kit.Millpond(options.millpond, options.disk, config) as server:
        world = World(server, options)
        world.make()
        for _ in range(options.pairs):
            for how, end in (("kill -9", server.kill), ("orderly end", server.stop)):
                before = [world.hit_rate() for _ in range(options.rounds)][-1]
                end()
                server.start()
                server.wait_until_open("d")
                found[how].append((before, world.hit_rate()))
                world.expect_sum()
    for how, pairs in found.items():
        report.table(f"after {how}", ["", "hit rate before", "after", "ratio"], [
            [number, f"{before:.3f}", f"{after:.3f}", f"{after / max(before, 1e-9):.2f}"]
            for number, (before, after) in enumerate(pairs, 1)
        ])
        report.add(how, {"before": [before for before, _ in pairs], "after": [after for _, after in pairs]})
    report.end()


main()
