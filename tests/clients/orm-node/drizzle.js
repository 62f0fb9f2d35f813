// Drizzle, of whose releases that with SQL Server is a candidate still: migrations as its kit writes them, the query builder with
// joins and OUTPUT, transactions, errors by number, values at the ends of their types.
'use strict';

const path = require('node:path');
const mssql = require('mssql');
const { and, asc, count, desc, eq, gte, like, sql: text, sum } = require('drizzle-orm');
const { drizzle } = require('drizzle-orm/node-mssql');
const { migrate } = require('drizzle-orm/node-mssql/migrator');
const core = require('drizzle-orm/mssql-core');
const { assert, server, port, user, password, extremes, newDatabase, refused, checks } = require('./common');

const people = core.mssqlTable('people', {
  id: core.int().identity().primaryKey(),
  name: core.nvarchar({ length: 100 }).notNull().unique(),
  years: core.int().default(18),
  email: core.nvarchar({ length: 200 }),
});
const books = core.mssqlTable('books', {
  id: core.int().identity().primaryKey(),
  owner: core.int().references(() => people.id, { onDelete: 'cascade' }),
  title: core.nvarchar({ length: 'max' }),
  price: core.decimal({ precision: 19, scale: 4 }),
  number: core.bigint({ mode: 'bigint' }),
  scan: core.varbinary({ length: 'max' }),
  printed: core.datetime2({ precision: 3 }),
  lent: core.bit().notNull().default(false),
});

let pool, db;

const list = {
  migrate: async () => {
    const database = await newDatabase('drizzle_check');
    pool = await mssql.connect({ server, port, user, password, database, options: { trustServerCertificate: true } });
    db = drizzle({ client: pool });
    const migrationsFolder = path.join(__dirname, 'drizzle');
    await migrate(db, { migrationsFolder });
    // Those that are made are not made again.
    await migrate(db, { migrationsFolder });
    assert.deepStrictEqual(await db.select().from(people), []);
  },
  'rows and relations': async () => {
    const [ann] = await db.insert(people).output({ id: people.id, years: people.years }).values({ name: 'Ann' });
    assert.deepStrictEqual(ann, { id: 1, years: 18 });
    await db.insert(people).values([{ name: 'Bob', years: 20 }, { name: 'Cy', years: 7 }]);
    await db.insert(books).values([{ owner: 1, title: 'A' }, { owner: 1, title: 'B' }, { owner: 2, title: 'C' }]);
    const rows = await db.select({ name: people.name, n: count(books.id) }).from(people)
      .leftJoin(books, eq(books.owner, people.id)).groupBy(people.name).orderBy(asc(people.name));
    assert.deepStrictEqual(rows, [{ name: 'Ann', n: 2 }, { name: 'Bob', n: 1 }, { name: 'Cy', n: 0 }]);
    const page = await db.select({ name: people.name }).from(people).orderBy(desc(people.id)).offset(1).fetch(1);
    assert.deepStrictEqual(page, [{ name: 'Bob' }]);
    assert.deepStrictEqual(await db.select({ name: people.name }).top(1).from(people).orderBy(people.years), [{ name: 'Cy' }]);
    await db.update(people).set({ years: text`${people.years} + 2` }).where(and(eq(people.name, 'Cy'), gte(people.years, 7)));
    assert.strictEqual((await db.select().from(people).where(eq(people.name, 'Cy')))[0].years, 9);
    await db.delete(people).where(eq(people.id, 1));
    assert.strictEqual((await db.select().from(books)).length, 1);
  },
  transactions: async () => {
    const failing = db.transaction(async (transaction) => {
      await transaction.insert(people).values({ name: 'Dee' });
      assert.strictEqual((await transaction.select().from(people)).length, 3);
      throw new Error('all of it');
    }, { isolationLevel: 'serializable' });
    await assert.rejects(failing, /all of it/);
    await db.transaction((transaction) => transaction.insert(people).values({ name: 'Dee' }));
    assert.strictEqual((await db.select().from(people)).length, 3);
  },
  errors: async () => {
    const number = (error) => (error.cause ?? error).number;
    await refused(db.insert(people).values({ name: 'Bob' }).execute(), 2627, number);
    await refused(db.insert(books).values({ owner: 999 }).execute(), 547, number);
    await refused(db.execute(text`select * from nobody`), 208, number);
  },
  extremes: async () => {
    const { long, bytes, bigint, decimal, last } = extremes;
    await db.insert(books).values({ title: long, scan: bytes, number: BigInt(bigint), price: decimal, printed: last, lent: true });
    const [row] = await db.select().from(books).where(eq(books.lent, true));
    assert.deepStrictEqual([row.title, String(row.number)], [long, bigint]);
    assert.ok(bytes.equals(row.scan));
    assert.strictEqual(new Date(row.printed).getTime(), last.getTime());
    const [{ price }] = await db.select({ price: text`cast(${books.price} as varchar(40))` }).from(books).where(eq(books.lent, true));
    assert.strictEqual(price, decimal);
    await db.insert(people).values(Array.from({ length: 900 }, (_, at) => ({ name: `row ${at}`, years: at })));
    const [total] = await db.select({ s: sum(people.years) }).from(people).where(like(people.name, 'row %'));
    assert.strictEqual(Number(total.s), 404550);
  },
};

checks('drizzle', list, () => pool.close());
