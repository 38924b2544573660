import { once } from 'node:events';
import { createLogger } from '@gerbang/runtime';
import { expect, it, vi } from 'vitest';
import {
  type Link,
  type LinkOptions,
  NotSentError,
  openLink,
  packMessage,
  toFrame,
  UnansweredError,
} from '../../src/iso8583/index.ts';
import { type Host, reply, startHost } from './host.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const within = (ms: number) => ({ signal: AbortSignal.timeout(ms) });
const AUTHORISE = { type: '0100', fields: { 3: '000000', 4: '000025000000', 49: '360' } } as const;

async function signedOn(host: Host, more: Partial<LinkOptions> = {}): Promise<Link & AsyncDisposable> {
  const link = openLink({ host: '127.0.0.1', port: host.port, tls: undefined, log, now: Date.now, ...more });
  await link.signedOn({ signal: AbortSignal.timeout(5_000) });
  return { ...link, [Symbol.asyncDispose]: () => link.close() };
}

it('signs on first, and gives each request its own answer, in any order in which they come', async () => {
  await using host = await startHost();
  await using link = await signedOn(host);
  const held: Buffer[] = [];
  host.answer = (message) => {
    held.unshift(toFrame(packMessage(reply(message, '00', { 38: message.fields[11] ?? '' }))));
    if (held.length === 3) host.send(Buffer.concat(held));
    return undefined;
  };
  const answers = await Promise.all([1, 2, 3].map(() => link.exchange(AUTHORISE, within(2_000))));
  host.answer = (message) => reply(message, '00');
  expect(host.heard[0]).toMatchObject({ type: '0800', fields: { 70: '001' } });
  expect(answers.map(({ type, fields }) => [type, fields[39], fields[38]])).toEqual(
    host.heard.slice(1).map(({ fields }) => ['0110', '00', fields[11]]),
  );
});

it('has not sent what is given to it before it is signed on, nor what it can not pack', async () => {
  await using host = await startHost(() => undefined);
  const link = openLink({ host: '127.0.0.1', port: host.port, tls: undefined, log, now: Date.now });
  await expect(link.exchange(AUTHORISE, within(100))).rejects.toBeInstanceOf(NotSentError);
  host.answer = (message) => reply(message, '00');
  await link.close();

  await using other = await signedOn(host);
  const before = host.heard.length;
  await expect(other.exchange({ type: '0100', fields: { 4: '1' } }, within(100))).rejects.toThrow('can not be packed');
  expect(host.heard.length).toBe(before);
});

it('says that a request is unanswered when its time is over, and counts the answer that comes late', async () => {
  await using host = await startHost();
  const late = Promise.withResolvers<void>();
  await using link = await signedOn(host, { onLateAnswer: () => late.resolve() });
  host.answer = () => undefined;
  await expect(link.exchange(AUTHORISE, within(50))).rejects.toBeInstanceOf(UnansweredError);
  const request = host.heard.at(-1);
  if (request === undefined) throw new Error('nothing was heard');
  host.send(toFrame(packMessage(reply(request, '00'))));
  await late.promise;
  expect(link.isSignedOn()).toBe(true);
  host.answer = (message) => reply(message, '00');
});

it('says that a request is unanswered when the connection is lost, and comes back', async () => {
  await using host = await startHost();
  await using link = await signedOn(host);
  host.answer = (message) => {
    if (message.type === '0800') return reply(message, '00');
    for (const socket of host.sockets) socket.destroy();
    return undefined;
  };
  await expect(link.exchange(AUTHORISE, within(5_000))).rejects.toBeInstanceOf(UnansweredError);
  host.answer = (message) => reply(message, '00');
  await link.signedOn({ signal: AbortSignal.timeout(5_000) });
  await expect(link.exchange(AUTHORISE, within(5_000))).resolves.toMatchObject({ type: '0110' });
});

it('asks an idle host for an echo, and leaves one that does not answer', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout', 'Date'] });
  try {
    await using host = await startHost();
    await using link = await signedOn(host);
    await vi.advanceTimersByTimeAsync(60_000);
    await vi.waitFor(() => expect(host.heard.at(-1)).toMatchObject({ type: '0800', fields: { 70: '301' } }));
    expect(link.isSignedOn()).toBe(true);
    host.answer = () => undefined;
    await vi.advanceTimersByTimeAsync(120_000);
    await vi.waitFor(() => expect(link.isSignedOn()).toBe(false));
    host.answer = (message) => reply(message, '00');
  } finally {
    vi.useRealTimers();
  }
});

it('answers the echo of the host', async () => {
  await using host = await startHost();
  await using _link = await signedOn(host);
  host.send(toFrame(packMessage({ type: '0800', fields: { 7: '1122100000', 11: '000777', 70: '301' } })));
  await vi.waitFor(() =>
    expect(host.heard.at(-1)).toEqual({ type: '0810', fields: { 7: '1122100000', 11: '000777', 39: '00', 70: '301' } }),
  );
});

it('is not signed on where the host refuses, and tries again', async () => {
  let refusals = 0;
  await using host = await startHost((message) => reply(message, refusals++ < 2 ? '91' : '00'));
  await using link = await signedOn(host);
  expect(refusals).toBe(3);
  expect(link.isSignedOn()).toBe(true);
});

it('goes on after a message that it can not read', async () => {
  await using host = await startHost();
  await using link = await signedOn(host);
  host.answer = (message) => {
    host.send(Buffer.from('0004aaaaaaaa', 'hex'));
    return reply(message, '00');
  };
  await expect(link.exchange(AUTHORISE, within(2_000))).resolves.toMatchObject({ type: '0110' });
  expect(host.heard.filter(({ type }) => type === '0800').length).toBe(1);
});

it('leaves a host whose stream is not made of messages', async () => {
  await using host = await startHost();
  await using link = await signedOn(host);
  const [socket] = host.sockets;
  if (socket === undefined) throw new Error('no connection');
  const closed = once(socket, 'close');
  host.send(Buffer.from('ffffaaaaaaaa', 'hex'));
  await closed;
  await vi.waitFor(() => expect(host.sockets.size).toBe(1));
  await link.signedOn({ signal: AbortSignal.timeout(5_000) });
});

it('signs off when it is closed', async () => {
  await using host = await startHost();
  const link = await signedOn(host);
  await link.close();
  expect(host.heard.at(-1)).toMatchObject({ type: '0800', fields: { 70: '002' } });
  await vi.waitFor(() => expect(host.sockets.size).toBe(0));
});

const isResponse = ({ type }: { type: string }) => type.endsWith('10');

it('sends nothing more after the host has signed off, and signs on over a new connection', async () => {
  await using host = await startHost();
  await using link = await signedOn(host);
  host.answer = (message) => (isResponse(message) ? undefined : reply(message, '00'));
  host.send(toFrame(packMessage({ type: '0800', fields: { 7: '1122100000', 11: '000001', 70: '002' } })));
  await vi.waitFor(() => expect(host.heard.some(({ type, fields }) => type === '0810' && fields[70] === '002')).toBe(true));
  await expect(link.exchange(AUTHORISE, within(200))).rejects.toBeInstanceOf(NotSentError);
  expect(host.heard.filter(({ type }) => type === '0100')).toEqual([]);
  await vi.waitFor(() => expect(host.heard.filter(({ fields }) => fields[70] === '001')).toHaveLength(2), { timeout: 10_000 });
});
