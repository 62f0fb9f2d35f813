// Knex: migrations up and down, the query builder with joins, transactions, errors by number, values at the ends of their
// types, what it reads of the schema.
'use strict';

const { assert, server, port, user, password, extremes, newDatabase, refused, checks } = require('./common');

const migrations = {
  '001_people': {
    up: async (knex) => {
      await knex.schema.createTable('people', (table) => {
        table.increments('id');
        table.string('name', 100).notNullable().unique('people_name');
        table.integer('age').defaultTo(18).index('people_age');
        table.enu('kind', ['guest', 'member']);
        table.timestamps(false, true);
      });
      await knex.schema.createTable('books', (table) => {
        table.increments('id');
        table.integer('owner').unsigned().references('id').inTable('people').onDelete('CASCADE');
        table.text('title');
        table.decimal('price', 19, 4);
        table.specificType('scan', 'varbinary(max)');
        table.datetime('printed', { precision: 3 });
        table.bigInteger('number');
        table.uuid('code');
        table.boolean('lent').notNullable().defaultTo(false);
      });
    },
    down: async (knex) => {
      await knex.schema.dropTable('books');
      await knex.schema.dropTable('people');
    },
  },
  '002_altered': {
    up: async (knex) => {
      await knex.schema.alterTable('people', (table) => {
        table.string('email', 200);
        table.renameColumn('age', 'years');
        table.string('name', 150).notNullable().alter();
      });
      await knex.schema.createView('adults', (view) => {
        view.columns(['name']);
        view.as(knex('people').select('name').where('years', '>=', 18));
      });
    },
    down: async (knex) => {
      await knex.schema.dropView('adults');
      await knex.schema.alterTable('people', (table) => {
        table.dropColumn('email');
        table.renameColumn('years', 'age');
      });
    },
  },
};

const migrationSource = {
  getMigrations: async () => Object.keys(migrations),
  getMigrationName: (name) => name,
  getMigration: async (name) => migrations[name],
};

let knex;

const list = {
  'migrate up': async () => {
    const database = await newDatabase('knex_check');
    const connection = { server, user, password, database, options: { port, encrypt: true, trustServerCertificate: true } };
    knex = require('knex')({ client: 'mssql', connection, migrations: { migrationSource }, pool: { min: 0, max: 4 } });
    const [, done] = await knex.migrate.latest();
    assert.deepStrictEqual(done, ['001_people', '002_altered']);
    assert.deepStrictEqual(await knex.migrate.list().then(([made, open]) => [made.length, open.length]), [2, 0]);
  },
  introspection: async () => {
    assert.ok(await knex.schema.hasTable('people'));
    assert.ok(!(await knex.schema.hasTable('nobody')));
    assert.ok(await knex.schema.hasColumn('people', 'years'));
    const columns = await knex('people').columnInfo();
    assert.deepStrictEqual(columns.name, { defaultValue: null, type: 'nvarchar', maxLength: 150, nullable: false });
    assert.strictEqual(columns.years.defaultValue, "('18')");
  },
  'rows and relations': async () => {
    const [{ id }] = await knex('people').insert({ name: 'Ann', years: 30 }).returning('id');
    assert.strictEqual(id, 1);
    await knex('people').insert([{ name: 'Bob' }, { name: 'Cy', years: 7 }]);
    await knex('books').insert([{ owner: id, title: 'A' }, { owner: id, title: 'B' }, { owner: 2, title: 'C' }]);
    const rows = await knex('people as p').leftJoin('books as b', 'b.owner', 'p.id').groupBy('p.name').orderBy('p.name')
      .select('p.name').count('b.id as n');
    assert.deepStrictEqual(rows, [{ name: 'Ann', n: 2 }, { name: 'Bob', n: 1 }, { name: 'Cy', n: 0 }]);
    assert.deepStrictEqual(await knex('adults').orderBy('name').pluck('name'), ['Ann', 'Bob']);
    assert.deepStrictEqual(await knex('people').orderBy('id').offset(1).limit(1).pluck('name'), ['Bob']);
    assert.strictEqual(await knex('people').where({ name: 'Cy' }).update({ years: 8 }), 1);
    assert.deepStrictEqual(await knex('people').where('id', 3).increment('years', 2).returning(['id', 'years']),
      [{ id: 3, years: 10 }]);
    const ranked = await knex('people').select('name').rank('r', (rank) => rank.orderBy('years', 'desc')).orderBy('r');
    assert.deepStrictEqual(ranked.map((row) => row.name), ['Ann', 'Bob', 'Cy']);
    const recursive = await knex.withRecursive('n', (query) => {
      query.select('i').from(knex.raw('(values (1)) as one (i)')).unionAll((more) => more.select(knex.raw('i + 1')).from('n').where('i', '<', 5));
    }).select('i').from('n');
    assert.deepStrictEqual(recursive.map((row) => row.i), [1, 2, 3, 4, 5]);
    assert.strictEqual(await knex('people').where({ id: 2 }).delete(), 1);
    assert.strictEqual((await knex('books').where({ owner: 2 })).length, 0);
  },
  transactions: async () => {
    await assert.rejects(knex.transaction(async (transaction) => {
      await transaction('people').insert({ name: 'Dee' });
      const inner = transaction.transaction(async (savepoint) => {
        await savepoint('people').insert({ name: 'Eve' });
        throw new Error('only the inner one');
      });
      await assert.rejects(inner, /only the inner one/);
      assert.deepStrictEqual(await transaction('people').orderBy('id').pluck('name'), ['Ann', 'Cy', 'Dee']);
      throw new Error('all of it');
    }), /all of it/);
    await knex.transaction((transaction) => transaction('people').insert({ name: 'Dee' }), { isolationLevel: 'serializable' });
    assert.deepStrictEqual(await knex('people').orderBy('id').pluck('name'), ['Ann', 'Cy', 'Dee']);
  },
  errors: async () => {
    await refused(knex('people').insert({ name: 'Ann' }), 2601);
    await refused(knex('books').insert({ owner: 999 }), 547);
    await refused(knex('people').insert({ name: null }), 515);
    await refused(knex('nobody').select(), 208);
    await refused(knex('people').insert({ name: 'x'.repeat(151) }), 2628);
    await refused(knex.raw('select 1/0'), 8134);
  },
  extremes: async () => {
    const { long, bytes, bigint, decimal, last } = extremes;
    await knex('books').insert({ title: long, scan: bytes, number: bigint, price: knex.raw(decimal), printed: last,
      code: '6F9619FF-8B86-D011-B42D-00C04FC964FF', lent: true });
    const [row] = await knex('books').where({ lent: true });
    assert.strictEqual(row.title, long);
    assert.ok(bytes.equals(row.scan));
    assert.strictEqual(row.number, bigint);
    assert.strictEqual(row.printed.getTime(), last.getTime());
    assert.strictEqual(row.code, '6F9619FF-8B86-D011-B42D-00C04FC964FF');
    const [{ price }] = await knex('books').where({ lent: true }).select(knex.raw('cast(price as varchar(40)) as price'));
    assert.strictEqual(price, decimal);
    const rows = Array.from({ length: 3000 }, (_, at) => ({ name: `row ${at}`, years: at }));
    await knex.batchInsert('people', rows, 500);
    assert.deepStrictEqual(await knex('people').where('name', 'like', 'row %').sum('years as s'), [{ s: 4498500 }]);
  },
  'rows one by one': async () => {
    let seen = 0;
    for await (const row of knex('people').where('name', 'like', 'row %').stream()) {
      seen += row.years >= 0 ? 1 : 0;
    }
    assert.strictEqual(seen, 3000);
  },
  'migrate down': async () => {
    await knex.migrate.rollback(undefined, true);
    assert.ok(!(await knex.schema.hasTable('people')));
  },
};

checks('knex', list, () => knex.destroy());
