import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TimelineService } from '@gerbang/proto/gerbang/events/v1/events';
import { EventService } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { openChannel } from '@gerbang/rpc';
import { eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { demoClient } from '../../launcher/operators.ts';
import { findFreePorts } from '../../launcher/ports.ts';
import { openSystem, type System } from '../../launcher/system.ts';
import { isLeft, type Left, payAll, settled } from '../previous-data/life.ts';
import type { ListDisbursementsData } from '../support/api.d.ts';
import { inquire, newOrder, transfer } from '../support/disbursement.ts';
import { accepted, dataOf, idr, type MerchantClient, signIn } from '../support/merchant-client.ts';

/** The data folder that the version before wrote, killed in the middle of its work (test/previous-data/write.ts). */
const ARCHIVE = path.join(import.meta.dirname, '..', 'previous-data', 'data.tar.gz');

let folder: string;
let system: System;
let merchant: MerchantClient;
let left: Left;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gerbang-opened-'));
  const unpacked = spawnSync('tar', ['-xzf', ARCHIVE, '-C', folder], { encoding: 'utf8' });
  if (unpacked.status !== 0) throw new Error(`tar: ${unpacked.stderr}`);
  const read: unknown = JSON.parse(readFileSync(path.join(folder, 'left.json'), 'utf8'));
  if (!isLeft(read)) throw new Error('left.json does not tell what was left');
  left = read;
  system = await openSystem({
    dataFolder: folder,
    ports: await findFreePorts(),
    fresh: false,
    mongodbUri: undefined,
    natsUrl: undefined,
    env: { LOG_LEVEL: 'info' },
    shuffleUnsorted: true,
    say: () => {},
  });
  merchant = await signIn(system.demo.base_url, system.demo);
}, 120_000);

afterAll(async () => {
  await system?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('transfers come to their end, the one under way too, and the balance is what it has to be', async () => {
  const statusOf = async (reference: string) => (await inquire(merchant, left.accountId, reference)).transaction_status.code;
  for (const [reference, status] of Object.entries(left.transfers))
    await eventually(`${reference} is ${status}`, async () => (await statusOf(reference)) === status, 60_000);
  await settled(merchant, left.accountId);
  const { available, held, pending } = await merchant.balance(left.accountId);
  expect({ available: String(available), held: String(held), pending: String(pending) }).toEqual(left.balance);
});

test('the reference of an old order still is that order', async () => {
  const again = await transfer(merchant, newOrder(left.accountId, { reference_number: 'old-paid', amount: idr(50_000) }));
  expect(again.transaction_id).toBe((await inquire(merchant, left.accountId, 'old-paid')).transaction_id);
});

test('what was paid is shown as it was', async () => {
  for (const [resource, status] of Object.entries(left.resources))
    expect([resource, dataOf(await merchant.get(resource)).status]).toEqual([resource, status]);
});

test('what customers had not paid yet they pay now, and it settles', async () => {
  const before = await merchant.balance(left.accountId);
  await payAll(system, left.unpaid);
  for (const { path: resource, paid } of left.unpaid)
    await eventually(`${resource} is ${paid}`, async () => dataOf(await merchant.get(resource)).status === paid);
  await settled(merchant, left.accountId);
  expect((await merchant.balance(left.accountId)).available).toBeGreaterThan(before.available);
});

test('lists show old and new together, page by page', async () => {
  const items: unknown[] = [];
  let cursor: string | null = '';
  do {
    const query = { account_id: left.accountId, limit: 1, ...(cursor !== '' && { cursor }) };
    const page: ListDisbursementsData = await accepted(merchant.api.GET('/api/v2.0/disbursement/list', { params: { query } }));
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(items).toHaveLength(Object.keys(left.transfers).length);
});

test('every event can be read, those too that had not left their tails', async () => {
  const notifier = openChannel({ address: `127.0.0.1:${system.ports.NOTIFIER_RPC_PORT}`, tls: undefined });
  const moneyOut = openChannel({ address: `127.0.0.1:${system.ports.MONEY_OUT_RPC_PORT}`, tls: undefined });
  try {
    const of = `${left.accountId}:old-unknown`;
    const timeline = demoClient(system.dataFolder, moneyOut, TimelineService, 'money-out');
    await eventually('its events are confirmed', async () => {
      const { events } = await timeline.listEvents({ aggregateType: 'transfers', aggregateId: of });
      return events.length > 0 && events.every(({ confirmed }) => confirmed);
    });
    const { events } = await demoClient(system.dataFolder, notifier, EventService, 'notifier').listUnreadable({ limit: 10 });
    expect(events).toEqual([]);
  } finally {
    await Promise.all([notifier.close(), moneyOut.close()]);
  }
});

test('the ledger finds no difference', async () => {
  expect(await system.verifyLedger()).toEqual([]);
});
