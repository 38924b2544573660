import type { Clock } from '@gerbang/core';
import type { CardData } from '@gerbang/rails/card';
import { type Logger, networkOf } from '@gerbang/runtime';
import type { CountingPrints } from '../vault/fingerprint.ts';
import type { Counters, Window } from './counters.ts';
import { type CountedBy, isOverrun, nameOf, type VelocityLimit } from './limit.ts';
import { isTestCard } from './test-cards.ts';

/** A customer's attempt to pay. Addresses are empty where they are not known. */
export type CustomerAttempt = {
  paymentId: string;
  merchantId: string;
  card: CardData;
  /** Of the customer, where it is the customer who calls us. */
  clientAddress: string;
  /** Of the merchant's server. */
  callerAddress: string;
};

/** Bounds the attempts that a card tester can make (docs/cards.md, Card testing). */
export type Velocity = {
  /** Counts an attempt before it is sent; true where it must not be. Fails where the database does not answer. */
  isRefused(attempt: CustomerAttempt): Promise<boolean>;
  /** Counts a payment that the issuer has declined. It never fails: what the issuer has said stands. */
  declined(payment: { id: string; merchantId: string }): Promise<void>;
};

export type VelocityParts = {
  limits: readonly VelocityLimit[];
  counters: Counters;
  prints: CountingPrints;
  clock: Clock;
  log: Logger;
  /** Whether the sandbox's test cards are counted too. */
  countsTestCards: boolean;
  /** An attempt was refused. */
  refused: (by: CountedBy) => void;
  /** A window lets no more through: card testing. Once for a window. */
  detected: (by: CountedBy, whose: { merchantId: string; clientAddress: string }) => void;
};

/** No limit at all. */
export const NO_VELOCITY: Velocity = { isRefused: async () => false, declined: async () => {} };

/** Windows known to be full are not asked for again; more than these are forgotten. */
const KNOWN_MAX = 10_000;

type Key = { limit: VelocityLimit; key: string };
type Placed = Window & { limit: VelocityLimit; endsAtMs: number };

export function createVelocity(parts: VelocityParts): Velocity {
  const { limits, counters, clock, log } = parts;
  if (limits.length === 0) return NO_VELOCITY;
  const full = createFullWindows(clock);
  return {
    async isRefused(attempt) {
      if (!parts.countsTestCards && isTestCard(attempt.card)) return false;
      const keys = keysOf(parts, attempt);
      const atMs = clock.now();
      const windows = keys.map((key) => windowOf(key, atMs));
      const known = windows.find(({ id }) => full.has(id));
      const refusedBy = known ?? (await count(counters, { attempt, atMs, keys, windows }));
      if (refusedBy === undefined) return false;
      const { limit, id, endsAtMs } = refusedBy;
      parts.refused(limit.by);
      if (known === undefined) {
        full.add(id, endsAtMs);
        if (await counters.report(id, clock.now())) parts.detected(limit.by, attempt);
      }
      return true;
    },
    async declined({ id: paymentId, merchantId }) {
      try {
        const attempt = await counters.takeAttempt(paymentId);
        if (attempt === undefined) return;
        const { declineKeys, atMs } = attempt;
        await Promise.all(declineKeys.map((key) => countDecline(parts, { key, atMs, merchantId })));
      } catch (error) {
        log.warn({ err: error, transaction_id: paymentId }, 'a declined payment was not counted against card testing');
      }
    },
  };
}

/** The first of the windows, in the order of the limits, that lets the attempt not through. */
async function count(
  counters: Counters,
  { attempt, atMs, keys, windows }: { attempt: CustomerAttempt; atMs: number; keys: readonly Key[]; windows: readonly Placed[] },
): Promise<Placed | undefined> {
  const declineKeys = keys.filter(({ limit }) => limit.declines !== undefined).map(({ key }) => key);
  const refusing = await counters.count({ paymentId: attempt.paymentId, atMs, windows, declineKeys });
  return windows.find(({ id }) => refusing.includes(id));
}

/**
 * A decline counts when it is known: of one with 3DS that may be in a later window than its attempt. A share of declines is of the
 * window's own attempts, though: there it counts with its attempt, and not at all where that window is over.
 */
async function countDecline(
  { limits, counters, clock, detected }: VelocityParts,
  { key, atMs, merchantId }: { key: string; atMs: number | undefined; merchantId: string },
): Promise<void> {
  const limit = limits.find((one) => key.startsWith(`${nameOf(one)}:`));
  // It was counted by a process with other limits.
  if (limit === undefined) return;
  const nowMs = clock.now();
  const attemptMs = limit.declined_percent === undefined ? nowMs : (atMs ?? nowMs);
  const window = windowOf({ limit, key }, attemptMs, nowMs);
  if (window.endsAtMs <= nowMs) return;
  const seen = await counters.decline(window);
  if (!isOverrun(limit, seen)) return;
  if (await counters.close(window.id, nowMs)) detected(limit.by, { merchantId, clientAddress: '' });
}

/** What an attempt is counted by; nothing where it is not known. */
function keysOf({ limits, prints }: VelocityParts, attempt: CustomerAttempt): Key[] {
  return limits.flatMap((limit) => {
    const print = printOf(prints, limit.by, attempt);
    return print === undefined ? [] : [{ limit, key: `${nameOf(limit)}:${print}` }];
  });
}

function printOf(prints: CountingPrints, by: CountedBy, attempt: CustomerAttempt): string | undefined {
  const { merchantId, card, clientAddress, callerAddress } = attempt;
  switch (by) {
    case 'merchant':
      return merchantId;
    case 'bin':
      // Of one merchant: over all of them a few addresses on one public link could close an issuer's range to every merchant.
      return `${merchantId}.${prints.bin(card)}`;
    case 'card':
      return prints.card(card);
    case 'client':
      return clientAddress === '' ? undefined : prints.text(by, networkOf(clientAddress));
    case 'caller':
      return callerAddress === '' ? undefined : prints.text(by, networkOf(callerAddress));
    default:
      return by satisfies never;
  }
}

/** The window of a moment. Windows follow each other without a gap, in business time. */
function windowOf({ limit, key }: Key, atMs: number, nowMs = atMs): Placed {
  const lengthMs = limit.seconds * 1_000;
  const number = Math.floor(atMs / lengthMs);
  const endsAtMs = (number + 1) * lengthMs;
  return { limit, id: `${key}:${number}`, attemptsMax: limit.attempts, endsAtMs, leftMs: endsAtMs - nowMs };
}

/** Windows that let nothing through until they end: under an attack they cost no command. */
function createFullWindows(clock: Clock) {
  const ends = new Map<string, number>();
  return {
    has: (id: string) => (ends.get(id) ?? 0) > clock.now(),
    add(id: string, endsAtMs: number) {
      if (ends.size >= KNOWN_MAX) for (const [known, endMs] of ends) if (endMs <= clock.now()) ends.delete(known);
      if (ends.size >= KNOWN_MAX) ends.clear();
      ends.set(id, endsAtMs);
    },
  };
}
