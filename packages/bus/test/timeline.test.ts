import { TimelineService } from '@gerbang/proto/gerbang/events/v1/events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openShop, type Shop } from './shop.ts';

let shop: Shop;

beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop?.close());

const timeline = () => shop.channel.client(TimelineService);
const of = (aggregateId: string, afterSeq = 0n) => timeline().listEvents({ aggregateType: 'things', aggregateId, afterSeq });

test('confirmed and unconfirmed events make one timeline, of this aggregate alone, page by page', async () => {
  const many = Array.from({ length: 120 }, (_, i) => shop.event(`step ${i + 1}`));
  const made = await shop.silent.insert('a', 'm1', { n: 1 }, many);
  if (made === undefined) throw new Error('a is taken');
  await shop.silent.insert('a:b', 'm2', { n: 1 }, [shop.event('another')]);
  await shop.source.confirm({ confirmations: [{ aggregateType: 'things', aggregateId: 'a', upToSeq: 110n }] });
  const first = await of('a');
  const second = await of('a', 100n);
  expect([first.events.length, first.more, second.events.length, second.more]).toEqual([100, true, 20, false]);
  const all = [...first.events, ...second.events];
  expect(all.map(({ event }) => event?.seq)).toEqual(Array.from({ length: 120 }, (_, i) => BigInt(i) + 1n));
  expect(all.filter(({ confirmed }) => !confirmed).map(({ event }) => event?.type)[0]).toBe('step 111');
  expect(new Set(all.map(({ merchantId }) => merchantId))).toEqual(new Set(['m1']));
});

test('nothing is known of what there is not; an unknown type is refused', async () => {
  expect(await of('nobody')).toMatchObject({ events: [], more: false });
  await expect(timeline().listEvents({ aggregateType: 'secrets', aggregateId: 'a' })).rejects.toMatchObject({
    refusal: { refused: 'validation' },
  });
});
