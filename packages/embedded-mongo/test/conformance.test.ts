import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { EmbeddedMongo } from '../src/index.ts';
import { driverDifference, refusal } from './unified/differences.ts';
import { readUnified, type ServerTraits, skipReason, traitsOf } from './unified/file.ts';
import { UnknownOperation } from './unified/operations/run.ts';
import { runUnified } from './unified/runner.ts';

const root =
  process.env.GERBANG_MONGODB_SPEC_TESTS ?? resolve(import.meta.dirname, '../../../../shared/conformance/mongodb-spec-tests');

/** Every JSON file below the folder; the format's own examples of invalid files are tests of runners, not of servers. */
const files = existsSync(root)
  ? readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.json') && !/(^|\/)(invalid|valid-fail)\//.test(path))
      .sort()
  : [];

describe.skipIf(!existsSync(root))('unified spec tests (skipped where the folder is absent)', () => {
  let server: EmbeddedMongo | undefined;
  let uri = process.env.MONGODB_URI ?? '';
  let traits: ServerTraits;

  beforeAll(async () => {
    if (uri === '') {
      server = await EmbeddedMongo.start();
      uri = server.uri;
    }
    traits = await traitsOf(uri);
  });
  afterAll(async () => server?.stop());

  for (const path of files) {
    const file = readUnified(readFileSync(join(root, path), 'utf8'));
    describe(path, () => {
      if (!file) return test('is of the unified format', (context) => context.skip('it is of another format'));
      for (const one of file.tests) {
        test(one.description, async (context) => {
          const reason = skipReason(file, one, traits) ?? driverDifference(path, file, one);
          if (reason !== undefined) return context.skip(reason);
          try {
            return await runUnified(file, one, uri);
          } catch (error) {
            const lacking =
              error instanceof UnknownOperation ? `the runner or the driver has no ${error.message}` : refusal(error);
            if (lacking !== undefined) return context.skip(lacking);
            throw error;
          }
        });
      }
    });
  }
});
