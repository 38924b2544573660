import type { Db, Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allowed, refused } from './restrictions/all.ts';
import type { Restriction } from './restrictions/table.ts';
import { connect } from './server.ts';

const external = process.env.MONGODB_URI !== undefined;
const lacking = 238;

let db: Db;
let close: () => Promise<void>;
let number = 0;

beforeAll(async () => {
  ({ db, close } = await connect());
});
afterAll(async () => close());

/** The code with which a command, or its first statement, is refused; 0 if it is not. */
async function codeOf([, , command, given = {}]: Restriction): Promise<number> {
  const own = db.client.db(`${db.databaseName}_${number++}`);
  try {
    if (given.docs?.length) await own.collection('c').insertMany(given.docs as Document[]);
    if (given.indexes?.length) await own.command({ createIndexes: 'c', indexes: given.indexes });
    const reply: Document = await own.command(command).catch((error: Document) => error);
    return reply.writeErrors?.[0]?.code ?? reply.code ?? 0;
  } finally {
    await own.dropDatabase();
  }
}

for (const [area, rows] of Object.entries(refused)) {
  describe(`${area}: refused`, () => {
    for (const row of rows) {
      const [title, code] = row;
      // What this server lacks and MongoDB has is no restriction of another server.
      test.skipIf(external && code === lacking)(title, async () => expect(await codeOf(row)).toBe(code));
    }
  });
}

for (const [area, rows] of Object.entries(allowed)) {
  describe(`${area}: allowed`, () => {
    for (const row of rows) test(row[0], async () => expect(await codeOf(row)).toBe(0));
  });
}
