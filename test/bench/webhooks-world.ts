import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import { newUlid } from '@gerbang/core';
import { EventBatchSchema, EventSourceService } from '@gerbang/proto/gerbang/events/v1/events';
import { MerchantService } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { DisbursementFinishedSchema, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { type Handlers, implement, startRpcServer } from '@gerbang/rpc';
import { createLogger } from '@gerbang/runtime';
import { freePort, startTestNats } from '@gerbang/testkit';
import { jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { MongoClient } from 'mongodb';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { startServer } from './harness/server-process.ts';

const EMBEDDED = path.resolve(import.meta.dirname, '../../packages/embedded-mongo/src/main.ts');
const STREAM = 'gerbang-money-out';
const SUBJECT = 'gerbang.money-out.transfers';
const PUBLISHED_TOGETHER = 500;

/** A merchant's settings here are its URL alone. */
export type Merchants = Map<string, { url: string }>;

/**
 * What the notifier lives among: a database, NATS, and in this process the merchant service and the owner of the events, both of
 * which answer at once. Events are published as the relay does it, but without a database of their own.
 */
export async function openWebhooksWorld(resources: AsyncDisposableStack) {
  const log = createLogger({ service: 'bench', level: 'error' });
  const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-bench-webhooks-'));
  resources.defer(() => rmSync(folder, { recursive: true, force: true }));
  const mongoPort = await freePort();
  const mongo = await startServer(resources, EMBEDDED, ['--data', folder, '--port', String(mongoPort)]);
  const uri = `mongodb://127.0.0.1:${mongoPort}/?replicaSet=gerbang`;
  const client = await MongoClient.connect(uri);
  resources.defer(() => client.close());
  const deliveries = client.db('bench_notifier').collection<{ _id: string; status: string }>('deliveries');

  const nats = await startTestNats();
  resources.defer(() => nats.stop());
  const connection = await connect({ servers: nats.url });
  resources.defer(() => connection.close());
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: STREAM, subjects: ['gerbang.money-out.>'], storage: StorageType.File });
  const publisher = jetstream(connection);

  const merchants: Merchants = new Map();
  const others = await startRpcServer({
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    log,
    ready: () => true,
    implementations: [
      implement(MerchantService, merchantHandlers(merchants), []),
      implement(EventSourceService, { confirm: async () => ({}) }, []),
    ],
  });
  resources.defer(() => others.close());

  let notifier: ServiceProcess | undefined;
  resources.defer(() => notifier?.end());
  const address = `127.0.0.1:${others.port}`;
  return {
    merchants,
    deliveries,
    mongoPid: mongo.pid,
    notifierPid(): number {
      if (notifier === undefined) throw new Error('the notifier does not run');
      return notifier.pid;
    },
    /** Starts the notifier, ending the one before. */
    async startNotifier(): Promise<{ pid: number }> {
      await notifier?.end();
      notifier = await startServiceProcess('notifier', {
        MONGODB_URI: uri,
        MONGODB_DB_PREFIX: 'bench_',
        NATS_URL: nats.url,
        RPC_PORT: '0',
        MERCHANT_RPC: address,
        MONEY_OUT_RPC: address,
        MONEY_IN_RPC: address,
        WEBHOOK_ALLOW_PRIVATE: 'true',
      });
      return { pid: notifier.pid };
    },
    /** One transfer of the merchant, with so many events; each webhook's reference number is `<reference>#<n>`. */
    async publish(merchantId: string, reference: string, events: number): Promise<void> {
      await publisher.publish(SUBJECT, messageOf(merchantId, reference, events));
    },
    /** As many transfers, of all merchants by turns. */
    async publishMany(name: string, transfers: number, events: number): Promise<void> {
      const ids = [...merchants.keys()];
      for (let i = 0; i < transfers; i += PUBLISHED_TOGETHER) {
        const part = Array.from({ length: Math.min(PUBLISHED_TOGETHER, transfers - i) }, (_, j) => i + j);
        await Promise.all(part.map((n) => this.publish(ids[n % ids.length] ?? '', `${name}-${n}`, events)));
      }
    },
    /** What is written as neither delivered nor given up. */
    pending: () => deliveries.countDocuments({ endpoint: { $gt: '' }, due_at: { $type: 'date' } }),
  };
}

export type WebhooksWorld = Awaited<ReturnType<typeof openWebhooksWorld>>;

function messageOf(merchantId: string, reference: string, count: number): Uint8Array {
  const atMs = BigInt(Date.now());
  const transfer = {
    transactionId: newUlid(Date.now()),
    merchantId,
    accountId: newUlid(Date.now()),
    status: TransferStatus.SUCCESS,
    amountSen: 1_000_000n,
    feeSen: 250_000n,
    balanceAfterSen: 5_000_000n,
    createdAtMs: atMs,
    processedAtMs: atMs,
    bankCode: '014',
    bankName: 'BCA',
    bankAccountNumber: '1234567890',
    bankAccountName: 'TEST 7890',
  };
  const events = Array.from({ length: count }, (_, i) => {
    const referenceNumber = `${reference}#${i + 1}`;
    const finished = create(DisbursementFinishedSchema, { transfer: { ...transfer, referenceNumber } });
    const payload = toBinary(DisbursementFinishedSchema, finished);
    return { seq: BigInt(i + 1), type: 'disbursement.succeeded', schema: 1, payload, atMs };
  });
  const batch = { service: 'money-out', aggregateType: 'transfers', aggregateId: reference, merchantId, events };
  return toBinary(EventBatchSchema, create(EventBatchSchema, batch));
}

function merchantHandlers(merchants: Merchants): Handlers<typeof MerchantService> {
  const unused = async () => {
    throw new Error('the notifier asks only for webhook settings');
  };
  return {
    getAccess: unused,
    getProfile: unused,
    getAccount: unused,
    checkVersions: unused,
    issueToken: unused,
    listVerificationKeys: unused,
    getCallbackSettings: unused,
    updateCallbackSettings: unused,
    async listWebhookSettings({ queries }) {
      const items = queries.map(({ merchantId }) => ({
        merchantId,
        partnerId: `pk_${merchantId}`,
        clientSecret: 'a-client-secret-of-43-characters-in-base64u',
        settings: { signatureEnabled: true, disbursementNotifUrl: merchants.get(merchantId)?.url ?? '' },
      }));
      return { items };
    },
  };
}
