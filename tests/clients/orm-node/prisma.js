// Prisma: its client over the driver adapter, which needs no engine but the one in its packages. Nested writes and reads,
// transactions, errors by its codes, values at the ends of their types. Its schema engine (migrate, db pull) comes from a
// host of its own and not from the registry of packages, so the tables are those that `prisma migrate diff` writes, by hand.
'use strict';

const { PrismaMssql } = require('@prisma/adapter-mssql');
const { PrismaClient } = require('@prisma/client');
const { assert, server, port, user, password, extremes, sql, newDatabase, refused, checks } = require('./common');

const tables = `
create table [dbo].[Person] (
    [id] int not null identity(1,1),
    [name] nvarchar(100) not null,
    [years] int not null constraint [Person_years_df] default 18,
    constraint [Person_pkey] primary key clustered ([id]),
    constraint [Person_name_key] unique nonclustered ([name]));
create table [dbo].[Book] (
    [id] int not null identity(1,1),
    [title] nvarchar(max),
    [price] decimal(19,4),
    [number] bigint,
    [scan] varbinary(max),
    [printed] datetime2,
    [lent] bit not null constraint [Book_lent_df] default 0,
    [ownerId] int,
    constraint [Book_pkey] primary key clustered ([id]));
create table [dbo].[Tag] ([word] varchar(30) not null, constraint [Tag_pkey] primary key clustered ([word]));
create table [dbo].[_BookToTag] (
    [A] int not null,
    [B] varchar(30) not null,
    constraint [_BookToTag_AB_unique] unique nonclustered ([A], [B]));
create nonclustered index [_BookToTag_B_index] on [dbo].[_BookToTag]([B]);
alter table [dbo].[Book] add constraint [Book_ownerId_fkey] foreign key ([ownerId]) references [dbo].[Person]([id])
    on delete cascade on update cascade;
alter table [dbo].[_BookToTag] add constraint [_BookToTag_A_fkey] foreign key ([A]) references [dbo].[Book]([id])
    on delete cascade on update cascade;
alter table [dbo].[_BookToTag] add constraint [_BookToTag_B_fkey] foreign key ([B]) references [dbo].[Tag]([word])
    on delete cascade on update cascade;`;

let prisma;

const list = {
  connect: async () => {
    const database = await newDatabase('prisma_check');
    await sql(database, tables);
    prisma = new PrismaClient({ adapter: new PrismaMssql({ server, port, user, password, database,
      options: { encrypt: true, trustServerCertificate: true } }) });
    assert.deepStrictEqual(await prisma.$queryRaw`select ${1} as one`, [{ one: 1 }]);
  },
  'rows and relations': async () => {
    const books = { create: [{ title: 'A' }, { title: 'B', tags: { create: { word: 'new' } } }] };
    const ann = await prisma.person.create({ data: { name: 'Ann', years: 30, books }, include: { books: true } });
    assert.strictEqual(ann.books.length, 2);
    assert.strictEqual((await prisma.person.createMany({ data: [{ name: 'Bob' }, { name: 'Cy', years: 7 }] })).count, 2);
    const found = await prisma.person.findMany({ orderBy: { name: 'asc' },
      include: { books: { orderBy: { title: 'desc' }, include: { tags: true } }, _count: { select: { books: true } } } });
    assert.deepStrictEqual(found.map((each) => each.books.map((one) => one.title)), [['B', 'A'], [], []]);
    assert.strictEqual(found[0].books[0].tags[0].word, 'new');
    assert.deepStrictEqual(found.map((each) => each._count.books), [2, 0, 0]);
    const [bob] = await prisma.person.findMany({ skip: 1, take: 1, orderBy: { id: 'asc' } });
    assert.strictEqual(bob.name, 'Bob');
    const upsert = { where: { name: 'Cy' }, update: { years: { increment: 2 } }, create: { name: 'Cy' } };
    assert.strictEqual((await prisma.person.upsert(upsert)).years, 9);
    assert.strictEqual(await prisma.person.count({ where: { books: { some: { tags: { some: { word: 'new' } } } } } }), 1);
    const total = await prisma.person.aggregate({ _sum: { years: true }, _max: { name: true } });
    assert.deepStrictEqual([total._sum.years, total._max.name], [57, 'Cy']);
    const groups = await prisma.book.groupBy({ by: ['ownerId'], _count: true, having: { ownerId: { gt: 0 } } });
    assert.deepStrictEqual(groups, [{ _count: 2, ownerId: ann.id }]);
    await prisma.person.delete({ where: { id: ann.id } });
    assert.strictEqual(await prisma.book.count(), 0);
  },
  transactions: async () => {
    await assert.rejects(prisma.$transaction(async (transaction) => {
      await transaction.person.create({ data: { name: 'Dee' } });
      assert.strictEqual(await transaction.person.count(), 3);
      throw new Error('all of it');
    }, { isolationLevel: 'Serializable' }), /all of it/);
    const clash = [prisma.person.create({ data: { name: 'Dee' } }), prisma.person.create({ data: { name: 'Bob' } })];
    await refused(prisma.$transaction(clash), 'P2002', (error) => error.code);
    assert.strictEqual(await prisma.person.count(), 2);
  },
  errors: async () => {
    const code = (error) => error.code;
    await refused(prisma.person.create({ data: { name: 'Bob' } }), 'P2002', code);
    await refused(prisma.book.create({ data: { ownerId: 999 } }), 'P2003', code);
    await refused(prisma.person.update({ where: { id: 999 }, data: { name: 'x' } }), 'P2025', code);
    await refused(prisma.person.create({ data: { name: 'x'.repeat(101) } }), 'P2000', code);
    await refused(prisma.$queryRaw`select * from nobody`, 'P2010', code);
  },
  extremes: async () => {
    const { long, bytes, bigint, decimal, last } = extremes;
    const data = { title: long, scan: bytes, number: BigInt(bigint), price: decimal, printed: last, lent: true };
    const { id } = await prisma.book.create({ data });
    const row = await prisma.book.findUnique({ where: { id } });
    assert.deepStrictEqual([row.title, String(row.number), row.lent], [long, bigint, true]);
    assert.ok(bytes.equals(Buffer.from(row.scan)));
    assert.strictEqual(row.printed.getTime(), last.getTime());
    // The driver reads decimals as JavaScript's numbers.
    assert.strictEqual(Number(row.price), Number(decimal));
    await prisma.person.createMany({ data: Array.from({ length: 900 }, (_, at) => ({ name: `row ${at}`, years: at })) });
    assert.strictEqual(await prisma.person.count({ where: { name: { startsWith: 'row ' }, years: { gte: 450 } } }), 450);
    assert.strictEqual((await prisma.person.deleteMany({ where: { name: { contains: 'row' } } })).count, 900);
  },
};

checks('prisma', list, () => prisma.$disconnect());
