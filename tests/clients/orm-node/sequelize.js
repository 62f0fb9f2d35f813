// Sequelize: sync from models, associations, transactions, errors of its own classes, values at the ends of their types,
// what it reads of the schema, changes of it by the query interface.
'use strict';

const { DataTypes, ForeignKeyConstraintError, Op, Sequelize, UniqueConstraintError } = require('sequelize');
const { assert, server, port, user, password, extremes, newDatabase, refused, checks } = require('./common');

let sequelize, Person, Book, Tag;

const list = {
  sync: async () => {
    const database = await newDatabase('sequelize_check');
    sequelize = new Sequelize(database, user, password, {
      dialect: 'mssql',
      dialectModule: require('tedious'),
      host: server,
      port,
      logging: false,
      dialectOptions: { options: { trustServerCertificate: true } },
    });
    Person = sequelize.define('Person', {
      name: { type: DataTypes.STRING(100), allowNull: false, unique: true },
      years: { type: DataTypes.INTEGER, defaultValue: 18, validate: { min: 0 } },
      kind: DataTypes.ENUM('guest', 'member'),
    }, { indexes: [{ fields: ['years'] }] });
    Book = sequelize.define('Book', {
      title: DataTypes.TEXT,
      price: DataTypes.DECIMAL(18, 4),
      number: DataTypes.BIGINT,
      scan: DataTypes.BLOB,
      printed: DataTypes.DATE(3),
      day: DataTypes.DATEONLY,
      code: { type: DataTypes.UUID, defaultValue: DataTypes.UUIDV4 },
      lent: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
    }, { paranoid: true });
    Tag = sequelize.define('Tag', { word: { type: DataTypes.STRING(30), primaryKey: true } }, { timestamps: false });
    Person.hasMany(Book, { as: 'books', foreignKey: 'ownerId', onDelete: 'CASCADE' });
    Book.belongsTo(Person, { as: 'owner', foreignKey: 'ownerId' });
    Book.belongsToMany(Tag, { through: 'BookTags' });
    Tag.belongsToMany(Book, { through: 'BookTags' });
    await sequelize.sync({ force: true });
    // Compared with what is there; not the others, whose UNIQUE and DEFAULT Sequelize writes into ALTER COLUMN, which has none.
    await Tag.sync({ alter: true });
    await sequelize.sync({ force: true });
  },
  introspection: async () => {
    const interface_ = sequelize.getQueryInterface();
    const tables = (await interface_.showAllTables()).map((table) => table.tableName).sort();
    assert.deepStrictEqual(tables, ['BookTags', 'Books', 'People', 'Tags']);
    const columns = await interface_.describeTable('People');
    assert.strictEqual(columns.name.type, 'NVARCHAR(100)');
    assert.strictEqual(columns.name.allowNull, false);
    assert.strictEqual(columns.id.primaryKey, true);
    assert.strictEqual(columns.id.autoIncrement, true);
    const indexes = await interface_.showIndex('People');
    assert.ok(indexes.some((index) => index.name === 'people_years' && index.fields[0].attribute === 'years'));
    const keys = await interface_.getForeignKeyReferencesForTable('Books');
    assert.strictEqual(keys[0].referencedTableName, 'People');
  },
  'rows and relations': async () => {
    const ann = await Person.create({ name: 'Ann', years: 30, books: [{ title: 'A' }, { title: 'B' }] },
      { include: [{ association: 'books' }] });
    await Person.bulkCreate([{ name: 'Bob' }, { name: 'Cy', years: 7, kind: 'guest' }]);
    const [tag] = await Tag.findOrCreate({ where: { word: 'new' } });
    await ann.books[0].addTag(tag);
    const found = await Person.findAll({
      include: [{ association: 'books', include: [Tag] }],
      order: [['name', 'ASC'], [{ model: Book, as: 'books' }, 'title', 'DESC']],
    });
    assert.deepStrictEqual(found.map((each) => each.books.map((book) => book.title)), [['B', 'A'], [], []]);
    assert.strictEqual(found[0].books[1].Tags[0].word, 'new');
    const page = await Person.findAndCountAll({ limit: 1, offset: 1, order: ['id'] });
    assert.deepStrictEqual([page.count, page.rows[0].name], [3, 'Bob']);
    assert.deepStrictEqual(await Person.update({ years: 8 }, { where: { name: { [Op.startsWith]: 'C' } } }), [1]);
    await Person.increment('years', { by: 2, where: { name: 'Cy' } });
    assert.strictEqual((await Person.findOne({ where: { years: { [Op.between]: [9, 11] } } })).name, 'Cy');
    await Tag.upsert({ word: 'new' });
    await Tag.upsert({ word: 'old' });
    assert.strictEqual(await Tag.count(), 2);
    await ann.books[0].destroy();
    assert.strictEqual(await Book.count(), 1);
    assert.strictEqual(await Book.count({ paranoid: false }), 2);
    await ann.books[0].restore();
    assert.strictEqual(await Person.sum('years'), 58);
    await ann.destroy();
    assert.strictEqual(await Book.count({ paranoid: false }), 0);
  },
  transactions: async () => {
    const failing = sequelize.transaction(async (transaction) => {
      await Person.create({ name: 'Dee' }, { transaction });
      assert.strictEqual(await Person.count({ transaction }), 3);
      throw new Error('all of it');
    });
    await assert.rejects(failing, /all of it/);
    assert.strictEqual(await Person.count(), 2);
    const isolationLevel = Sequelize.Transaction.ISOLATION_LEVELS.SERIALIZABLE;
    await sequelize.transaction({ isolationLevel }, async (transaction) => {
      await Person.findOne({ where: { name: 'Bob' }, lock: transaction.LOCK.UPDATE, transaction });
      await Person.update({ years: 19 }, { where: { name: 'Bob' }, transaction });
    });
    assert.strictEqual((await Person.findOne({ where: { name: 'Bob' } })).years, 19);
  },
  errors: async () => {
    const number = (error) => error.original.number;
    await refused(Person.create({ name: 'Bob' }), 2627, number);
    await assert.rejects(Person.create({ name: 'Bob' }), UniqueConstraintError);
    await refused(Book.create({ ownerId: 999 }), 547, number);
    await assert.rejects(Book.create({ ownerId: 999 }), ForeignKeyConstraintError);
    await refused(sequelize.query('select * from nobody'), 208, number);
    await refused(sequelize.query('select 1/0'), 8134, number);
  },
  extremes: async () => {
    const { text, long, bytes, bigint, decimal, last } = extremes;
    const made = await Book.create({ title: long, number: bigint, scan: bytes, printed: last, day: '0001-01-01' });
    await Book.create({ title: text, day: '9999-12-31' });
    await sequelize.query('update Books set price = :price where id = :id', { replacements: { price: decimal, id: made.id } });
    const row = await Book.findByPk(made.id);
    assert.strictEqual(row.title, long);
    assert.strictEqual(row.number, bigint);
    assert.ok(bytes.equals(row.scan));
    assert.strictEqual(row.printed.getTime(), last.getTime());
    assert.strictEqual(row.day, '0001-01-01');
    assert.strictEqual(row.code.toLowerCase(), made.code.toLowerCase());
    const [[{ price }]] = await sequelize.query(`select cast(price as varchar(40)) as price from Books where id = ${made.id}`);
    assert.strictEqual(price, decimal);
    assert.strictEqual((await Book.findOne({ where: { title: text } })).day, '9999-12-31');
    await Person.bulkCreate(Array.from({ length: 900 }, (_, at) => ({ name: `row ${at}`, years: at })));
    assert.strictEqual(await Person.sum('years', { where: { name: { [Op.like]: 'row %' } } }), 404550);
  },
  'schema changed': async () => {
    const interface_ = sequelize.getQueryInterface();
    await interface_.addColumn('People', 'email', { type: DataTypes.STRING(200), allowNull: false, defaultValue: '-' });
    await interface_.changeColumn('People', 'email', { type: DataTypes.STRING(300), allowNull: true });
    await interface_.renameColumn('People', 'email', 'mail');
    await interface_.addIndex('People', ['mail'], { name: 'people_mail', where: { years: { [Op.gt]: 10 } } });
    assert.strictEqual((await interface_.describeTable('People')).mail.type, 'NVARCHAR(300)');
    await interface_.removeIndex('People', 'people_mail');
    await interface_.removeColumn('People', 'mail');
    await interface_.renameTable('Tags', 'Words');
    await sequelize.drop();
    await interface_.dropTable('Words');
    assert.deepStrictEqual(await interface_.showAllTables(), []);
  },
};

checks('sequelize', list, () => sequelize.close());
