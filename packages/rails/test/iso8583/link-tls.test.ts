import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServer, type Server } from 'node:tls';
import { createLogger } from '@gerbang/runtime';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { FrameReader, openLink, packMessage, toFrame, unpackMessage } from '../../src/iso8583/index.ts';
import { reply } from './host.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-iso8583-tls-'));
let server: Server;
let port: number;
let own: { key: string; cert: string };
const heard: string[] = [];

beforeAll(async () => {
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=acquirer', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '1'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject], {
    stdio: 'pipe',
  });
  own = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  server = createServer({ ...own, ca: own.cert, requestCert: true, rejectUnauthorized: true }, (socket) => {
    const frames = new FrameReader();
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      for (const message of frames.read(chunk).map(unpackMessage)) {
        heard.push(message.type);
        socket.write(toFrame(packMessage(reply(message, '00'))));
      }
    });
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});

afterAll(() => {
  server?.close();
  rmSync(folder, { recursive: true });
});

const open = (tls: Omit<NonNullable<Parameters<typeof openLink>[0]['tls']>, 'minVersion'>) =>
  openLink({ host: '127.0.0.1', port, tls: { minVersion: 'TLSv1.3', ...tls }, log, now: Date.now });

test('signs on by TLS, with a certificate of its own', async () => {
  const link = open({ ca: own.cert, ...own });
  await link.signedOn({ signal: AbortSignal.timeout(5_000) });
  await link.close();
  expect(heard).toEqual(['0800', '0800']);
});

test.each([
  ['a host that it can not verify', () => own],
  ['a host that does not know it', () => ({ ca: own.cert })],
])('sends nothing to %s', async (_what, tls) => {
  heard.length = 0;
  const warned = vi.spyOn(log, 'warn');
  const link = open(tls());
  await vi.waitFor(() => expect(warned).toHaveBeenCalled(), { timeout: 5_000 });
  expect(link.isSignedOn()).toBe(false);
  await link.close();
  expect(heard).toEqual([]);
  warned.mockRestore();
});
