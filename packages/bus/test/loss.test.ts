import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createLogger } from '@gerbang/runtime';
import { eventually } from '@gerbang/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openShop, type Shop } from './shop.ts';

const STREAM = 'jetstream/$G/streams/gerbang-shop';

let shop: Shop;
let lines: Record<string, unknown>[];

beforeEach(async () => {
  lines = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  shop = await openShop({ log: createLogger({ service: 'test', level: 'info' }, { write }) });
});
afterEach(() => shop?.close());

const interruptions = () => lines.filter(({ msg }) => String(msg).startsWith('the consumer is interrupted'));

/** Writes things one after the other until `stop`; gives their ids. */
function keepWriting(): { ids: string[]; stop(): Promise<void> } {
  const ids: string[] = [];
  let stopped = false;
  const writing = (async () => {
    while (!stopped) {
      const id = `t${ids.length}`;
      const made = await shop.things.insert(id, 'm1', { n: 1 }, [shop.event('made')]);
      if (made === undefined) throw new Error(`${id} is taken`);
      await shop.things.change(made, { set: { n: 2 }, events: [shop.event('changed')] });
      ids.push(id);
    }
  })();
  return {
    ids,
    async stop() {
      stopped = true;
      await writing;
    },
  };
}

/** Everything has been received and confirmed, and first receipts were in order within each thing. */
async function everythingArrives(ids: readonly string[], receipts: readonly { aggregateId: string; seqs: bigint[] }[]) {
  await eventually('everything is confirmed', async () => (await shop.unconfirmed()) === 0, 30_000);
  const seen = new Map<string, bigint>();
  for (const { aggregateId, seqs } of receipts) {
    // Each message begins no later than one behind what was received before: nothing is ever left out.
    expect(seqs[0]).toBeLessThanOrEqual((seen.get(aggregateId) ?? 0n) + 1n);
    seen.set(
      aggregateId,
      (seqs.at(-1) ?? 0n) > (seen.get(aggregateId) ?? 0n) ? (seqs.at(-1) ?? 0n) : (seen.get(aggregateId) ?? 0n),
    );
  }
  expect(ids.filter((id) => seen.get(id) !== 2n)).toEqual([]);
}

test.each([
  { what: 'killed', change: async () => {} },
  { what: 'killed and its store deleted', change: (folder: string) => rm(folder, { recursive: true, force: true }) },
  {
    what: 'killed and its messages deleted, while it still knows how far the notifier was',
    change: (folder: string) => rm(path.join(folder, STREAM, 'msgs'), { recursive: true, force: true }),
  },
  {
    what: 'killed and its consumer deleted',
    change: (folder: string) => rm(path.join(folder, STREAM, 'obs'), { recursive: true, force: true }),
  },
])(
  'NATS $what in the middle of writing: everything arrives all the same',
  async ({ change }) => {
    const { receipts } = shop.startNotifier();
    const writing = keepWriting();
    await eventually('some have arrived', () => receipts.length > 50);
    await shop.nats.restartAfter(change);
    const count = writing.ids.length;
    await eventually('more is written', () => writing.ids.length > count + 50);
    await writing.stop();
    await everythingArrives(writing.ids, receipts);
    expect(interruptions().length).toBeLessThanOrEqual(1);
  },
  60_000,
);

test('an old copy of its store restored in the middle of writing: everything arrives all the same', async () => {
  const backup = await mkdtemp(path.join(tmpdir(), 'gerbang-nats-copy-'));
  try {
    const { receipts } = shop.startNotifier();
    const writing = keepWriting();
    await eventually('some have arrived', () => receipts.length > 50);
    await shop.nats.restartAfter((folder) => cp(folder, backup, { recursive: true }));
    await eventually('more have arrived', () => receipts.length > 300, 20_000);
    await shop.nats.restartAfter(async (folder) => {
      await rm(folder, { recursive: true, force: true });
      await cp(backup, folder, { recursive: true });
    });
    const count = writing.ids.length;
    await eventually('more is written', () => writing.ids.length > count + 50);
    await writing.stop();
    await everythingArrives(writing.ids, receipts);
  } finally {
    await rm(backup, { recursive: true, force: true });
  }
}, 60_000);

test.each(['stream', 'consumer'])('a %s that an operator deletes is made again, and nothing is lost', async (what) => {
  const { received } = shop.startNotifier();
  await shop.things.insert('before', 'm1', { n: 1 }, [shop.event('made')]);
  await eventually('the first arrives', () => received('before'));
  const { manager } = await shop.bus.connected();
  if (what === 'stream') await manager.streams.delete('gerbang-shop');
  else await manager.consumers.delete('gerbang-shop', 'notifier');
  await shop.things.insert('after', 'm1', { n: 1 }, [shop.event('made')]);
  await eventually('the second arrives', () => received('after'));
  expect(interruptions()).toHaveLength(1);
  expect(lines.filter(({ msg }) => msg === 'the consumer goes on')).toHaveLength(1);
});

test('while NATS is down writing goes on at its pace, and what was written arrives afterwards', async () => {
  const { receipts, received } = shop.startNotifier();
  await shop.things.insert('before', 'm1', { n: 1 }, [shop.event('made')]);
  await eventually('the first arrives', () => received('before'));
  await shop.nats.stop();
  const writing = keepWriting();
  await eventually('much is written meanwhile', () => writing.ids.length > 300);
  await writing.stop();
  expect(receipts.filter(({ aggregateId }) => aggregateId !== 'before')).toEqual([]);
  await shop.nats.restart({ loseStore: true });
  await everythingArrives(writing.ids, receipts);
}, 60_000);

test('a consumer that is closed while it opens is closed', async () => {
  await shop.bus.connected();
  const opening = [shop.startNotifier(), shop.startNotifier(), shop.startNotifier()];
  // The first question to NATS is on its way.
  await setImmediate();
  await Promise.all(opening.map((notifier) => notifier.close()));
});
