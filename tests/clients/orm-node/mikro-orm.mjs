// MikroORM: a schema from entities and its differences, migrations up and down, the unit of work with relations,
// transactions, errors of its own classes, values at the ends of their types, what it reads of the schema.
import { EntitySchema, MikroORM, raw, UniqueConstraintViolationException, ForeignKeyConstraintViolationException, TableNotFoundException, LockMode } from '@mikro-orm/core';
import { MsSqlDriver } from '@mikro-orm/mssql';
import { Migrator, Migration } from '@mikro-orm/migrations';
import common from './common.js';

const { assert, server, port, user, password, extremes, newDatabase, refused, checks } = common;

/** The entities, made anew for each opening: a schema belongs to one. */
function library(extra) {
  const Tag = new EntitySchema({
    name: 'Tag',
    tableName: 'tags',
    properties: { word: { type: 'string', length: 30, primary: true } },
  });
  const Book = new EntitySchema({
    name: 'Book',
    tableName: 'books',
    properties: {
      id: { type: 'uuid', primary: true, onCreate: () => crypto.randomUUID() },
      title: { type: 'string', columnType: 'nvarchar(max)', nullable: true },
      price: { type: 'decimal', precision: 19, scale: 4, nullable: true },
      number: { type: 'bigint', nullable: true },
      scan: { type: 'blob', nullable: true },
      printed: { type: 'datetime', length: 3, nullable: true },
      lent: { type: 'boolean', default: false },
      owner: { kind: 'm:1', entity: () => Person, nullable: true, deleteRule: 'cascade' },
      tags: { kind: 'm:n', entity: () => Tag, pivotTable: 'book_tags', owner: true },
    },
  });
  const Person = new EntitySchema({
    name: 'Person',
    tableName: 'people',
    properties: {
      id: { type: 'integer', primary: true, autoincrement: true },
      name: { type: 'string', length: 100, unique: true },
      years: { type: 'integer', default: 18, index: 'people_years' },
      version: { type: 'integer', version: true },
      books: { kind: '1:m', entity: () => Book, mappedBy: 'owner', orphanRemoval: true },
      ...extra,
    },
  });
  entities = { Person, Book, Tag };
  return [Person, Book, Tag];
}

class Made extends Migration {
  async up() {
    this.addSql('create table notes (id int identity primary key, words nvarchar(50) not null)');
    this.addSql("insert notes (words) values (N'first')");
  }

  async down() {
    this.addSql('drop table notes');
  }
}

class Altered extends Migration {
  async up() {
    this.addSql('alter table notes add rank int not null constraint notes_rank default 7 with values');
  }

  async down() {
    this.addSql('alter table notes drop constraint notes_rank, column rank');
  }
}

let orm, entities;

function open(entities, extra = {}) {
  return MikroORM.init({ driver: MsSqlDriver, host: server, port, user, password, dbName: 'mikro_check', entities,
    extensions: [Migrator], driverOptions: { options: { trustServerCertificate: true } },
    discovery: { warnWhenNoEntities: false }, ...extra });
}

const list = {
  schema: async () => {
    await newDatabase('mikro_check');
    orm = await open(library());
    await orm.schema.create();
    assert.strictEqual(await orm.schema.getUpdateSchemaSQL(), '');
  },
  'schema differences': async () => {
    await orm.em.fork().insert(entities.Person, { name: 'kept', version: 1 });
    await orm.close();
    orm = await open(library({ email: { type: 'string', length: 200, nullable: true } }));
    assert.match(await orm.schema.getUpdateSchemaSQL(), /add \[?email/);
    await orm.schema.update();
    assert.strictEqual(await orm.schema.getUpdateSchemaSQL(), '');
    assert.strictEqual((await orm.em.fork().findOneOrFail(entities.Person, { name: 'kept' })).email, null);
    await orm.em.fork().nativeDelete(entities.Person, {});
  },
  'rows and relations': async () => {
    const em = orm.em.fork();
    const ann = em.create(entities.Person, { name: 'Ann', years: 30 });
    em.create(entities.Book, { title: 'A', owner: ann });
    const b = em.create(entities.Book, { title: 'B', owner: ann });
    b.tags.add(em.create(entities.Tag, { word: 'new' }));
    em.create(entities.Person, { name: 'Bob' });
    em.create(entities.Person, { name: 'Cy', years: 7 });
    await em.flush();
    const found = await em.fork().find(entities.Person, {}, { populate: ['books.tags'], orderBy: { name: 'asc', books: { title: 'desc' } } });
    assert.deepStrictEqual(found.map((each) => each.books.getItems().map((one) => one.title)), [['B', 'A'], [], []]);
    assert.strictEqual(found[0].books[0].tags[0].word, 'new');
    const [page, count] = await em.fork().findAndCount(entities.Person, { years: { $gte: 1 } }, { limit: 1, offset: 1, orderBy: { id: 'asc' } });
    assert.deepStrictEqual([page[0].name, count], ['Bob', 3]);
    const cy = await em.findOneOrFail(entities.Person, { name: 'Cy' });
    cy.years = 8;
    await em.flush();
    assert.strictEqual(cy.version, 2);
    await em.upsert(entities.Person, { name: 'Cy', years: 9 });
    assert.strictEqual((await em.fork().findOneOrFail(entities.Person, { name: 'Cy' })).years, 9);
    const rows = await em.createQueryBuilder(entities.Person, 'p').select(['p.name', raw('count(b.id) as n')]).join('p.books', 'b')
      .groupBy('p.name').execute('all', false);
    assert.deepStrictEqual(rows.map((row) => [row.name, row.n]), [['Ann', 2]]);
    ann.books.remove(b);
    await em.flush();
    assert.strictEqual(await em.fork().count(entities.Book), 1);
    await em.fork().nativeDelete(entities.Person, { name: 'Ann' });
    assert.strictEqual(await em.fork().count(entities.Book), 0);
  },
  transactions: async () => {
    await assert.rejects(orm.em.fork().transactional(async (em) => {
      em.create(entities.Person, { name: 'Dee' });
      await em.flush();
      const inner = em.transactional(async (nested) => {
        nested.create(entities.Person, { name: 'Eve' });
        await nested.flush();
        throw new Error('only the inner one');
      });
      await assert.rejects(inner, /only the inner one/);
      assert.strictEqual(await em.count(entities.Person), 3);
      throw new Error('all of it');
    }), /all of it/);
    assert.strictEqual(await orm.em.fork().count(entities.Person), 2);
    await orm.em.fork().transactional(async (em) => {
      const bob = await em.findOneOrFail(entities.Person, { name: 'Bob' }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      bob.years = 19;
    });
    assert.strictEqual((await orm.em.fork().findOneOrFail(entities.Person, { name: 'Bob' })).years, 19);
  },
  errors: async () => {
    const number = (error) => error.number ?? error.cause?.number;
    const twice = () => orm.em.fork().insert(entities.Person, { name: 'Bob', version: 1 });
    await assert.rejects(twice(), UniqueConstraintViolationException);
    await refused(twice(), 2601, number);
    await assert.rejects(orm.em.fork().insert(entities.Book, { id: crypto.randomUUID(), owner: 999 }), ForeignKeyConstraintViolationException);
    await assert.rejects(orm.em.execute('select * from nobody'), TableNotFoundException);
  },
  extremes: async () => {
    const { long, bytes, bigint, decimal, last } = extremes;
    const em = orm.em.fork();
    const made = em.create(entities.Book, { title: long, number: BigInt(bigint), scan: bytes, printed: last, price: decimal, lent: true });
    await em.flush();
    const row = await orm.em.fork().findOneOrFail(entities.Book, { id: made.id });
    assert.deepStrictEqual([row.title, String(row.number), row.lent], [long, bigint, true]);
    assert.ok(bytes.equals(Buffer.from(row.scan)));
    assert.strictEqual(row.printed.getTime(), last.getTime());
    const [{ price }] = await orm.em.execute('select cast(price as varchar(40)) as price from books where id = ?', [made.id]);
    assert.strictEqual(price, decimal);
    await orm.em.fork().insertMany(entities.Person, Array.from({ length: 500 }, (_, at) => ({ name: `row ${at}`, years: at, version: 1 })));
    assert.strictEqual(await orm.em.fork().count(entities.Person, { name: { $like: 'row %' } }), 500);
  },
  migrations: async () => {
    await orm.close();
    const migrationsList = [{ name: 'Made', class: Made }, { name: 'Altered', class: Altered }];
    orm = await open(library().slice(2), { migrations: { migrationsList, snapshot: false } });
    await orm.migrator.up();
    assert.strictEqual((await orm.migrator.getExecuted()).length, 2);
    assert.deepStrictEqual(await orm.em.execute('select words, rank from notes'), [{ words: 'first', rank: 7 }]);
    await orm.migrator.down();
    await orm.migrator.down();
    assert.deepStrictEqual(await orm.em.execute("select object_id('notes') as id"), [{ id: null }]);
  },
  'schema dropped': async () => {
    await orm.close();
    orm = await open(library());
    await orm.schema.drop();
    assert.deepStrictEqual(await orm.em.execute("select name from sys.tables where name in ('people', 'books', 'tags')"), []);
  },
};

checks('mikro-orm', list, () => orm.close());
