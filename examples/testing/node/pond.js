// A database of its own for each test: copies of a template that is made once.
//
// The template's name has a hash of what it is made by, so another schema is another template. Its last table says that it is
// whole: one whose making was killed is made anew.

import { createHash, randomUUID } from "node:crypto";
import sql from "mssql";

const SCHEMA = `
  create table people (id int identity primary key, name nvarchar(40) not null unique);
  insert people (name) values (N'Ada'), (N'Grace');`;
const FINISHED = "create table finished (at datetime2 not null default sysutcdatetime())";
const TEMPLATE = `people_template_${createHash("sha256").update(SCHEMA).digest("hex").slice(0, 8)}`;

/** A copy of the template that is this test's alone, dropped when the test has ended, however that was. */
export async function database(t) {
  await template();
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await withPool(connect("master"), (master) => master.query(`create database ${name} as copy of ${TEMPLATE}`));
  let copy;
  t.after(async () => {
    await copy?.close();
    // Whatever a failed test has left open is ended.
    await withPool(connect("master"), (master) =>
      master.query(`alter database ${name} set single_user with rollback immediate; drop database ${name}`),
    );
  });
  copy = await connect(name);
  return copy;
}

/** The template itself, to compare a copy with. */
export async function untouched(t) {
  await template();
  const pool = await connect(TEMPLATE);
  t.after(() => pool.close());
  return pool;
}

// Once in this process; of several processes the first makes the template.
let made;
const template = () => (made ??= makeTemplate());

// A lock of the server's, a transaction's for as long as that is open, lets one at a time look whether the template is there.
const makeTemplate = () =>
  withPool(connect("master"), async (master) => {
    const lock = master.transaction();
    await lock.begin();
    try {
      await lock.request().query("exec sp_getapplock @Resource = 'people_template', @LockMode = 'Exclusive'");
      const whole = await master.query`select object_id(${`${TEMPLATE}.dbo.finished`}) as id`;
      if (whole.recordset[0].id === null) {
        await master.query(`drop database if exists ${TEMPLATE}; create database ${TEMPLATE}`);
        await withPool(connect(TEMPLATE), (unfinished) => unfinished.query(SCHEMA + FINISHED));
      }
    } finally {
      await lock.rollback();
    }
  });

function connect(database) {
  return new sql.ConnectionPool({
    server: process.env.MSSQL_HOST ?? "localhost",
    port: Number(process.env.MSSQL_PORT ?? 1433),
    user: "sa",
    password: process.env.MSSQL_SA_PASSWORD,
    database,
    // Whoever waits for the template waits as long as it takes.
    requestTimeout: 0,
    options: { trustServerCertificate: true },
  }).connect();
}

async function withPool(opening, work) {
  const pool = await opening;
  try {
    return await work(pool);
  } finally {
    await pool.close();
  }
}
