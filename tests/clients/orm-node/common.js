// What the checks of ORMs share: how the server is reached, a database of each one's own, and how a check is told.
//
// Each check prints `ok NAME` or `FAILED NAME: why`, which tests/clients/run counts. A check that fails ends its program:
// the next ones stand on its rows. No check looks at a clock.
'use strict';

const assert = require('node:assert');
const { Connection, Request } = require('tedious');

const server = process.env.MILLPOND_HOST;
const port = Number(process.env.MILLPOND_PORT);
const user = 'sa';
const password = process.env.MSSQL_SA_PASSWORD;

/** Values at the ends of their types, which every ORM must bring back as it sent them. */
const extremes = {
  text: 'it\'s plain, žluťoučký 鶴 😀',
  long: 'žluťoučký 鶴 😀'.repeat(20000),
  bytes: Buffer.from(Array.from({ length: 100000 }, (_, at) => at % 251)),
  bigint: '9223372036854775807',
  decimal: '12345678901234.5678',
  first: new Date(Date.UTC(1, 0, 1)),
  last: new Date(Date.UTC(9999, 11, 31, 23, 59, 59, 990)),
};

function connect(database) {
  const connection = new Connection({
    server,
    authentication: { type: 'default', options: { userName: user, password } },
    options: { port, database, trustServerCertificate: true },
  });
  return new Promise((resolve, reject) => {
    connection.connect((error) => (error ? reject(error) : resolve(connection)));
  });
}

function run(connection, text) {
  return new Promise((resolve, reject) => {
    const rows = [];
    const request = new Request(text, (error) => (error ? reject(error) : resolve(rows)));
    request.on('row', (columns) => rows.push(columns.map((column) => column.value)));
    connection.execSqlBatch(request);
  });
}

/** Runs texts in a database, by the driver alone; gives the rows of the last. */
async function sql(database, ...texts) {
  const connection = await connect(database);
  let rows = [];
  for (const text of texts) {
    rows = await run(connection, text);
  }
  connection.close();
  return rows;
}

async function newDatabase(name) {
  await sql('master', `drop database if exists ${name}`, `create database ${name}`);
  return name;
}

/** The error that a promise ends with, which has SQL Server's number where `number` finds it. */
async function refused(promise, wanted, number = (error) => error.number) {
  const error = await promise.then(
    () => assert.fail(`no error where ${wanted} was expected`),
    (error) => error,
  );
  assert.strictEqual(number(error), wanted, `${number(error)} instead of ${wanted}: ${error.message}`);
}

/** Runs the checks of a tool in their order, each under its name; `close` ends the tool's connections. */
async function checks(tool, list, close = async () => {}) {
  let name = 'start';
  try {
    for (const [each, body] of Object.entries(list)) {
      name = each;
      await body();
      console.log(`ok ${tool} ${name}`);
    }
    name = 'close';
    await close();
  } catch (error) {
    // Sequelize keeps the server's own words beside its error.
    const words = [error.parent && `${error.parent.message} in ${error.parent.sql}`, error.stack || error];
    console.log(`FAILED ${tool} ${name}: ${words.filter(Boolean).join(' ').replace(/\s*\n\s*/g, ' ').slice(0, 900)}`);
    process.exit(1);
  }
  process.exit(0);
}

module.exports = { assert, server, port, user, password, extremes, sql, newDatabase, refused, checks };
