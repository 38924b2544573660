import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createSender } from './sender.ts';
import { isPublicAddress, parseTarget, TargetRefused } from './target.ts';

test.each([
  '127.0.0.1',
  '127.9.9.9',
  '10.0.0.1',
  '172.16.5.5',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '100.100.100.200',
  '198.18.0.1',
  '192.0.2.1',
  '240.0.0.1',
  '192.0.0.192',
  '168.63.129.16',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:a9fe:a9fe',
  '::ffff:0:7f00:1',
  '::10.0.0.1',
  '::a00:1',
  '64:ff9b::a00:1',
  '64:ff9b::808:808',
  '64:ff9b:1::a00:1',
  '2002:a00:1::',
  '2001:0:4136:e378::',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'fd00:ec2::254',
  'fec0::1',
  'ff02::1',
  '2001:db8::1',
  'not an address',
  '',
])('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(['8.8.8.8', '103.10.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  ['ftp://example.com/', 'scheme'],
  ['http://example.com/', 'scheme'],
  ['javascript:alert(1)', 'scheme'],
  ['https://user:pass@example.com/', 'credentials'],
  ['https://user@example.com/', 'credentials'],
  ['example.com', 'not a URL'],
])('%s is refused: %s', (url, reason) => {
  const parse = () => parseTarget(url, { allowPrivate: false, allowHttp: false });
  expect(parse).toThrow(TargetRefused);
  expect(parse).toThrow(reason);
});

test('a name that resolves to a private address is not dialled, nor one with a private address among others', async () => {
  let hits = 0;
  const server = createServer((_, response) => {
    hits++;
    response.end('inside');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const answers: Record<string, string[]> = {
    'inside.test': ['127.0.0.1'],
    'mixed.test': ['8.8.8.8', '127.0.0.1'],
    'none.test': [],
  };
  const sender = createSender(
    { allowPrivate: false, allowHttp: true },
    { socketsPerEndpoint: 2, resolve: async (host) => answers[host] ?? [] },
  );
  const send = (host: string) => sender.send({ merchantId: 'm', url: `http://${host}:${port}/hook`, headers: {}, body: '{}' });
  for (const host of ['inside.test', 'mixed.test', '127.0.0.1', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433', '[::1]']) {
    expect(await send(host)).toEqual({
      httpStatus: undefined,
      answer: '',
      error: 'target refused: the address is not a public one',
    });
  }
  expect((await send('none.test')).error).toBe('target refused: the host has no address');
  expect(hits).toBe(0);
  await sender.close();
  server.close();
});
