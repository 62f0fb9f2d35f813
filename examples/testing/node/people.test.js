// Tests that would disturb each other in one database.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { database, untouched } from "./pond.js";

async function names(db) {
  const { recordset } = await db.query("select name from people order by id");
  return recordset.map(({ name }) => name);
}

/** The new person's id. */
async function add(db, name) {
  const { recordset } = await db.query`insert people (name) output inserted.id values (${name})`;
  return recordset[0].id;
}

describe("people", { concurrency: true }, () => {
  test("everybody can go", async (t) => {
    const db = await database(t);
    await db.query("delete people");
    assert.deepEqual(await names(db), []);
  });

  for (const name of ["Edsger", "Barbara", "Tony"]) {
    test(`ids begin anew in each copy: ${name}`, async (t) => {
      const db = await database(t);
      assert.equal(await add(db, name), 3);
      assert.deepEqual(await names(db), ["Ada", "Grace", name]);
    });
  }

  test("the template stays as it is", async (t) => {
    const db = await database(t);
    await db.query("update people set name = N'Augusta' where name = N'Ada'");
    assert.deepEqual(await names(await untouched(t)), ["Ada", "Grace"]);
    assert.deepEqual(await names(db), ["Augusta", "Grace"]);
  });

  test("two copies side by side", async (t) => {
    const [one, other] = await Promise.all([database(t), database(t)]);
    assert.equal(await add(one, "Alan"), 3);
    assert.equal(await add(other, "Alonzo"), 3);
    assert.deepEqual(await names(one), ["Ada", "Grace", "Alan"]);
    assert.deepEqual(await names(other), ["Ada", "Grace", "Alonzo"]);
  });
});
