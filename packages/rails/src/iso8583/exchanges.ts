import type { Message } from './message.ts';

/** It never left: the other side can't have acted on it. */
export class NotSentError extends Error {
  override name = 'NotSentError';
}

/** It left, and no answer came: the other side may have acted on it. */
export class UnansweredError extends Error {
  override name = 'UnansweredError';
}

type Waiting = { answered: (message: Message) => void; failed: (error: Error) => void; stop: () => void };

/** Requests that wait for their answers, found again by type, trace number and transmission time, which an answer repeats. */
export type Exchanges = {
  readonly waiting: number;
  /** Waits for the answer to a request that is about to leave, until the signal. Rejects with UnansweredError. */
  expect(request: Message, signal: AbortSignal): Promise<Message>;
  /** False for an answer that no request waits for: it is late, or repeated. */
  settle(answer: Message): boolean;
  /** The connection is gone: nothing that waits will be answered. */
  failAll(reason: string): void;
};

export function createExchanges(): Exchanges {
  const all = new Map<string, Waiting>();
  const take = (key: string): Waiting | undefined => {
    const found = all.get(key);
    if (found === undefined) return undefined;
    all.delete(key);
    found.stop();
    return found;
  };
  return {
    get waiting() {
      return all.size;
    },
    expect(request, signal) {
      const key = keyOf(answerTypeOf(request.type), request);
      if (all.has(key)) throw new Error('two requests under one trace number at a time');
      return new Promise((answered, failed) => {
        const give = () => take(key)?.failed(new UnansweredError('no answer in time'));
        signal.addEventListener('abort', give, { once: true });
        all.set(key, { answered, failed, stop: () => signal.removeEventListener('abort', give) });
      });
    },
    settle(answer) {
      const found = take(keyOf(answer.type, answer));
      found?.answered(answer);
      return found !== undefined;
    },
    failAll(reason) {
      for (const key of [...all.keys()]) take(key)?.failed(new UnansweredError(reason));
    },
  };
}

/** The type that answers a request or an advice: 0100 → 0110, 0421 (a repeat) → 0430. */
export function answerTypeOf(type: string): string {
  const [version, messageClass, functionDigit] = type;
  return `${version}${messageClass}${Number(functionDigit) + 1}0`;
}

/** Whether it asks for something, rather than answering. */
export function isRequest(type: string): boolean {
  return Number(type[2]) % 2 === 0;
}

function keyOf(type: string, { fields }: Message): string {
  return `${type} ${fields[11]} ${fields[7]}`;
}
