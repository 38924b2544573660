import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@gerbang/testkit';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type System, startSystem } from '../../launcher/system.ts';
import { newOrder, notifyAt, transfer } from '../support/disbursement.ts';
import { idr, type MerchantClient, newReference, signIn, statusOf } from '../support/merchant-client.ts';
import { startWebhookSink, type WebhookSink } from '../support/webhook-sink.ts';

/** Long form: GERBANG_CHAOS=long, five rounds of 400 transfers for each kind of loss; the short form runs in `npm test`. */
const long = process.env.GERBANG_CHAOS === 'long';
const TRANSFERS = long ? 400 : 60;
const ROUNDS = long ? 5 : 1;
/** So little that the long form's transfers, with their fees, leave the account some money. */
const RUPIAH = 1_000;
const CALLERS = 8;
const DOWN_MS = long ? 8_000 : 2_000;
const ARRIVES_WITHIN_MS = 60_000;

type StoredEvent = { _id: string; aggregate: string; seq: bigint };

/** What is done to NATS while transfers are made. What the server had in memory dies with it. */
type Loss = { what: string; inflict(system: System, store: string): Promise<void> };

const streams = (store: string) => path.join(store, 'jetstream/$G/streams');

async function killAfter(system: System, change: () => Promise<void>): Promise<void> {
  // A server that runs would write new files into the folders that are being removed.
  process.kill(system.pidOf('nats'), 'SIGSTOP');
  await change();
  await system.kill('nats', 'SIGKILL');
  await system.ready();
}

const LOSSES: readonly Loss[] = [
  {
    what: 'its store deleted and it is killed',
    inflict: (system, store) => killAfter(system, () => rm(store, { recursive: true, force: true })),
  },
  {
    what: 'an older copy of its store restored',
    inflict: (system, store) =>
      killAfter(system, async () => {
        await rm(store, { recursive: true, force: true });
        await cp(`${store}-copy`, store, { recursive: true });
      }),
  },
  {
    what: 'its messages deleted, while it still knows how far the notifier was',
    inflict: (system, store) =>
      killAfter(system, () => rm(path.join(streams(store), 'gerbang-money-out/msgs'), { recursive: true, force: true })),
  },
  {
    what: 'no answer for a while',
    async inflict(system) {
      const pid = system.pidOf('nats');
      process.kill(pid, 'SIGSTOP');
      await sleep(DOWN_MS);
      process.kill(pid, 'SIGCONT');
    },
  },
];

describe('NATS during transfers', () => {
  let system: System;
  let sink: WebhookSink;
  let merchant: MerchantClient;
  let client: MongoClient;
  let store: string;

  beforeAll(async () => {
    sink = await startWebhookSink();
    system = await startSystem({ name: 'chaos-nats', shuffleUnsorted: true, env: { RATE_LIMIT_PER_MINUTE: '100000' } });
    client = new MongoClient(system.mongodb.uri, { useBigInt64: true });
    store = path.join(system.dataFolder, 'nats');
    merchant = await signIn(system.demo.base_url, system.demo);
    await notifyAt(merchant, sink.url);
    await transferAll(10);
    // Still: what is copied must be whole.
    process.kill(system.pidOf('nats'), 'SIGSTOP');
    await cp(store, `${store}-copy`, { recursive: true });
    process.kill(system.pidOf('nats'), 'SIGCONT');
  }, 120_000);

  afterAll(async () => {
    await client?.close();
    await system?.stop();
    await sink?.close();
  });

  test.each(Array.from({ length: ROUNDS }, () => LOSSES).flat())(
    'has $what: payments go on, and every webhook arrives',
    async ({ inflict }) => {
      let inflicted: Promise<void> | undefined;
      const references = await transferAll(TRANSFERS, (count) => {
        if (count === TRANSFERS / 4) inflicted = inflict(system, store);
      });
      await inflicted;
      // Also what is paid after it.
      references.push(...(await transferAll(5)));
      await eventually(
        'every webhook arrives',
        () => references.every((reference) => sink.about(reference).length > 0),
        ARRIVES_WITHIN_MS,
      );
      for (const reference of references) {
        const hooks = sink.about(reference);
        expect(hooks.map(({ body }) => statusOf(Object(body.data)))).toEqual(hooks.map(() => '00'));
        expect(new Set(hooks.map(({ headers }) => headers['x-event-id'])).size).toBe(1);
      }
      await eventually('every event is confirmed', async () => (await unconfirmed()) === 0, ARRIVES_WITHIN_MS);
      await everyEventIsStoredOnce(references);
    },
    180_000,
  );

  /** Each is answered as accepted at the first attempt, whatever NATS does. Gives the references. */
  async function transferAll(count: number, onAccepted: (count: number) => void = () => {}): Promise<string[]> {
    const references = Array.from({ length: count }, () => newReference('nats'));
    const rest = references.values();
    let accepted = 0;
    const caller = async () => {
      for (const reference of rest) {
        await transfer(merchant, newOrder(system.demo.account_ids[0], { reference_number: reference, amount: idr(RUPIAH) }));
        accepted++;
        onAccepted(accepted);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    return references;
  }

  function unconfirmed(): Promise<number> {
    const transfers = client.db(`${system.mongodb.prefix}money_out`).collection('transfers');
    return transfers.countDocuments({ 'tail.at': { $type: 'date' }, 'tail.0': { $exists: true } });
  }

  /** The notifier has every event that the transfers have had, by aggregate and number, once and without gaps. */
  async function everyEventIsStoredOnce(references: readonly string[]): Promise<void> {
    const documents = await client.db(`${system.mongodb.prefix}notifier`).collection<StoredEvent>('deliveries').find().toArray();
    const bySeq = new Map<string, bigint[]>();
    for (const { aggregate, seq } of documents) bySeq.set(aggregate, [...(bySeq.get(aggregate) ?? []), seq]);
    for (const reference of references) {
      const seqs = bySeq.get(`money-out:transfers:${system.demo.account_ids[0]}:${reference}`) ?? [];
      expect(seqs.toSorted()).toEqual([1n, 2n]);
    }
  }
});
