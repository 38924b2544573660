import { createInbox, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';

/** The longest wait for an acknowledgement. */
const WAIT_MS = 5_000;
const LOOK_EVERY_MS = 1_000;

/** What JetStream made of a publication; `refused` also where there is no stream that takes the subject. */
export type Outcome = 'stored' | 'refused' | 'unanswered';

/** Publications on a connection, with their acknowledgements. */
export type Publications = {
  publish(subject: string, payload: Uint8Array, headers: MsgHdrs): Promise<Outcome>;
  close(): void;
};

/**
 * All acknowledgements come over one subscription. The client's own publish is a request of its own each time, with a timer and
 * two errors whose stack traces are taken before it is known whether they are needed; that was a twentieth of money-out's time.
 */
export function openPublications(connection: NatsConnection, inboxPrefix: string): Publications {
  const inbox = createInbox(inboxPrefix);
  const waiting = new Map<string, { settle: (outcome: Outcome) => void; untilMs: number }>();
  let count = 0;
  const settle = (id: string, outcome: Outcome) => {
    waiting.get(id)?.settle(outcome);
    waiting.delete(id);
  };
  const subscription = connection.subscribe(`${inbox}.*`, {
    callback: (error, message) => {
      if (error === null) settle(message.subject.slice(inbox.length + 1), outcomeOf(message));
    },
  });
  const looking = setInterval(() => {
    const nowMs = performance.now();
    // In the order of publication, which is that of their times.
    for (const [id, { untilMs }] of waiting) {
      if (untilMs > nowMs) break;
      settle(id, 'unanswered');
    }
  }, LOOK_EVERY_MS);
  looking.unref();
  return {
    publish(subject, payload, headers) {
      const id = String(count++);
      const outcome = new Promise<Outcome>((resolve) =>
        waiting.set(id, { settle: resolve, untilMs: performance.now() + WAIT_MS }),
      );
      try {
        connection.publish(subject, payload, { reply: `${inbox}.${id}`, headers });
      } catch (error) {
        waiting.delete(id);
        throw error;
      }
      return outcome;
    },
    close() {
      clearInterval(looking);
      subscription.unsubscribe();
      for (const id of waiting.keys()) settle(id, 'unanswered');
    },
  };
}

/** An empty answer means that no stream takes the subject. */
function outcomeOf(message: Msg): Outcome {
  if (message.data.length === 0) return 'refused';
  try {
    const answer: unknown = message.json();
    return typeof Reflect.get(Object(answer), 'seq') === 'number' && Reflect.get(Object(answer), 'error') === undefined
      ? 'stored'
      : 'refused';
  } catch {
    return 'refused';
  }
}
