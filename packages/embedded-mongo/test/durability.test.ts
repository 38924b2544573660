import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { deserialize, Long, serialize, UUID } from 'bson';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EmbeddedMongo } from '../src/index.ts';
import { startProcess } from './writers.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'embedded-mongo-test-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const main = join(import.meta.dirname, '../src/main.ts');

const ended = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));

/** Sends one command past the driver, which would put its own session into it. */
async function rawCommand(port: number, command: object): Promise<Record<string, unknown>> {
  const body = serialize(command);
  const frame = Buffer.alloc(21 + body.length);
  frame.writeInt32LE(frame.length, 0);
  frame.writeInt32LE(2013, 12);
  frame.set(body, 21);
  const socket = connectTcp(port, '127.0.0.1');
  socket.write(frame);
  const reply = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
  socket.destroy();
  return deserialize(reply.subarray(21));
}

test('a retried write answers its first result, also after a restart', async () => {
  const session = (txn: number) => ({ lsid: { id: new UUID() }, txnNumber: Long.fromNumber(txn), $db: 't' });
  const update = { $inc: { n: Long.fromNumber(1) } };
  const command = { findAndModify: 'c', query: { _id: 'a' }, update, upsert: true, new: true, ...session(1) };
  const insert = { insert: 'c', documents: [{ _id: 1 }, { _id: 2 }], ...session(7) };
  const answers: unknown[] = [];
  for (let round = 0; round < 2; round++) {
    const server = await EmbeddedMongo.start({ dataDir });
    for (let repeat = 0; repeat < 2; repeat++) {
      answers.push((await rawCommand(server.port, command)).value);
      expect(await rawCommand(server.port, insert)).toEqual({ n: 2, ok: 1 });
    }
    expect(await rawCommand(server.port, { ...insert, txnNumber: Long.fromNumber(6) })).toMatchObject({
      ok: 0,
      code: 225,
      codeName: 'TransactionTooOld',
    });
    await server.stop();
  }
  expect(answers).toEqual(Array.from({ length: 4 }, () => ({ _id: 'a', n: 1 })));
});

describe('a data file that can not be used', () => {
  const path = () => join(dataDir, 'embedded-mongo.db');
  const startFails = async () => {
    const child = spawn(process.execPath, [main, '--data', dataDir, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    expect(await ended(child)).toBe(1);
    expect(output.trim().split('\n')).toHaveLength(1);
    return output;
  };

  test('because it is corrupt, is refused and left untouched', async () => {
    writeFileSync(path(), Buffer.alloc(8192, 7));
    expect(await startFails()).toContain('corrupt');
    expect(readFileSync(path()).equals(Buffer.alloc(8192, 7))).toBe(true);
  });

  test('because it is newer, is refused and left untouched', async () => {
    await (await EmbeddedMongo.start({ dataDir })).stop();
    const file = new DatabaseSync(path());
    file.exec('PRAGMA user_version = 99');
    file.close();
    const before = readFileSync(path());
    expect(await startFails()).toContain('newer');
    expect(readFileSync(path()).equals(before)).toBe(true);
  });

  test('because another process has it, is refused', async () => {
    const server = await EmbeddedMongo.start({ dataDir });
    expect(await startFails()).toContain('locked');
    await server.stop();
  });
});

test('stops cleanly on SIGTERM', async (own) => {
  const { child, exited } = await startProcess(own, [main, '--data', dataDir, '--port', '0']);
  child.kill('SIGTERM');
  expect(await exited).toBe(0);
});
