import { Counter, type Registry } from 'prom-client';
import type { Logger } from './log-fields.ts';
import { networkOf } from './network.ts';

/** What a refusal is about; the metric's label. */
export type SecurityEventKind = 'unauthenticated' | 'forbidden' | 'rate_limited';

/**
 * A caller that was refused because of who it is, where it calls from, or how often. No field holds what a caller wrote, but for an
 * identity that it claims, which is kept only where it looks like an id.
 */
export type SecurityEvent = {
  /** Which of our doors: http (the API of merchants), biller, rails, checkout, rpc. */
  listener: string;
  kind: SecurityEventKind;
  /** A code of ours, of a closed set: it is a label of the metric. */
  reason: string;
  /** A pattern of the URL map or an RPC method; never a path as it was sent. */
  route: string;
  /** The caller's address; undefined where it could not be told. */
  address: string | undefined;
  identity?: Identity | undefined;
  merchantId?: string | undefined;
  traceId?: string | undefined;
};

/** Who calls, by its client id, partner id or certificate. `claimed`: nothing has proved it. */
export type Identity = { id: string; proof: 'authenticated' | 'claimed' };

export type SecurityEvents = {
  /**
   * Names what a listener can refuse, so that its counters are there with 0 before anything happens: an increase from nothing to
   * something is none to Prometheus.
   */
  expect(listener: string, reasons: SecurityReasons): void;
  record(event: SecurityEvent): void;
};

/** The reasons of a listener, by their kind. */
export type SecurityReasons = Readonly<Partial<Record<SecurityEventKind, readonly string[]>>>;

const KINDS: Readonly<Record<number, SecurityEventKind>> = { 401: 'unauthenticated', 403: 'forbidden', 429: 'rate_limited' };

/** The kind of a refusal by its HTTP status; undefined where it is no security event. */
export function securityKindOf(httpStatus: number): SecurityEventKind | undefined {
  return KINDS[httpStatus];
}

const WINDOW_MS = 60_000;
/**
 * Lines of their own that an address (a /64 of IPv6) gets in a window, and all addresses together; more are counted and summed up.
 */
const LINES_OF_ADDRESS_MAX = 5;
const LINES_MAX = 300;
/** Addresses that are told apart in a window, and those that are summed up by name; the others are summed up together. */
const ADDRESSES_MAX = 10_000;
const SUMMARIES_MAX = 50;

const UNKNOWN = 'unknown';
const OTHERS = 'others';
const ID = /^[A-Za-z0-9._:-]{1,64}$/;
/** What somebody only says to be an id is none where it is as long as a secret, which callers now and then put in its place. */
const CLAIMED_ID_LENGTH_MAX = 36;

type Tally = { lines: number; suppressed: number };

const known = new WeakMap<Registry, SecurityEvents>();

/**
 * The security events of a process: each is counted in gerbang_security_events_total and written as a `security_event` line of
 * fixed fields. A flood writes few lines: an address has five in a minute, and what is left out is one line for it at the end of
 * that minute, with the number.
 */
export function securityEventsOf(registry: Registry, log: Logger): SecurityEvents {
  const made = known.get(registry) ?? createSecurityEvents(registry, log);
  known.set(registry, made);
  return made;
}

function createSecurityEvents(registry: Registry, log: Logger): SecurityEvents {
  const events = new Counter({
    name: 'gerbang_security_events_total',
    help: 'Callers refused because of who they are, where they call from, or how often',
    labelNames: ['listener', 'kind', 'reason'],
    registers: [registry],
  });
  let tallies = new Map<string, Tally>();
  let lines = 0;
  const endWindow = () => {
    const ended = tallies;
    tallies = new Map();
    lines = 0;
    for (const summary of summariesOf(ended)) log.warn(summary, 'security_events_suppressed');
  };
  const tallyOf = (address: string): Tally => {
    const key = tallies.has(address) || tallies.size < ADDRESSES_MAX ? address : OTHERS;
    const tally = tallies.get(key) ?? { lines: 0, suppressed: 0 };
    tallies.set(key, tally);
    return tally;
  };
  return {
    expect(listener, { unauthenticated = [], forbidden = [], rate_limited = [] }) {
      const start = (kind: SecurityEventKind) => (reason: string) => events.inc({ listener, kind, reason }, 0);
      unauthenticated.forEach(start('unauthenticated'));
      forbidden.forEach(start('forbidden'));
      rate_limited.forEach(start('rate_limited'));
    },
    record(event) {
      const { listener, kind, reason, address = UNKNOWN } = event;
      events.inc({ listener, kind, reason });
      if (tallies.size === 0) setTimeout(endWindow, WINDOW_MS).unref();
      const tally = tallyOf(networkOf(address));
      if (tally.lines >= LINES_OF_ADDRESS_MAX || lines >= LINES_MAX) {
        tally.suppressed++;
        return;
      }
      tally.lines++;
      lines++;
      log.warn(lineOf(event), 'security_event');
    },
  };
}

function lineOf({ listener, kind, reason, route, address = UNKNOWN, identity, merchantId, traceId }: SecurityEvent) {
  return {
    listener,
    kind,
    reason,
    route,
    address,
    client_id: identity !== undefined && isId(identity) ? identity.id : undefined,
    identity: identity?.proof ?? 'none',
    merchant_id: merchantId,
    trace_id: traceId,
  };
}

function isId({ id, proof }: Identity): boolean {
  return ID.test(id) && (proof === 'authenticated' || id.length <= CLAIMED_ID_LENGTH_MAX);
}

/** The addresses with the most left out, by name; the others in one line. */
function summariesOf(tallies: ReadonlyMap<string, Tally>): { address: string; addresses: number; suppressed: number }[] {
  const cut = [...tallies].filter(([, { suppressed }]) => suppressed > 0);
  const sorted = cut.sort(([, a], [, b]) => b.suppressed - a.suppressed);
  const named = sorted.slice(0, SUMMARIES_MAX).map(([address, { suppressed }]) => ({ address, addresses: 1, suppressed }));
  const rest = sorted.slice(SUMMARIES_MAX);
  if (rest.length === 0) return named;
  const suppressed = rest.reduce((sum, [, tally]) => sum + tally.suppressed, 0);
  return [...named, { address: OTHERS, addresses: rest.length, suppressed }];
}
