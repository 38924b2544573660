import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { create, toBinary } from '@bufbuild/protobuf';
import { createRelay, openBus } from '@gerbang/bus';
import { type AdjustableClock, createClock, newUlid } from '@gerbang/core';
import { newOperatorKey, type OperatorKey, operatorAuthorizer, publicKeyOf } from '@gerbang/neighbours';
import type { EventCatalogue } from '@gerbang/present';
import { MerchantService } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { DisbursementFinishedSchema, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { DeliveryService, EventService, RedeliveryService } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { OperatorGateService, Role } from '@gerbang/proto/gerbang/operator/v1/operator';
import { type Handlers, type Implementation, implement, openChannel, startRpcServer } from '@gerbang/rpc';
import { ClosingStack, createLogger } from '@gerbang/runtime';
import { connectStore, openAggregates } from '@gerbang/store';
import { freePort, startTestNats, type TestMongo, type TestNats, testLog } from '@gerbang/testkit';
import { createOperatorGate } from '@gerbang/testkit/operator-gate';
import { readConfig } from '../src/config.ts';
import { type Service, startService } from '../src/service.ts';

const log = testLog();

/** Operators: ana supports merchants, and vera may only read. */
export const ana = await newOperatorKey('ana');
export const vera = await newOperatorKey('vera');

/** A merchant's endpoint that keeps what it receives. */
export type Hook = { atMs: number; path: string; headers: IncomingHttpHeaders; text: string; body: Record<string, unknown> };
export type Sink = { url: string; got: Hook[]; overlapping: number; close(): Promise<void> };

/** Answers with what `answer` says: a status, or the response itself is taken over. */
export async function openSink(
  answer: (hook: Hook, count: number, response: ServerResponse) => number | 'taken' | Promise<number> = () => 200,
): Promise<Sink> {
  const got: Hook[] = [];
  const inFlight = new Map<string, number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const text = Buffer.concat(chunks).toString();
      const hook: Hook = {
        atMs: Date.now(),
        path: request.url ?? '',
        headers: request.headers,
        text,
        body: JSON.parse(text),
      };
      got.push(hook);
      const id = String(request.headers['x-event-id']);
      inFlight.set(id, (inFlight.get(id) ?? 0) + 1);
      if ((inFlight.get(id) ?? 0) > 1) sink.overlapping++;
      const status = await answer(hook, got.filter((other) => other.headers['x-event-id'] === id).length, response);
      inFlight.set(id, (inFlight.get(id) ?? 1) - 1);
      if (status !== 'taken') response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end('noted');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sink: Sink = {
    url: `http://127.0.0.1:${port}/hook?x=1&y=%20`,
    got,
    overlapping: 0,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return sink;
}

/** A merchant as the fake merchant service knows it; `url` may depend on the event's time. */
export type FakeMerchant = {
  partnerId: string;
  secret: string;
  url: (atMs: number) => string | undefined;
  signatureEnabled?: boolean;
};

/** Takes log lines. */
export type Lines = { write(line: string): void };

/**
 * What surrounds the notifier: a service with events, a merchant service, NATS, and any number of notifiers on one
 * database.
 */
export async function openWorld(mongo: TestMongo) {
  const closing = new ClosingStack(log);
  const nats: TestNats = await startTestNats();
  closing.push('nats', () => nats.stop());
  const databasePrefix = `${mongo.databasePrefix}${newUlid(Date.now()).slice(-8).toLowerCase()}_`;
  const clock: AdjustableClock = createClock();

  const store = await connectStore({ uri: mongo.uri, database: `${databasePrefix}money_out`, appName: 'owner' });
  closing.push('store', () => store.close());
  const notifierStore = await connectStore({ uri: mongo.uri, database: `${databasePrefix}notifier`, appName: 'test' });
  closing.push('notifier store', () => notifierStore.close());
  const deliveries = notifierStore.collection<{ _id: string; status: string; reason?: string; [field: string]: unknown }>(
    'deliveries',
  );
  const bus = openBus({ access: { servers: nats.url }, name: 'owner', log });
  closing.push('bus', () => bus.close());
  const relay = createRelay({ bus, store, service: 'money-out', clock, log });
  closing.push('relay', () => relay.close());
  const transfers = await openAggregates<{ n: number }, string>(store, 'transfers', { schema: 1, afterWrite: relay.afterWrite });
  const owner = await startRpcServer({
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    log,
    implementations: relay.serve(['transfers']),
    ready: () => true,
  });
  closing.push('owner', () => owner.close());

  const merchants = new Map<string, FakeMerchant>();
  /** Merchants for which the merchant service fails. */
  const broken = new Set<string>();
  const merchantPort = await freePort();
  const gate = createOperatorGate([
    { id: ana.id, role: Role.SUPPORT, publicKey: publicKeyOf(ana) },
    { id: vera.id, role: Role.VIEWER, publicKey: publicKeyOf(vera) },
  ]);
  const gateService = implement(OperatorGateService, gate.handlers, ['notifier']);
  let merchant = await startMerchant(merchantPort, merchants, broken, gateService);
  closing.push('merchant', () => merchant.close());

  const startNotifier = async (
    more: Record<string, string> = {},
    lines?: Lines,
    catalogue?: EventCatalogue,
  ): Promise<Service & ReturnType<typeof clientOf>> => {
    const config = readConfig({
      GERBANG_ENV: 'sandbox',
      MONGODB_URI: mongo.uri,
      MONGODB_DB_PREFIX: databasePrefix,
      NATS_URL: nats.url,
      RPC_PORT: '0',
      ADMIN_PORT: '0',
      MERCHANT_RPC: `127.0.0.1:${merchantPort}`,
      MONEY_OUT_RPC: `127.0.0.1:${owner.port}`,
      MONEY_IN_RPC: `127.0.0.1:${owner.port}`,
      WEBHOOK_ALLOW_PRIVATE: 'true',
      ...more,
    });
    const logger = lines === undefined ? log : createLogger({ service: 'notifier', level: 'info' }, lines);
    const service = await startService(config, { clock, log: logger, ...(catalogue !== undefined && { catalogue }) });
    const client = clientOf(service.port);
    let closed: Promise<void> | undefined;
    const close = () => {
      closed ??= client.channel.close().then(() => service.close());
      return closed;
    };
    closing.push('notifier', close);
    return { ...service, ...client, close };
  };

  return {
    clock,
    nats,
    bus,
    store,
    transfers,
    merchants,
    broken,
    /** The operators' commands as the merchant service has heard of them. */
    commands: gate.commands,
    startNotifier,
    deliveries,
    notifierStore,
    /** All that the notifier has stored. */
    stored: () => deliveries.find().toArray(),
    async stopMerchant() {
      await merchant.close();
    },
    async startMerchant() {
      merchant = await startMerchant(merchantPort, merchants, broken, gateService);
    },
    /** Publishes transfers' ends: `ends` per transfer, in one write or one write each. Returns the reference. */
    async finish(merchantId: string, options: { reference?: string; ends?: number; atMs?: number; payload?: Uint8Array } = {}) {
      const reference = options.reference ?? newUlid(clock.now());
      const atMs = options.atMs ?? clock.now();
      const events = Array.from({ length: options.ends ?? 1 }, (_, i) => ({
        type: 'disbursement.succeeded',
        schema: 1,
        payload: options.payload ?? finished(`${reference}#${i + 1}`, merchantId, atMs),
        atMs,
      }));
      if ((await transfers.insert(reference, merchantId, { n: 1 }, events)) === undefined)
        throw new Error(`${reference} is taken`);
      return reference;
    },
    close: () => closing.close(),
  };
}

export type World = Awaited<ReturnType<typeof openWorld>>;

/** The payload of a transfer's end; its reference number tells the tests which one it is. */
export function finished(referenceNumber: string, merchantId: string, atMs: number): Uint8Array {
  const transfer = {
    transactionId: newUlid(atMs),
    referenceNumber,
    merchantId,
    accountId: newUlid(atMs),
    status: TransferStatus.SUCCESS,
    amountSen: 1_000_000n,
    feeSen: 250_000n,
    balanceAfterSen: 5_000_000n,
    createdAtMs: BigInt(atMs),
    processedAtMs: BigInt(atMs),
    bankCode: '014',
    bankName: 'BCA',
    bankAccountNumber: '1234567890',
    bankAccountName: 'TEST 7890',
  };
  return toBinary(DisbursementFinishedSchema, create(DisbursementFinishedSchema, { transfer }));
}

/** The reference number in a webhook of `finished`. */
export function referenceOf(hook: Hook): string {
  const { data } = hook.body;
  return typeof data === 'object' && data !== null && 'reference_number' in data ? String(data.reference_number) : '';
}

function clientOf(port: number) {
  const channel = openChannel({ address: `127.0.0.1:${port}`, tls: undefined });
  /** The commands of the holder of a key. */
  const as = (key: OperatorKey) => {
    const signed = { authorize: operatorAuthorizer(key, 'notifier') };
    return { operator: channel.client(RedeliveryService, signed), events: channel.client(EventService, signed) };
  };
  return { channel, rpc: channel.client(DeliveryService), as, ...as(ana) };
}

async function startMerchant(
  port: number,
  merchants: ReadonlyMap<string, FakeMerchant>,
  broken: ReadonlySet<string>,
  gateService: Implementation,
) {
  const unused = async () => {
    throw new Error('the notifier asks only for webhook settings');
  };
  const handlers: Handlers<typeof MerchantService> = {
    getAccess: unused,
    getProfile: unused,
    getAccount: unused,
    checkVersions: unused,
    issueToken: unused,
    listVerificationKeys: unused,
    getCallbackSettings: unused,
    updateCallbackSettings: unused,
    async listWebhookSettings({ queries }) {
      if (queries.some(({ merchantId }) => broken.has(merchantId))) throw new Error('the secret cannot be opened');
      const items = queries.map(({ merchantId, atMs }) => {
        const merchant = merchants.get(merchantId);
        if (merchant === undefined) return {};
        const url = merchant.url(Number(atMs));
        const settings = {
          signatureEnabled: merchant.signatureEnabled ?? true,
          ...(url !== undefined && { disbursementNotifUrl: url }),
        };
        return { merchantId, partnerId: merchant.partnerId, clientSecret: merchant.secret, settings };
      });
      return { items };
    },
  };
  return startRpcServer({
    host: '127.0.0.1',
    port,
    tls: undefined,
    log,
    implementations: [implement(MerchantService, handlers, ['notifier']), gateService],
    ready: () => true,
  });
}
