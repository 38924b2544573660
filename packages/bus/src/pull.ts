import { createInbox, type Msg, type NatsConnection, nanos } from '@nats-io/transport-node';

/**
 * A request for messages is over after this by itself. Nothing takes it back before without losing what is on its way, so this is
 * what `end` waits.
 */
const REQUEST_MS = 500;
/** A request of which nothing was heard for so long is lost, with the server that held it. */
const SILENCE_MS = 5_000;
/** The status that a request ends with after its time. */
const TIME_IS_OVER = 408;

const ACK = new TextEncoder().encode('+ACK');
const NAK = '-NAK';

/** Messages of a durable consumer, as they come. */
export type Pull = {
  /** Resolves once nothing is asked for any more; rejects when JetStream refuses a request. */
  over: Promise<void>;
  /** Asks for no more. What the server has sent by then still comes before it is over. */
  end(): void;
  /** Is over at once; what is on its way comes again to somebody after the ack wait. */
  cut(): void;
};

/**
 * Asks for messages, `batch` at a time and one request after the other. The client's own consumer can't be ended without losing
 * what it has asked for: it drops what comes after that, and such a message would wait for the ack wait. `silenceMs` replaces the
 * 5 s in tests.
 */
export function pull(
  connection: NatsConnection,
  options: {
    stream: string;
    durable: string;
    batch: number;
    inboxPrefix: string;
    accept: (message: Msg) => void;
    silenceMs?: number;
  },
): Pull {
  const { stream, durable, batch, accept, silenceMs = SILENCE_MS } = options;
  const subject = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`;
  const request = JSON.stringify({ batch, expires: nanos(REQUEST_MS) });
  const inbox = createInbox(options.inboxPrefix);
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  let ending = false;
  let asked = 0;
  /** What may still come of the last request. */
  let left = 0;
  let silence: NodeJS.Timeout | undefined;

  const finish = () => {
    clearTimeout(silence);
    subscription.unsubscribe();
    resolve();
  };
  const fail = (error: Error) => {
    reject(error);
    finish();
  };
  const ask = () => {
    clearTimeout(silence);
    if (ending) return finish();
    left = batch;
    asked++;
    connection.publish(subject, request, { reply: `${inbox}.${asked}` });
    silence = setTimeout(ask, silenceMs);
  };
  const receive = (error: Error | null, message: Msg) => {
    if (error !== null) return fail(error);
    if (!message.subject.startsWith(inbox)) {
      left--;
      accept(message);
      if (left === 0) ask();
      return;
    }
    // How an earlier request has ended, one that was taken for lost, is of no interest.
    if (message.subject !== `${inbox}.${asked}`) return;
    const { code, description } = message.headers ?? {};
    if (code === TIME_IS_OVER) ask();
    else fail(new Error(`JetStream has ended a request: ${code} ${description}`));
  };
  const subscription = connection.subscribe(`${inbox}.*`, { callback: receive });
  // It is closed with its connection too.
  void subscription.closed.then(finish);
  ask();
  return {
    over,
    end() {
      ending = true;
    },
    cut: finish,
  };
}

/** The consumer is done with the message. */
export function ack(message: Msg): void {
  message.respond(ACK);
}

/** The message is for somebody else, or for a later time. */
export function nak(message: Msg, afterMs = 0): void {
  message.respond(afterMs === 0 ? NAK : `${NAK} ${JSON.stringify({ delay: nanos(afterMs) })}`);
}

/**
 * How often the message was handed out, to whomever; its reply subject tells, which has two more names in it from NATS 2.10 on
 * where there are domains.
 */
export function deliveryCountOf({ reply = '' }: Pick<Msg, 'reply'>): number {
  const names = reply.split('.');
  return Number(names[names.length > 9 ? 6 : 4]);
}
