import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomInt, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AcquirerReportService } from '@gerbang/proto/gerbang/cards/v1/cards';
import { RailDecision, RailService } from '@gerbang/proto/gerbang/money_in/v1/rail';
import { RailReportService } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { type Handlers, implement, startRpcServer } from '@gerbang/rpc';
import type { Closeable, Logger } from '@gerbang/runtime';
import { testLog } from '@gerbang/testkit';
import { type Edge, startEdge } from './edge-harness.ts';

export type RailHandlers = Handlers<typeof RailService>;
export type ReportHandlers = Handlers<typeof RailReportService>;
export type AcquirerHandlers = Handlers<typeof AcquirerReportService>;

/** A file of partners as an operator writes it; the test's own. */
export function writePartners(content: unknown): { file: string; remove(): void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-partners-'));
  const file = path.join(folder, 'partners.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();

export type RailReply = { http: number; headers: Headers; json: Record<string, unknown> };

export type CallOptions = {
  partner?: string;
  /** Makes the signature: RSA by default, HMAC with `secret` and `token`. */
  key?: KeyObject;
  secret?: string;
  token?: string;
  /** What goes into the signature instead of what is sent. */
  signed?: { method?: string; path?: string; body?: string; timestamp?: string };
  timestamp?: string;
  headers?: Record<string, string | undefined>;
  raw?: string | Uint8Array;
};

export type RailsEdge = Closeable & {
  edge: Edge;
  keys: { privateKey: KeyObject; publicKey: KeyObject };
  secret: string;
  /** What money-in and money-out were asked, by method. */
  asked: { method: string; request: Record<string, unknown> }[];
  /** What money-in and money-out answer; a test replaces it. */
  moneyIn: RailHandlers;
  moneyOut: ReportHandlers;
  cards: AcquirerHandlers;
  /** A call of a rail, signed here by hand from the standard and not by packages/core. */
  call(path: string, body: unknown, options?: CallOptions): Promise<RailReply>;
  token(partner: string, over?: { timestamp?: string; key?: KeyObject; grantType?: string }): Promise<RailReply>;
};

export const newTimestamp = (nowMs = Date.now()) => `${new Date(nowMs + 7 * 3_600_000).toISOString().slice(0, 19)}+07:00`;

/**
 * An edge with scripted money-in and money-out, and one partner a rail: retail signs symmetrically, the others asymmetrically.
 */
export async function startRailsEdge(
  options: { servicesAway?: boolean; environment?: Record<string, string>; log?: Logger } = {},
): Promise<RailsEdge> {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const secret = 's'.repeat(40);
  const publicKey = pem(keys.publicKey);
  const asymmetric = { signature: 'RSA-SHA256', public_key: publicKey };
  const partners = writePartners({
    partners: [
      { partner_id: 'bank', rail: 'va', bank_codes: ['BCA'], ...asymmetric },
      { partner_id: 'payer', rail: 'bank-transfer', ...asymmetric },
      { partner_id: 'acquirer', rail: 'qris', ...asymmetric },
      { partner_id: 'wallet', rail: 'ewallet', ...asymmetric },
      { partner_id: 'card-acquirer', rail: 'card', ...asymmetric },
      { partner_id: 'chain', rail: 'retail', signature: 'HMAC-SHA512', public_key: publicKey, client_secret: secret },
    ],
  });
  const asked: RailsEdge['asked'] = [];
  const moneyIn: RailHandlers = {
    inquireVirtualAccount: async () => ({ decision: RailDecision.UNKNOWN }),
    inquireRetailCode: async () => ({ decision: RailDecision.UNKNOWN }),
    notifyPayment: async () => ({ decision: RailDecision.ACCEPTED }),
    notifyCheckoutFailed: async () => ({ decision: RailDecision.ACCEPTED }),
    notifyReversed: async () => ({ decision: RailDecision.ACCEPTED }),
  };
  const moneyOut: ReportHandlers = { reportTransfer: async () => ({}) };
  const cards: AcquirerHandlers = { reportPayment: async () => ({}), reportChargeback: async () => ({}) };
  const server = await startRpcServer({
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    log: testLog('money'),
    implementations: [
      implement(RailService, recorded(moneyIn, asked), []),
      implement(RailReportService, recorded(moneyOut, asked), []),
      implement(AcquirerReportService, recorded(cards, asked), []),
    ],
    ready: () => true,
  });
  if (options.servicesAway) await server.close();
  const address = `127.0.0.1:${server.port}`;
  const services = { MONEY_IN_RPC: address, MONEY_OUT_RPC: address, DIRECT_DEBIT_RPC: address, CARDS_RPC: address };
  const edge = await startEdge({ ...services, RAIL_PARTNERS: partners.file, ...options.environment }, options);
  const send = async (
    target: string,
    headers: Record<string, string | undefined>,
    body: string | Uint8Array,
  ): Promise<RailReply> => {
    const present = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const response = await fetch(edge.service.railsUrl + target, { method: 'POST', headers: present, body });
    return { http: response.status, headers: response.headers, json: JSON.parse(await response.text()) };
  };
  return {
    edge,
    keys,
    secret,
    asked,
    moneyIn,
    moneyOut,
    cards,
    async call(target, body, over = {}) {
      const sent = over.raw ?? JSON.stringify(body);
      const timestamp = over.timestamp ?? newTimestamp();
      const signed = { method: 'POST', path: target, body: Buffer.from(sent).toString(), timestamp, ...over.signed };
      const hash = createHash('sha256').update(signed.body).digest('hex');
      const signature =
        over.secret === undefined
          ? sign(
              'RSA-SHA256',
              Buffer.from(`${signed.method}:${signed.path}:${hash}:${signed.timestamp}`),
              over.key ?? keys.privateKey,
            )
          : createHmac('sha512', over.secret)
              .update(`${signed.method}:${signed.path}:${over.token ?? ''}:${hash}:${signed.timestamp}`)
              .digest();
      const headers = {
        'content-type': 'application/json',
        'x-timestamp': timestamp,
        'x-partner-id': over.partner ?? 'bank',
        'x-external-id': String(randomInt(1e12)),
        'channel-id': '95221',
        'x-signature': signature.toString('base64'),
        ...(over.token !== undefined && { authorization: `Bearer ${over.token}` }),
        ...over.headers,
      };
      return send(target, headers, sent);
    },
    token(partner, over = {}) {
      const timestamp = over.timestamp ?? newTimestamp();
      const signature = sign('RSA-SHA256', Buffer.from(`${partner}|${timestamp}`), over.key ?? keys.privateKey);
      const headers = {
        'content-type': 'application/json',
        'x-timestamp': timestamp,
        'x-client-key': partner,
        'x-signature': signature.toString('base64'),
      };
      return send('/v1.0/access-token/b2b', headers, JSON.stringify({ grantType: over.grantType ?? 'client_credentials' }));
    },
    async close() {
      await edge.close();
      if (!options.servicesAway) await server.close();
      partners.remove();
    },
  };
}

/** Notes every request, then calls the handler that the test has set by then. */
function recorded<H extends object>(handlers: H, asked: RailsEdge['asked']): H {
  return new Proxy(handlers, {
    get(target, method, receiver) {
      return (request: object, call: unknown) => {
        asked.push({ method: String(method), request: { ...request } });
        const handler: unknown = Reflect.get(target, method, receiver);
        if (typeof handler !== 'function') throw new Error(`${String(method)} is no method`);
        return handler(request, call);
      };
    },
  });
}
