import { MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
import { EmbeddedMongo } from '../src/index.ts';

test('commands that its owner refuses do not run, and say why', async () => {
  const server = await EmbeddedMongo.start({
    refuse: ({ db, name }) => (db === 'guarded' && name === 'insert' ? 'no inserts here' : undefined),
  });
  const client = new MongoClient(server.uri);
  await expect(client.db('guarded').collection('c').insertOne({ a: 1 })).rejects.toMatchObject({
    code: 115,
    errmsg: 'no inserts here',
  });
  await client.db('open').collection('c').insertOne({ a: 1 });
  expect(await client.db('guarded').collection('c').countDocuments()).toBe(0);
  expect(await client.db('open').collection('c').countDocuments()).toBe(1);
  await client.close();
  await server.stop();
});
