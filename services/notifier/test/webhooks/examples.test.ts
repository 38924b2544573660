import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { webhookRequest } from '../../src/delivery/webhook-request.ts';
import { deliveryOf } from './delivery.ts';
import { breakOff, startReceiver } from './receiver.ts';
import { type SignatureVector, signatureVectors } from './vectors.ts';

const DOCS = path.join(import.meta.dirname, '../../../../docs');
const DRIVERS = path.join(import.meta.dirname, 'drivers');
const VECTORS = path.join(DOCS, 'signature-vectors.json');
const SECRET = 'a-merchants-secret';
/** The first time, Go compiles its standard library. */
const PATIENCE_MS = 240_000;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
/** Go downloads nothing, not even another version of itself. */
const GO_ENV = { ...process.env, GOPROXY: 'off', GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod' };

const example = (file: string) => path.join(DOCS, 'webhooks', file);
const resultsSchema = z.array(z.object({ valid: z.boolean(), canonical_json: z.string() }));
type Result = z.infer<typeof resultsSchema>[number];

/** What the driver in Python computes. */
const computed = z.object({
  signatures: z.array(
    z.object({
      valid: z.boolean(),
      canonical_json: z.string(),
      body_sha256: z.string(),
      string_to_sign: z.string(),
      signature: z.string(),
    }),
  ),
  access_token_signatures: z.array(z.object({ day: z.string(), string_to_sign: z.string(), signature: z.string() })),
});

/** What receive.ts exports. */
type Exports = {
  normalize(value: unknown): string;
  verify(
    secret: string,
    received: { method: string; path: string; headers: Record<string, string>; body: Buffer },
    now: number,
  ): boolean;
};

/**
 * One example: how it is started, and what it makes of the vectors. Where `recent` is given, it succeeds on a version that is new
 * enough, and the example is skipped, visibly, where it does not or there is no such program.
 */
type Example = {
  name: string;
  program: string;
  recent?: readonly string[];
  serve(port: number): string[];
  onVectors(folder: string): Promise<Result[]>;
};

const EXAMPLES: readonly Example[] = [
  {
    name: 'TypeScript',
    program: process.execPath,
    serve: () => [example('receive.ts')],
    onVectors: async () => {
      const { normalize, verify }: Exports = await import(example('receive.ts'));
      return resultsSchema.parse(
        vectors.map(({ client_secret, now, method, path, headers, body }) => ({
          valid: verify(client_secret, { method, path, headers: lowerCase(headers), body: Buffer.from(body) }, now),
          canonical_json: body === '' ? '' : normalize(JSON.parse(body)),
        })),
      );
    },
  },
  {
    name: 'Python',
    program: 'python3',
    serve: () => [example('receive.py')],
    onVectors: async () => {
      const { signatures } = computed.parse(JSON.parse(await runPython()));
      return signatures;
    },
  },
  {
    name: 'PHP',
    program: 'php',
    recent: ['-r', 'exit(PHP_VERSION_ID >= 80000 ? 0 : 1);'],
    serve: (port) => ['-S', `127.0.0.1:${port}`, example('receive.php')],
    onVectors: async () => parse(await run('php', [path.join(DRIVERS, 'vectors.php'), example('receive.php'), VECTORS])),
  },
  {
    name: 'Go',
    program: 'go',
    recent: ['list', 'slices'],
    serve: () => ['run', example('receive.go')],
    onVectors: async (folder) => {
      for (const file of [example('receive.go'), path.join(DRIVERS, 'vectors_test.go')]) {
        copyFileSync(file, path.join(folder, path.basename(file)));
      }
      const results = path.join(folder, 'results.json');
      await run('go', ['test', '-count=1', 'receive.go', 'vectors_test.go'], {
        cwd: folder,
        env: { ...GO_ENV, VECTORS, RESULTS: results },
      });
      return parse(readFileSync(results, 'utf8'));
    },
  },
];

const vectors: readonly SignatureVector[] = signatureVectors().signatures;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gerbang-webhooks-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(EXAMPLES)('$name', ({ program, recent, serve, onVectors }) => {
  const missing = recent !== undefined && !isThere(program, recent);

  test.skipIf(missing)('verifies the vectors', { timeout: PATIENCE_MS }, async () => {
    const results = await onVectors(folder);
    expect(results).toHaveLength(vectors.length);
    const expected = vectors.map(({ name, valid, canonical_json }) => ({ name, valid, canonical_json }));
    const found = results.map(({ valid, canonical_json }, i) => ({ name: vectors[i]?.name, valid, canonical_json }));
    expect(found).toEqual(expected);
  });

  const start = (secret: string) => {
    const env = { ...GO_ENV, GERBANG_CLIENT_SECRET: secret };
    return startReceiver({ program, parameters: serve, folder, env, patienceMs: PATIENCE_MS });
  };

  test.skipIf(missing)('receives what the notifier sends', { timeout: PATIENCE_MS }, async () => {
    const receiver = await start(SECRET);
    try {
      expect(await receiver.settled()).toBe('listens');
      await breakOff(receiver.port);
      const webhook = webhookTo(receiver.port, SECRET);
      expect(await post(webhook)).toBe(200);
      await eventually('the event is printed', () => receiver.output().includes('disbursement 01J00000000000000000000000'));
      const changed = webhook.body.replace('150000.00', '950000.00');
      expect(await post({ ...webhook, body: changed })).toBe(401);
      const [head = '', body] = readFileSync(path.join(receiver.folder, 'refused.http'), 'utf8').split(/\r?\n\r?\n/);
      expect(head).toMatch(/^POST \/hooks\/gerbang\?shop=1&y=%20x HTTP\/1.1\r?\n/);
      expect(head.toLowerCase()).toContain(`x-signature: ${webhook.headers['X-Signature']}`);
      expect(body).toBe(changed);
    } finally {
      await receiver.close();
    }
  });

  test.skipIf(missing)('takes nothing without a secret', { timeout: PATIENCE_MS }, async () => {
    const receiver = await start('');
    try {
      if ((await receiver.settled()) === 'listens') expect(await post(webhookTo(receiver.port, ''))).toBe(500);
      else expect(receiver.output()).toContain('GERBANG_CLIENT_SECRET is not set');
    } finally {
      await receiver.close();
    }
  });
});

test('Python computes every part of every vector, also of access tokens', { timeout: PATIENCE_MS }, async () => {
  const { signatures, access_token_signatures: tokens } = computed.parse(JSON.parse(await runPython()));
  const expected = signatureVectors();
  expect(signatures).toHaveLength(expected.signatures.length);
  expect(tokens).toHaveLength(expected.access_token_signatures.length);
  for (const [i, vector] of expected.signatures.entries()) expect(vector).toMatchObject(signatures[i] ?? {});
  for (const [i, vector] of expected.access_token_signatures.entries()) expect(vector).toMatchObject(tokens[i] ?? {});
});

function runPython(): Promise<string> {
  return run('python3', [path.join(DRIVERS, 'vectors.py'), example('receive.py'), VECTORS]);
}

/** A webhook as the notifier sends it, now. */
function webhookTo(port: number, clientSecret: string) {
  const url = `http://127.0.0.1:${port}/hooks/gerbang?shop=1&y=%20x`;
  const body = JSON.stringify({
    response_code: 'SP000',
    event: 'disbursement',
    data: { gross_amount: { value: '150000.00' }, name: 'é/“x”' },
  });
  const delivery = deliveryOf('01J00000000000000000000000', url, body, Date.now());
  return webhookRequest(delivery, { partnerId: 'pk_1', clientSecret }, Date.now());
}

async function post({ url, headers, body }: { url: string; headers: Record<string, string>; body: string }): Promise<number> {
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

/** Its standard output. */
async function run(program: string, args: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}): Promise<string> {
  return (await promisify(execFile)(program, args, { maxBuffer: OUTPUT_BYTES_MAX, ...options })).stdout;
}

function parse(text: string): Result[] {
  return resultsSchema.parse(JSON.parse(text));
}

function isThere(program: string, recent: readonly string[]): boolean {
  if (spawnSync(program, recent, { env: GO_ENV }).status === 0) return true;
  process.stderr.write(`${program} is not installed, or too old: its example in docs/webhooks is NOT tested here\n`);
  return false;
}

function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
