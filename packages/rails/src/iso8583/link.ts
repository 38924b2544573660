import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureVersion } from 'node:tls';
import type { Logger } from '@gerbang/runtime';
import { callWithin } from '../rail-call.ts';
import { createExchanges, isRequest, NotSentError } from './exchanges.ts';
import { FrameReader, toFrame } from './frames.ts';
import { type Fields, type Message, packMessage, UnreadableMessageError, unpackMessage } from './message.ts';
import { answerToHost, ECHO, networkMessage, SIGN_OFF, SIGN_ON } from './network.ts';
import { createStamp } from './stamp.ts';

/** Requests under way at once; an acquirer that doesn't answer must not fill the memory. */
const IN_FLIGHT_MAX = 500;
const CONNECT_MS = 5_000;
const NETWORK_ANSWER_MS = 5_000;
const RECONNECT_MS = [100, 200, 500, 1_000, 2_000, 5_000];
const APPROVED = '00';

/** `ca`: whose certificate the host has; absent: of a public authority. `cert` and `key`: what the host knows us by. */
export type LinkTls = { minVersion: SecureVersion; ca?: string; cert?: string; key?: string };

export type LinkOptions = {
  host: string;
  port: number;
  /** Undefined: plain TCP, for the sandbox. PEM texts. */
  tls: LinkTls | undefined;
  log: Logger;
  now: () => number;
  /** An idle connection is asked for an echo this often, ms. */
  echoMs?: number;
  /** An answer that no request waits for any more has come. It changes nothing. */
  onLateAnswer?: (type: string) => void;
};

/** A connection to an acquirer's host that signs on, keeps itself alive and comes back when it is lost. */
export type Link = {
  /**
   * Sends a message and waits for its answer until the signal; trace number and transmission time are set here and come back in
   * it. Throws NotSentError when it certainly has not left, UnansweredError when its outcome is unknown.
   */
  exchange(request: { type: string; fields: Fields }, options: { signal: AbortSignal }): Promise<Message>;
  isSignedOn(): boolean;
  /** Resolves when it is signed on, now or later. */
  signedOn(options: { signal: AbortSignal }): Promise<void>;
  /** Signs off and ends. What still waits is unanswered. */
  close(): Promise<void>;
};

/** Opens the link in the background; it reconnects until it is closed. */
export function openLink(options: LinkOptions): Link {
  const { log, now, echoMs = 60_000 } = options;
  const stamp = createStamp(now);
  const exchanges = createExchanges();
  const listeners = new Set<() => void>();
  let socket: Socket | undefined;
  let signedOn = false;
  let closed = false;
  let failures = 0;
  let retry: NodeJS.Timeout | undefined;
  let heardAt = 0;

  const ask = (to: Socket, request: Message, signal: AbortSignal): Promise<Message> => {
    const stamped = { type: request.type, fields: { ...request.fields, ...stamp() } };
    const frame = toFrame(packMessage(stamped));
    const answer = exchanges.expect(stamped, signal);
    to.write(frame);
    return answer;
  };
  const askNetwork = (to: Socket, code: string) =>
    callWithin(NETWORK_ANSWER_MS, (signal) => ask(to, networkMessage(code), signal));
  const isMine = (one: Socket) => socket === one && !closed;

  const lose = (from: Socket, reason: string): void => {
    if (socket !== from) return;
    socket = undefined;
    // An acquirer that stays away is logged once, not at every attempt.
    if (!closed && failures === 0) log.warn({ reason }, 'there is no link to the acquirer');
    signedOn = false;
    from.destroy();
    exchanges.failAll(reason);
    if (!closed) retry = setTimeout(open, RECONNECT_MS[Math.min(failures++, RECONNECT_MS.length - 1)]);
  };

  const receive = (from: Socket, message: Message): void => {
    heardAt = now();
    if (isRequest(message.type)) {
      const answer = answerToHost(message);
      // After the host's sign-off nothing more leaves over this connection; a new one signs on again.
      const signsOff = answer !== undefined && message.fields[70] === SIGN_OFF;
      if (signsOff) signedOn = false;
      if (answer !== undefined)
        from.write(toFrame(packMessage(answer)), () => {
          if (signsOff) lose(from, 'the acquirer has signed off');
        });
      else log.warn({ type: message.type }, 'the acquirer asks for something that this link does not do');
      return;
    }
    if (!exchanges.settle(message)) options.onLateAnswer?.(message.type);
  };

  /** The frames around a message that can't be read are whole, so the others on the connection are not given up for it. */
  const read = (from: Socket, bytes: Buffer): void => {
    try {
      receive(from, unpackMessage(bytes));
    } catch (error) {
      if (!(error instanceof UnreadableMessageError)) throw error;
      log.warn({ reason: error.message }, 'the acquirer has sent a message that can not be read');
    }
  };

  const signOn = async (to: Socket): Promise<void> => {
    const { fields } = await askNetwork(to, SIGN_ON);
    if (fields[39] !== APPROVED) throw new Error(`the acquirer refuses the sign-on with ${fields[39]}`);
    if (!isMine(to)) return;
    signedOn = true;
    failures = 0;
    log.info('signed on at the acquirer');
    for (const heard of [...listeners]) heard();
    keepAlive(to);
  };

  /** Asks for an echo when nothing was heard for a while; a silent host loses the connection. */
  const keepAlive = (to: Socket): void => {
    const timer = setInterval(() => {
      if (now() - heardAt < echoMs) return;
      askNetwork(to, ECHO).catch((error: Error) => lose(to, `no echo: ${error.message}`));
    }, echoMs / 2);
    to.once('close', () => clearInterval(timer));
  };

  function open(): void {
    const opened = connect(options);
    socket = opened;
    const frames = new FrameReader();
    opened.setNoDelay(true);
    opened.setTimeout(CONNECT_MS, () => lose(opened, 'no connection in time'));
    opened.once(options.tls === undefined ? 'connect' : 'secureConnect', () => {
      opened.setTimeout(0);
      signOn(opened).catch((error: Error) => lose(opened, error.message));
    });
    opened.on('data', (chunk: Buffer) => {
      try {
        for (const bytes of frames.read(chunk)) read(opened, bytes);
      } catch (error) {
        lose(opened, error instanceof Error ? error.message : String(error));
      }
    });
    opened.on('error', (error) => lose(opened, error.message));
    opened.on('close', () => lose(opened, 'the acquirer has closed the connection'));
  }

  open();
  return {
    isSignedOn: () => signedOn,
    async exchange(request, { signal }) {
      if (signal.aborted) throw new NotSentError('its time was over before it was sent');
      if (socket === undefined || !signedOn) throw new NotSentError('not signed on at the acquirer');
      if (exchanges.waiting >= IN_FLIGHT_MAX) throw new NotSentError(`${IN_FLIGHT_MAX} requests wait for the acquirer already`);
      return ask(socket, request, signal);
    },
    signedOn({ signal }) {
      if (signedOn) return Promise.resolve();
      if (signal.aborted) return Promise.reject(signal.reason);
      return new Promise((resolve, reject) => {
        const heard = () => {
          stop();
          resolve();
        };
        const givenUp = () => {
          stop();
          reject(signal.reason);
        };
        const stop = () => {
          listeners.delete(heard);
          signal.removeEventListener('abort', givenUp);
        };
        listeners.add(heard);
        signal.addEventListener('abort', givenUp);
      });
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      const last = socket;
      if (last === undefined) return;
      const wasSignedOn = signedOn;
      signedOn = false;
      if (wasSignedOn) await askNetwork(last, SIGN_OFF).catch(ignoreSilence);
      lose(last, 'this side has closed the link');
    },
  };
}

/** A host that doesn't answer the sign-off is left all the same. */
function ignoreSilence(): void {}

function connect({ host, port, tls }: LinkOptions): Socket {
  if (tls === undefined) return connectTcp({ host, port });
  // An address has no name to be sent; its certificate is checked against the address all the same.
  return connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }), ...tls });
}
