// Checks that tedious works against the server: connecting with and without TLS, parameters, temporary tables, errors,
// transactions, cancellation, and the tempdb loop from 1 and from 10 connections.
//
// Each check prints `ok NAME` or `FAILED NAME: why`, which tests/clients/run counts. No check looks at a clock.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const { Connection, Request, TYPES } = require('tedious');

const certificate = fs.readFileSync(process.env.MILLPOND_CERTIFICATE);

function connect(options = {}) {
  const connection = new Connection({
    server: process.env.MILLPOND_HOST,
    authentication: { type: 'default', options: { userName: 'sa', password: process.env.MSSQL_SA_PASSWORD } },
    options: { port: Number(process.env.MILLPOND_PORT), trustServerCertificate: true, requestTimeout: 0, ...options },
  });
  return new Promise((resolve, reject) => {
    connection.connect((error) => (error ? reject(error) : resolve(connection)));
  });
}

/** Runs a text; `how` is a method of Connection: execSqlBatch without parameters, execSql with. */
function run(connection, text, parameters = [], how = parameters.length ? 'execSql' : 'execSqlBatch') {
  return new Promise((resolve, reject) => {
    const rows = [];
    const request = new Request(text, (error, count) => (error ? reject(error) : resolve({ rows, count })));
    for (const [name, type, value, options] of parameters) {
      request.addParameter(name, type, value, options);
    }
    request.on('row', (columns) => rows.push(columns.map((column) => column.value)));
    connection[how](request);
  });
}

async function expect(connection, wanted, text, parameters) {
  assert.deepStrictEqual((await run(connection, text, parameters)).rows, wanted);
}

async function selectOne(connection) {
  await expect(connection, [[1]], 'select 1');
}

async function parameters(connection) {
  const at = new Date(Date.UTC(2024, 1, 29, 12, 34, 56, 790));
  const row = [-2147483648, '9007199254740993', "it's plain", 'žluťoučký 鶴 😀', -12345.6789, at, at, 1.5, true, null];
  await expect(connection, [row], 'select @a, @b, @c, @d, @e, @f, @g, @h, @i, @j', [
    ['a', TYPES.Int, row[0]],
    ['b', TYPES.BigInt, row[1]],
    ['c', TYPES.VarChar, row[2]],
    ['d', TYPES.NVarChar, row[3]],
    ['e', TYPES.Decimal, row[4], { precision: 18, scale: 4 }],
    ['f', TYPES.DateTime, row[5]],
    ['g', TYPES.DateTime2, row[6], { scale: 3 }],
    ['h', TYPES.Float, row[7]],
    ['i', TYPES.Bit, row[8]],
    ['j', TYPES.Int, row[9]],
  ]);
}

async function utf8(connection) {
  const text = 'Žluťoučký 😀 日本';
  await run(connection, `create table #u (v varchar(40) collate Latin1_General_100_CI_AS_SC_UTF8,
    m varchar(max) collate Latin1_General_100_BIN2_UTF8, w varchar(9) collate Latin1_General_CS_AS)`);
  const insert = 'insert #u values (@v, @m, @w)';
  const values = [['v', TYPES.NVarChar, text], ['m', TYPES.NVarChar, text.repeat(1000)], ['w', TYPES.VarChar, 'Ö']];
  await run(connection, insert, values);
  await expect(connection, [[text, text.repeat(1000), 'Ö']], 'select v, m, w from #u');
  await expect(connection, [[25]], 'select datalength(v) from #u where v = @v', [['v', TYPES.NVarChar, text]]);
}

function prepare(connection, request) {
  return new Promise((resolve, reject) => {
    request.once('prepared', resolve);
    request.once('error', reject);
    connection.prepare(request);
  });
}

async function prepared(connection) {
  await run(connection, 'create table #t (id int not null, name nvarchar(20) null)');
  let done;
  const insert = new Request('insert #t values (@id, @name)', (error, count) => done(error, count));
  insert.addParameter('id', TYPES.Int);
  insert.addParameter('name', TYPES.NVarChar);
  done = (error) => { if (error) throw error; };
  await prepare(connection, insert);
  for (let id = 0; id < 10; id++) {
    const count = await new Promise((resolve, reject) => {
      done = (error, rows) => (error ? reject(error) : resolve(rows));
      connection.execute(insert, { id, name: `name ${id}` });
    });
    assert.strictEqual(count, 1);
  }
  await new Promise((resolve, reject) => {
    done = (error) => (error ? reject(error) : resolve());
    connection.unprepare(insert);
  });
  await expect(connection, [[10, 0, 'name 9']], 'select count(*), min(id), max(name) from #t');
}

async function wrongName(connection) {
  await assert.rejects(run(connection, 'select * from no_such_table'), { number: 208 });
  await selectOne(connection);
}

const step = (connection, method) =>
  new Promise((resolve, reject) => connection[method]((error) => (error ? reject(error) : resolve())));

async function transactions(connection) {
  await run(connection, 'create table #t (id int)');
  for (const [end, count] of [['rollbackTransaction', 0], ['commitTransaction', 1]]) {
    await step(connection, 'beginTransaction');
    await run(connection, 'insert #t values (1)');
    await step(connection, end);
    await expect(connection, [[count, 0]], 'select count(*), @@trancount from #t');
  }
}

async function cancel(connection) {
  const running = run(connection, 'while 1 = 1 set nocount on');
  setTimeout(() => connection.cancel(), 300);
  await assert.rejects(running, { code: 'ECANCEL' });
  await selectOne(connection);
}

async function reset(connection) {
  await run(connection, 'create table #t (id int)');
  await step(connection, 'reset');
  await expect(connection, [[null]], "select object_id('tempdb..#t')");
}

async function loop(connection) {
  const printed = [];
  connection.on('infoMessage', (info) => printed.push(info.message));
  const script = fs.readFileSync(process.env.MILLPOND_LOOP, 'utf8');
  await run(connection, script.split(/^GO\s*$/im)[0]);
  const turns = /iterations (\d+)/.exec(printed.join('\n'));
  assert.ok(turns && Number(turns[1]) > 1, `printed ${JSON.stringify(printed)}`);
}

async function check(name, body, options) {
  try {
    const connection = await connect(options);
    try {
      await body(connection);
    } finally {
      connection.close();
    }
    console.log(`ok ${name}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`FAILED ${name}: ${String(error && (error.stack.split('\n    at')[0] || error))}`.replaceAll('\n', ' '));
  }
}

async function main() {
  await check('connect, TLS as by default', selectOne);
  await check('connect without TLS', selectOne, { encrypt: false });
  const checked = { trustServerCertificate: false, cryptoCredentialsDetails: { ca: certificate }, serverName: 'localhost' };
  await check('connect, certificate checked', selectOne, checked);
  await check('connect, TLS before everything', selectOne, { ...checked, encrypt: 'strict' });
  await check('parameters', parameters);
  await check('columns of UTF-8', utf8);
  await check('prepared statement, temp table', prepared);
  await check('error 208', wrongName);
  await check('commit and rollback', transactions);
  await check('cancel', cancel);
  await check('reset', reset);
  await check('tempdb loop, 1 connection', loop);
  await check('tempdb loop, 10 connections', () =>
    Promise.all(Array.from({ length: 10 }, async () => {
      const connection = await connect();
      try {
        await loop(connection);
      } finally {
        connection.close();
      }
    })));
}

main();
