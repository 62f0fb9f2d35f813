// TypeORM: a schema from entities and its differences, migrations up and down, relations, transactions, errors by number,
// values at the ends of their types.
'use strict';

require('reflect-metadata');
const { DataSource, EntitySchema, In } = require('typeorm');
const { assert, server, port, user, password, extremes, sql, newDatabase, refused, checks } = require('./common');

const people = (extra) => new EntitySchema({
  name: 'Person',
  tableName: 'people',
  columns: {
    id: { type: 'int', primary: true, generated: true },
    name: { type: 'nvarchar', length: 100, unique: true },
    years: { type: 'int', default: 18 },
    made: { type: 'datetime2', createDate: true },
    version: { type: 'int', version: true },
    ...extra,
  },
  indices: [{ name: 'people_years', columns: ['years'] }],
  checks: [{ name: 'people_of_age', expression: '"years" >= 0' }],
  relations: { books: { type: 'one-to-many', target: 'Book', inverseSide: 'owner', cascade: ['insert'] } },
});

const book = new EntitySchema({
  name: 'Book',
  tableName: 'books',
  columns: {
    id: { type: 'uniqueidentifier', primary: true, generated: 'uuid' },
    title: { type: 'nvarchar', length: 'MAX', nullable: true },
    price: { type: 'decimal', precision: 19, scale: 4, nullable: true },
    number: { type: 'bigint', nullable: true },
    scan: { type: 'varbinary', length: 'MAX', nullable: true },
    printed: { type: 'datetime2', precision: 3, nullable: true },
    at: { type: 'datetimeoffset', nullable: true },
    day: { type: 'date', nullable: true },
    lent: { type: 'bit', default: false },
    deleted: { type: 'datetime2', deleteDate: true },
  },
  relations: {
    owner: { type: 'many-to-one', target: 'Person', inverseSide: 'books', joinColumn: true, onDelete: 'CASCADE' },
    tags: { type: 'many-to-many', target: 'Tag', joinTable: { name: 'book_tags' }, cascade: true },
  },
});

const tag = new EntitySchema({ name: 'Tag', tableName: 'tags', columns: { word: { type: 'varchar', length: 30, primary: true } } });

class Made1700000000001 {
  name = 'Made1700000000001';

  async up(runner) {
    await runner.query('create table notes (id int identity primary key, words nvarchar(50) not null)');
    await runner.query("insert notes (words) values (N'first')");
  }

  async down(runner) {
    await runner.dropTable('notes');
  }
}

class Altered1700000000002 {
  name = 'Altered1700000000002';

  async up(runner) {
    const { Table, TableColumn, TableForeignKey, TableIndex } = require('typeorm');
    await runner.addColumn('notes', new TableColumn({ name: 'rank', type: 'int', isNullable: false, default: '7' }));
    await runner.renameColumn('notes', 'words', 'body');
    await runner.createIndex('notes', new TableIndex({ name: 'notes_rank', columnNames: ['rank'] }));
    const columns = [{ name: 'id', type: 'int', isPrimary: true }, { name: 'note', type: 'int' }];
    await runner.createTable(new Table({ name: 'lines', columns }));
    await runner.createForeignKey('lines', new TableForeignKey({ columnNames: ['note'], referencedTableName: 'notes',
      referencedColumnNames: ['id'] }));
  }

  async down(runner) {
    await runner.dropTable('lines');
    await runner.dropIndex('notes', 'notes_rank');
    await runner.renameColumn('notes', 'body', 'words');
    await runner.dropColumn('notes', 'rank');
  }
}

let source;

function newSource(database, entities, extra) {
  return new DataSource({ type: 'mssql', host: server, port, username: user, password, database, entities,
    options: { encrypt: true, trustServerCertificate: true }, ...extra }).initialize();
}

const list = {
  synchronize: async () => {
    const database = await newDatabase('typeorm_check');
    source = await newSource(database, [people(), book, tag], { synchronize: true });
    const again = await source.driver.createSchemaBuilder().log();
    assert.deepStrictEqual(again.upQueries.map((each) => each.query), []);
  },
  'synchronize differences': async () => {
    await source.getRepository('Person').insert({ name: 'kept' });
    await source.destroy();
    const email = { type: 'nvarchar', length: 200, nullable: true };
    source = await newSource('typeorm_check', [people({ email }), book, tag], { synchronize: true });
    assert.strictEqual((await source.getRepository('Person').findOneByOrFail({ name: 'kept' })).email, null);
    const again = await source.driver.createSchemaBuilder().log();
    assert.deepStrictEqual(again.upQueries.map((each) => each.query), []);
    await source.getRepository('Person').createQueryBuilder().delete().execute();
  },
  introspection: async () => {
    const runner = source.createQueryRunner();
    const table = await runner.getTable('people');
    assert.deepStrictEqual(table.columns.map((each) => each.name), ['id', 'name', 'years', 'made', 'version', 'email']);
    assert.strictEqual(table.findColumnByName('years').default, '18');
    assert.strictEqual(table.findColumnByName('made').default, 'getdate()');
    assert.deepStrictEqual(table.indices.map((each) => each.name), ['people_years']);
    assert.deepStrictEqual(table.checks.map((each) => each.name), ['people_of_age']);
    const [key] = (await runner.getTable('books')).foreignKeys;
    assert.deepStrictEqual([key.referencedTableName, key.onDelete], ['people', 'CASCADE']);
    await runner.release();
  },
  'rows and relations': async () => {
    const [persons, books] = [source.getRepository('Person'), source.getRepository('Book')];
    const ann = await persons.save({ name: 'Ann', years: 30, books: [{ title: 'A' }, { title: 'B', tags: [{ word: 'new' }] }] });
    await persons.save([{ name: 'Bob' }, { name: 'Cy', years: 7 }]);
    const found = await persons.find({ relations: { books: { tags: true } }, order: { name: 'ASC', books: { title: 'DESC' } } });
    assert.deepStrictEqual(found.map((each) => each.books.map((one) => one.title)), [['B', 'A'], [], []]);
    assert.strictEqual(found[0].books[0].tags[0].word, 'new');
    const [page, count] = await persons.findAndCount({ relations: { books: true }, skip: 1, take: 1, order: { name: 'ASC' } });
    assert.deepStrictEqual([page[0].name, count], ['Bob', 3]);
    const cy = await persons.findOneByOrFail({ name: 'Cy' });
    cy.years = 8;
    await persons.save(cy);
    assert.strictEqual((await persons.findOneByOrFail({ name: 'Cy' })).version, 2);
    // A MERGE, which leaves the version to whoever calls it.
    await persons.upsert([{ name: 'Cy', years: 9, version: 3 }, { name: 'Dee', years: 1, version: 1 }], ['name']);
    assert.strictEqual((await persons.findOneByOrFail({ name: 'Cy' })).years, 9);
    const sum = await persons.createQueryBuilder('p').innerJoin('p.books', 'b').select('p.name', 'name')
      .addSelect('count(b.id)', 'n').groupBy('p.name').getRawMany();
    assert.deepStrictEqual(sum, [{ name: 'Ann', n: 2 }]);
    await books.softDelete({ title: 'A' });
    assert.strictEqual(await books.count(), 1);
    assert.strictEqual(await books.count({ withDeleted: true }), 2);
    await persons.delete({ id: In([ann.id]) });
    assert.strictEqual(await books.count({ withDeleted: true }), 0);
  },
  transactions: async () => {
    const persons = source.getRepository('Person');
    await assert.rejects(source.transaction('SERIALIZABLE', async (manager) => {
      await manager.save('Person', { name: 'Eve' });
      const inner = manager.transaction(async (nested) => {
        await nested.save('Person', { name: 'Fay' });
        throw new Error('only the inner one');
      });
      await assert.rejects(inner, /only the inner one/);
      assert.strictEqual(await manager.count('Person'), 4);
      throw new Error('all of it');
    }), /all of it/);
    assert.strictEqual(await persons.count(), 3);
    await source.transaction(async (manager) => {
      const lock = { mode: 'pessimistic_write' };
      const bob = await manager.findOne('Person', { where: { name: 'Bob' }, lock });
      await manager.update('Person', bob.id, { years: 19 });
    });
    assert.strictEqual((await persons.findOneByOrFail({ name: 'Bob' })).years, 19);
  },
  errors: async () => {
    const number = (error) => error.driverError.number;
    const persons = source.getRepository('Person');
    await refused(persons.insert({ name: 'Bob' }), 2627, number);
    await refused(persons.insert({ name: 'Gus', years: -1 }), 547, number);
    await refused(source.getRepository('Book').insert({ owner: { id: 999 } }), 547, number);
    await refused(source.query('select * from nobody'), 208, number);
  },
  extremes: async () => {
    const { long, bytes, bigint, last } = extremes;
    const books = source.getRepository('Book');
    const made = { title: long, number: bigint, scan: bytes, printed: last, at: last, day: '9999-12-31', price: 123456789.1234 };
    const { id } = await books.save({ ...made, lent: true });
    const row = await books.findOneByOrFail({ id });
    assert.deepStrictEqual([row.title, row.number, row.price, row.lent], [long, bigint, made.price, true]);
    assert.ok(bytes.equals(row.scan));
    assert.deepStrictEqual([row.printed.getTime(), row.at.getTime()], [last.getTime(), last.getTime()]);
    assert.strictEqual(String(row.day).slice(0, 10), '9999-12-31');
    await source.getRepository('Person').insert(Array.from({ length: 300 }, (_, at) => ({ name: `row ${at}`, years: at })));
    assert.strictEqual(await source.getRepository('Person').sum('years'), 44850 + 19 + 9 + 1);
  },
  migrations: async () => {
    await source.destroy();
    const migrations = [Made1700000000001, Altered1700000000002];
    source = await newSource('typeorm_check', [], { migrations });
    const done = await source.runMigrations();
    assert.deepStrictEqual(done.map((each) => each.name), ['Made1700000000001', 'Altered1700000000002']);
    assert.deepStrictEqual(await source.query('select body, rank from notes'), [{ body: 'first', rank: 7 }]);
    await source.undoLastMigration();
    assert.deepStrictEqual(await sql('typeorm_check', 'select words from notes'), [['first']]);
    await source.undoLastMigration();
    assert.deepStrictEqual(await sql('typeorm_check', "select object_id('notes')"), [[null]]);
  },
};

checks('typeorm', list, () => source.destroy());
