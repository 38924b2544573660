import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { CardData, openIso8583CardRail } from '@gerbang/rails/card';
import { packMessage, unpackMessage } from '@gerbang/rails/iso8583';
import { freePort, testLog } from '@gerbang/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

/**
 * Our ISO 8583 and that of others: pyiso8583 packs and unpacks the recorded messages, and the adapter of cards works with a host by
 * jPOS. Versions are pinned in iso8583/requirements.txt and iso8583/jpos/pom.xml; the first run downloads them.
 */

const ROOT = path.resolve(import.meta.dirname, '../..');
const FOLDER = path.join(import.meta.dirname, 'iso8583');
const CACHE = path.resolve(ROOT, process.env.GERBANG_DATA || '.gerbang', 'tools/clients');

const hasPython = succeeds('python3', ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))']);
const hasJava = succeeds('mvn', ['-v']) && succeeds('java', ['--source', '11', '--version']);
if (!hasPython) process.stderr.write('check:clients: SKIPPED pyiso8583: there is no python3 of 3.10 or newer with venv\n');
if (!hasJava) process.stderr.write('check:clients: SKIPPED jPOS: there is no Java of 11 or newer with Maven\n');

let jpos: ChildProcess | undefined;
afterAll(async () => {
  if (jpos === undefined || jpos.exitCode !== null) return;
  jpos.kill('SIGKILL');
  await once(jpos, 'exit');
});

const fields = z.record(z.string(), z.string());
const recordedSchema = z.array(z.object({ name: z.string(), type: z.string(), fields, hex: z.string() }));
const convertedSchema = z.array(z.object({ type: z.string(), fields, hex: z.string() }));

describe('pyiso8583', () => {
  test.skipIf(!hasPython)('makes the same bytes of every message, and reads ours as we do', () => {
    const file = path.join(ROOT, 'packages/rails/test/iso8583/recorded.json');
    const recorded = recordedSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    const ours = recorded.map((message) => ({ ...message, hex: packMessage(message).toString('hex') }));
    const python = path.join(ensureVenv(), 'bin/python');
    const printed = execFileSync(python, [path.join(FOLDER, 'convert.py')], { input: JSON.stringify(ours), encoding: 'utf8' });
    const theirs = convertedSchema.parse(JSON.parse(printed));
    expect(theirs.length).toBeGreaterThan(15);
    for (const [i, { name, type, hex, fields: sent }] of ours.entries()) {
      expect(theirs[i], name).toEqual({ type, fields: sent, hex });
      expect(unpackMessage(Buffer.from(theirs[i]?.hex ?? '', 'hex')), name).toEqual({ type, fields: sent });
    }
  });
});

describe('jPOS', () => {
  test.skipIf(!hasJava)('is a host that the adapter authorises, captures, reverses and refunds at', async () => {
    const port = await freePort();
    const heard = await startJpos(ensureJars(), port);
    const acceptor = { terminalId: 'GERBANG1', merchantId: 'GERBANG00000001', acquirerId: '00000360001', city: 'JAKARTA' };
    const rail = openIso8583CardRail({ host: '127.0.0.1', port, tls: undefined, log: testLog(), ...acceptor });
    const payment = { reference: '9901JD9Z5V5Y8QW1R2T3Y4V5X6P7', amountSen: '25000000' };
    const order = {
      ...payment,
      installmentMonths: 3,
      merchantReference: '',
      merchantName: 'Toko',
      returnUrl: 'https://pay.example/',
    };
    const card = () => new CardData({ number: '4411111111111118', expiry: '12/39', cvv: '123', holderName: 'BUDI' });
    try {
      const said = await rail.authorise(order, card(), within(10_000));
      expect(said).toMatchObject({ outcome: 'authorised', approvalCode: '654321', networkTransactionId: '000123456789012' });
      const declined = await rail.authorise({ ...order, amountSen: '25000051' }, card(), within(10_000));
      expect(declined).toEqual({ outcome: 'failed', code: '51', reason: 'Insufficient funds' });
      const lost = { ...order, amountSen: '25000068' };
      expect(await rail.authorise(lost, card(), within(500))).toMatchObject({ outcome: 'unknown' });
      expect(await rail.resolve({ ...lost, tries: 1 }, within(10_000))).toEqual({ outcome: 'voided' });
      expect(await rail.capture({ ...payment, approvalCode: '654321' }, within(10_000))).toEqual({ outcome: 'done' });
      expect(await rail.void({ ...payment, approvalCode: '654321' }, within(10_000))).toEqual({ outcome: 'done' });
      expect(await rail.refund({ ...payment, refundReference: 'r-1' }, within(10_000))).toEqual({ outcome: 'done' });
    } finally {
      await rail.close();
    }
    const types = ['0800', '0100', '0100', '0100', '0420', '0220', '0400', '0200', '0800'];
    await expect.poll(() => heard.map(([type]) => type), { timeout: 10_000 }).toEqual(types);
    expect(heard[1]).toEqual(expect.arrayContaining(['2=4411111111111118', '4=000025000000', '14=3912', '49=360']));
    expect(heard[1]).toContain('48=01289901JD9Z5V5Y8QW1R2T3Y4V5X6P7030203060207' + '9203123');
    expect(heard[4]).toContain(`90=0100${'0'.repeat(16)}00000360001${'0'.repeat(11)}`);
    expect(heard[5]).toContain('38=654321');
  });
});

/** The fields of each message that the host reads: its type, then number=value. */
async function startJpos(jars: string, port: number): Promise<string[][]> {
  const child = spawn('java', ['-cp', path.join(jars, '*'), path.join(FOLDER, 'jpos/Host.java'), String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  jpos = child;
  const heard: string[][] = [];
  const listening = Promise.withResolvers<void>();
  child.once('exit', (code) => listening.reject(new Error(`jPOS has ended with ${code}`)));
  createInterface(child.stdout).on('line', (line) => {
    if (line === 'listening') listening.resolve();
    else heard.push(line.split('\t'));
  });
  await listening.promise;
  return heard;
}

/** A folder of the cache for what a file pins; `make` fills it where the file has changed. */
function ensure(name: string, pins: string, make: (folder: string) => void): string {
  const hash = createHash('sha256').update(readFileSync(pins)).digest('hex').slice(0, 16);
  const folder = path.join(CACHE, `${name}-${hash}`);
  const done = path.join(folder, 'done');
  if (existsSync(done)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  make(folder);
  writeFileSync(done, '');
  return folder;
}

function ensureVenv(): string {
  const requirements = path.join(FOLDER, 'requirements.txt');
  return ensure('iso8583-python', requirements, (venv) => {
    execFileSync('python3', ['-m', 'venv', venv]);
    const options = ['--quiet', '--disable-pip-version-check', '--requirement', requirements];
    execFileSync(path.join(venv, 'bin/python'), ['-m', 'pip', 'install', ...options]);
  });
}

function ensureJars(): string {
  const pom = path.join(FOLDER, 'jpos/pom.xml');
  return ensure('iso8583-jpos', pom, (folder) => {
    execFileSync('mvn', ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${folder}`]);
  });
}

function within(ms: number) {
  return { signal: AbortSignal.timeout(ms) };
}

function succeeds(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}
