import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { signRequest } from '@gerbang/core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parseHttpMessage } from './http-message.ts';

const CLI = path.join(import.meta.dirname, 'main.ts');
const SECRET = 'client-secret-nobody-else-has';
const BODY = '{"b":"é","a":1.0}';

/** Several processes one after the other, on a machine that does other things too. */
vi.setConfig({ testTimeout: 60_000 });

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gerbang-signature-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command; in every answer the secret must not be. */
function explain(args: string[], options: { input?: string | Buffer; env?: Record<string, string> } = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, 'signature', 'explain', ...args], {
    encoding: 'utf8',
    env: { ...process.env, GERBANG_CLIENT_SECRET: SECRET, ...options.env },
    input: options.input ?? '',
  });
  expect(stdout + stderr).not.toContain(SECRET);
  return { status, stdout, stderr };
}

function file(name: string, content: string | Buffer): string {
  const where = path.join(folder, name);
  writeFileSync(where, content);
  return where;
}

/** A message as it was received, now; `signedPath` is what was signed. */
function message(signedPath = '/hook?x=1', newline = '\r\n') {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const request = { method: 'POST', path: signedPath, accessToken: 'a.b.c', body: JSON.parse(BODY), timestamp };
  const lines = [
    'POST /hook?x=1 HTTP/1.1',
    'Host: shop.example',
    'Authorization: Bearer a.b.c',
    `X-Timestamp: ${timestamp}`,
    `x-signature:${signRequest(request, SECRET)}`,
    `content-length: ${Buffer.byteLength(BODY)}`,
  ];
  return [...lines, '', BODY].join(newline);
}

test('a good signature: everything it is made of, and exit code 0', () => {
  const { status, stdout, stderr } = explain([file('good.http', message())]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(
    /^request or webhook: the signature is good\nnormalized JSON {2}\{"a":1,"b":"é"\}\nits SHA-256 {6}[0-9a-f]{64}\nstring to sign {3}POST:\/hook\?x=1:a\.b\.c:[0-9a-f]{64}:\d{10}\nexpected {9}([0-9a-f]{128})\nreceived {9}\1\n$/,
  );
});

test('a wrong one: the component that differs, and exit code 1', () => {
  const { status, stdout, stderr } = explain(['-'], { input: message('/hook') });
  expect({ status, stderr }).toEqual({ status: 1, stderr: 'gerbang: the signature is not good: path\n' });
  expect(stdout).toContain('differs: path (path_without_query): the path was signed without its query');
  const { stdout: json } = explain(['-', '--json'], { input: message('/hook') });
  expect(JSON.parse(json)).toMatchObject({ valid: false, differences: [{ component: 'path', cause: 'path_without_query' }] });
});

test('the secret comes from a file or from standard input as well', () => {
  const none = { GERBANG_CLIENT_SECRET: '' };
  const where = file('good2.http', message('/hook?x=1', '\n'));
  expect(explain([where, '--secret-file', file('secret', `${SECRET}\n`)], { env: none }).status).toBe(0);
  expect(explain([where, '--secret-file', '-'], { env: none, input: SECRET }).status).toBe(0);
  expect(explain([where, '--secret-file', file('other', 'x')]).stdout).toContain('differs: undetermined');
});

test('a line feed that an editor has added is none of the body', () => {
  const { status, stdout } = explain(['-'], { input: `${message()}\n` });
  expect(status).toBe(0);
  expect(stdout).not.toContain('note:');
});

test('the string that was signed tells more', () => {
  const own = file('own', 'POST:/quite/other:a.b.c:x:1\n');
  const { stdout } = explain(['-', '--string-to-sign', own], { input: message('/quite/other') });
  expect(stdout).toContain('differs: path (path_differs)');
  expect(stdout).toContain('differs: secret (secret_other)');
});

test('what comes from outside writes nothing of its own to the terminal', () => {
  const { stdout } = explain(['-'], { input: 'POST /\u001b[2J HTTP/1.1\nX-Signature: \u001b[31mred\n\n{"a":"\u009b"}' });
  expect(stdout).toContain('POST:/\\x1b[2J:');
  expect(stdout).toContain('\\x1b[31mred');
  const { stdout: broken } = explain(['-'], { input: 'POST / HTTP/1.1\n\n\u001b[2J' });
  expect(broken).toContain('differs: body (body_not_json)');
  expect((stdout + broken).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});

describe('a message that is none names its line', () => {
  const head = 'POST / HTTP/1.1\n';
  test.each<[line: string, message: string]>([
    ['message: line 1 is no request line', ''],
    ['message: line 1 is no request line', '{"a":1}'],
    ['message: line 3 is no header', `${head}A: b\nno header\n\n{}`],
    ['message: has more than 100 headers', `${head}${'A: b\n'.repeat(101)}\n{}`],
  ])('%s', (line, message) => expect(() => parseHttpMessage(message)).toThrow(line));

  test('line ends of both kinds, no HTTP version, no headers, no body', () => {
    const expected = { method: 'POST', url: '/a?b', headers: { 'x-a': 'b: c' }, body: '{}\n' };
    expect(parseHttpMessage('POST /a?b HTTP/1.1\r\nX-A:  b: c \r\n\r\n{}\n')).toEqual(expected);
    expect(parseHttpMessage('POST /a?b\nX-A: b: c\n\n{}\n')).toEqual(expected);
    expect(parseHttpMessage('POST / HTTP/1.1\n')).toEqual({ method: 'POST', url: '/', headers: {}, body: '' });
  });
});

describe('bad input is one line that names it', () => {
  const head = 'POST / HTTP/1.1\n';
  test.each<[line: string, args: string[], input: string | Buffer]>([
    ['message: line 1 is no request line', ['-'], ''],
    ['message: is not UTF-8', ['-'], Buffer.concat([Buffer.from(`${head}A: b\n\n`), Buffer.from([0xff])])],
    ['message: is larger than 524288 bytes', ['-'], 'x'.repeat(512 * 1024 + 1)],
    ['message: ENOENT', ['/nowhere/at/all'], ''],
    ['secret: is empty', ['-', '--secret-file', '/dev/null'], head],
    ['string to sign: ENOENT', ['-', '--string-to-sign', '/nowhere/at/all'], head],
    ['standard input (-) can be only one of', ['-', '--secret-file', '-'], head],
  ])('%s', (line, args, input) => {
    const { status, stdout, stderr } = explain(args, { input });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr.split('\n')).toEqual([expect.stringContaining(`gerbang: ${line}`), '']);
  });

  test('no secret at all', () => {
    const { stderr } = explain(['-'], { input: head, env: { GERBANG_CLIENT_SECRET: '' } });
    expect(stderr).toContain('gerbang: secret: set GERBANG_CLIENT_SECRET, or name a file with --secret-file');
  });
});
