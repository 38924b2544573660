import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { EmbeddedMongo } from '../src/index.ts';
import { UnknownOperation } from './unified/operations.ts';
import { readUnified, runUnified, skipReason } from './unified/runner.ts';

const root =
  process.env.GERBANG_MONGODB_SPEC_TESTS ?? resolve(import.meta.dirname, '../../../../shared/conformance/mongodb-spec-tests');

const nullId = 'the Node driver replaces a null _id before it sends the document';
const driverDiffers = new Map([
  ['inserting _id with type null via insertOne', nullId],
  ['inserting _id with type null via insertMany', nullId],
  ['inserting _id with type null via bulkWrite', nullId],
]);

describe.skipIf(!existsSync(root))('unified spec tests (skipped where the folder is absent)', () => {
  let server: EmbeddedMongo;
  const external = process.env.MONGODB_URI;
  // A server's fail points strike whoever comes first; on one that other tests use as well that may be another test.
  const retry = external ? 5 : 0;

  beforeAll(async () => {
    if (!external) server = await EmbeddedMongo.start();
  });
  afterAll(async () => server?.stop());

  const folders = existsSync(root) ? readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory()) : [];
  for (const folder of folders) {
    for (const name of readdirSync(join(root, folder.name)).filter((file) => file.endsWith('.json'))) {
      const file = readUnified(readFileSync(join(root, folder.name, name), 'utf8'));
      describe(`${folder.name}/${name}`, () => {
        for (const one of file.tests) {
          test(one.description, { retry }, async (context) => {
            const reason = driverDiffers.get(one.description) ?? skipReason(file, one);
            if (reason !== undefined) return context.skip(reason);
            try {
              return await runUnified(file, one, external ?? server.uri);
            } catch (error) {
              if (error instanceof UnknownOperation) return context.skip(`the runner does not know ${error.message}`);
              throw error;
            }
          });
        }
      });
    }
  }
});
