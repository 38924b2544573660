import type { Storable } from '@gerbang/core';
import { type ConditionalUpsert, combine, type Store, traced, upsertEach } from '@gerbang/store';

export const VELOCITY = 'card_velocity';

/** A counter's window, a document of its own. `leftMs`: until it is over, and the database removes it. */
export type Window = { id: string; attemptsMax: number | undefined; leftMs: number };
export type Seen = { attempts: number; declines: number };

/** `declineKeys`: what a decline is counted by later on. `atMs`: business time, which tells the windows that it was counted in. */
export type Attempt = { paymentId: string; atMs: number; windows: readonly Window[]; declineKeys: readonly string[] };

/** `atMs`: of the attempt; undefined of one that an earlier release has counted. */
export type Kept = { declineKeys: readonly string[]; atMs: number | undefined };

/** A window, or an attempt whose outcome is awaited ("payment:<id>"). Keys are HMACs: nothing here tells a card or an address. */
type VelocityDocument = Storable<{
  _id: string;
  schema: number;
  attempts?: number;
  declines?: number;
  /** No further attempt is let through in this window. */
  closed_at?: Date;
  /** It has been reported as card testing. */
  reported_at?: Date;
  keys?: string[];
  /** Of an attempt: when it was made. */
  at?: Date;
  expires_at: Date;
}>;

/** How long an attempt waits for its outcome: longer than a customer has to be authenticated. */
const ATTEMPT_KEPT_MS = 2 * 3_600_000;
/** Clocks of replicas differ a little. */
const MARGIN_MS = 60_000;
/** Of a window without a limit of attempts. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

export type Counters = {
  /**
   * Counts an attempt in all of its windows, and gives those that let no more through: exact over all replicas. It takes one command,
   * together with the attempts that concur; one more where a window lets no more through, or two replicas begin one at once.
   */
  count(attempt: Attempt): Promise<readonly string[]>;
  /** What a payment's decline is counted by, once; undefined afterwards, and where its attempt was not counted. */
  takeAttempt(paymentId: string): Promise<Kept | undefined>;
  /** One more decline in a window; gives what it has seen. */
  decline(window: Window): Promise<Seen>;
  /** Lets no more through. Gives whether to report the window: it was open, and not reported before. */
  close(id: string, nowMs: number): Promise<boolean>;
  /** Whether to report a window that lets no more through: once. */
  report(id: string, nowMs: number): Promise<boolean>;
};

export async function openCounters(store: Store): Promise<Counters> {
  const collection = store.collection<VelocityDocument>(VELOCITY);
  await collection.createIndex({ expires_at: 1 }, { name: 'expiry', expireAfterSeconds: 0 });
  return {
    count: combine(async (attempts) => {
      const planned = attempts.flatMap(({ windows }, index) => windows.map((window) => ({ index, window })));
      const kept = attempts.filter(({ declineKeys }) => declineKeys.length > 0).map(keepAttempt);
      const isCounted = await upsertEach(collection, [...planned.map(({ window }) => countIn(window)), ...kept]);
      // A window that two replicas have begun at once looks like one that lets no more through: the second time it does not.
      const again = planned.filter((_, place) => !isCounted[place]);
      const isCountedNow = await upsertEach(
        collection,
        again.map(({ window }) => countIn(window)),
      );
      const full = again.filter((_, place) => !isCountedNow[place]);
      return attempts.map((_, index) => ({
        result: full.filter((one) => one.index === index).map(({ window }) => window.id),
      }));
    }),
    async takeAttempt(paymentId) {
      const _id = attemptId(paymentId);
      const taken = await traced('findOneAndDelete', VELOCITY, () => collection.findOneAndDelete({ _id }));
      return taken === null ? undefined : { declineKeys: taken.keys ?? [], atMs: taken.at?.getTime() };
    },
    async decline({ id: _id, leftMs }) {
      const change = { $inc: { declines: 1 }, $setOnInsert: { schema: 1, attempts: 0, expires_at: expiryOf(leftMs) } };
      const options = { upsert: true, returnDocument: 'after' } as const;
      const after = await traced('findOneAndUpdate', VELOCITY, () => collection.findOneAndUpdate({ _id }, change, options));
      return { attempts: after?.attempts ?? 0, declines: after?.declines ?? 0 };
    },
    async close(_id, nowMs) {
      const at = new Date(nowMs);
      const before = await traced('findOneAndUpdate', VELOCITY, () =>
        collection.findOneAndUpdate({ _id, closed_at: { $exists: false } }, { $set: { closed_at: at, reported_at: at } }),
      );
      return before !== null && before.reported_at === undefined;
    },
    async report(_id, nowMs) {
      const filter = { _id, reported_at: { $exists: false } };
      const { modifiedCount } = await traced('updateOne', VELOCITY, () =>
        collection.updateOne(filter, { $set: { reported_at: new Date(nowMs) } }),
      );
      return modifiedCount === 1;
    },
  };
}

function countIn({ id: _id, attemptsMax = UNBOUNDED, leftMs }: Window): ConditionalUpsert {
  return {
    _id,
    condition: { attempts: { $lt: attemptsMax }, closed_at: { $exists: false } },
    update: { $inc: { attempts: 1 }, $setOnInsert: { schema: 1, declines: 0, expires_at: expiryOf(leftMs) } },
  };
}

function keepAttempt({ paymentId, atMs, declineKeys }: Attempt): ConditionalUpsert {
  const kept = { schema: 1, keys: [...declineKeys], at: new Date(atMs), expires_at: new Date(Date.now() + ATTEMPT_KEPT_MS) };
  return { _id: attemptId(paymentId), condition: {}, update: { $setOnInsert: kept } };
}

function attemptId(paymentId: string): string {
  return `payment:${paymentId}`;
}

/** In the database's time, which business time may be far ahead of. */
function expiryOf(leftMs: number): Date {
  return new Date(Date.now() + leftMs + MARGIN_MS);
}
