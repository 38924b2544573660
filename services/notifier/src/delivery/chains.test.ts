import { expect, test } from 'vitest';
import { type Pending, sortIntoChains, uncertain } from './chains.ts';
import type { DeliveryState, StoredDelivery } from './delivery.ts';

const pendingState: DeliveryState = { status: 'pending', failures: 0, nextAttemptAtMs: 1, redeliverAtMs: undefined };

function claimed(name: string, state = pendingState, endpoint = 'e'): StoredDelivery {
  const [aggregate = '', seq = '1'] = name.split('#');
  const delivery = {
    id: name,
    merchantId: 'm',
    event: 'disbursement',
    url: 'http://e',
    endpoint,
    body: '{}',
    bodyHash: '',
    signed: true,
    traceparent: '',
    atMs: 1,
    aggregate,
    seq: BigInt(seq),
    state,
    attempts: [],
    redeliveries: [],
  };
  return { delivery, version: 1, awaited: false };
}

const pending = (...names: string[]): Pending[] =>
  names.map((name) => {
    const [aggregate = '', seq = '1'] = name.split('#');
    return { id: name, aggregate, seq: BigInt(seq), dueAtMs: 1_000 + Number(seq) };
  });

/** The chains and what is blocked, by names; a blocked one with the time until which it is, and for what. */
function sorted(items: StoredDelivery[], waiting: Pending[]) {
  const { chains, blocked } = sortIntoChains(items, waiting);
  return {
    chains: chains.map((chain) => chain.map(({ delivery }) => delivery.id).join(' ')),
    blocked: blocked.map(({ stored, untilMs, behind }) => `${stored.delivery.id} ${untilMs} ${behind}`),
  };
}

test.each<[string, StoredDelivery[], Pending[], { chains: string[]; blocked: string[] }]>([
  ['different aggregates go at the same time', [claimed('a#1'), claimed('b#1')], [], { chains: ['a#1', 'b#1'], blocked: [] }],
  [
    'events of one aggregate one after the other, in its order',
    [claimed('a#3'), claimed('a#1'), claimed('a#10')],
    pending('a#1', 'a#3', 'a#10'),
    { chains: ['a#1 a#3 a#10'], blocked: [] },
  ],
  [
    'an earlier event of another replica comes first',
    [claimed('a#2')],
    pending('a#1', 'a#2'),
    { chains: [], blocked: ['a#2 1001 a#1'] },
  ],
  [
    'a delivery that waits for several events waits for the last one',
    [claimed('a#4'), claimed('a#3')],
    pending('a#1', 'a#2'),
    { chains: [], blocked: ['a#3 1001 a#2', 'a#4 1001 a#3'] },
  ],
  [
    'an event of another replica in between ends the chain',
    [claimed('a#1'), claimed('a#3')],
    pending('a#1', 'a#2', 'a#3'),
    { chains: ['a#1'], blocked: ['a#3 1002 a#2'] },
  ],
  [
    'another aggregate’s pending events block nothing',
    [claimed('a#2'), claimed('b#2')],
    pending('a#2', 'b#1', 'b#2'),
    { chains: ['a#2'], blocked: ['b#2 1001 b#1'] },
  ],
  [
    'one in between that goes elsewhere is not passed',
    [claimed('a#1'), claimed('a#2', pendingState, 'other'), claimed('a#3')],
    [],
    { chains: ['a#1'], blocked: ['a#2 0 a#1', 'a#3 1 a#2'] },
  ],
  [
    'what goes to another endpoint goes by itself, later',
    [claimed('a#1'), claimed('a#2', pendingState, 'other')],
    pending('a#1', 'a#2'),
    { chains: ['a#1'], blocked: ['a#2 0 a#1'] },
  ],
  [
    'a delivery that has ended and is requested again waits for nothing',
    [
      claimed('a#1', { status: 'delivered', redeliverAtMs: 5 }),
      claimed('a#2'),
      claimed('a#9', { status: 'failed', redeliverAtMs: 5 }),
    ],
    pending('a#2'),
    { chains: ['a#1', 'a#9', 'a#2'], blocked: [] },
  ],
])('%s', (_, items, waiting, expected) => {
  expect(sorted(items, waiting)).toEqual(expected);
});

test.each<[string, StoredDelivery[], string[]]>([
  ['the first event of an aggregate', [claimed('new#1')], []],
  ['all events from the first on', [claimed('new#2'), claimed('new#1'), claimed('new#3')], []],
  ['what follows the one that is over', [claimed('known#3'), claimed('known#4')], []],
  ['a gap', [claimed('known#4')], ['known']],
  ['a gap in between', [claimed('known#3'), claimed('known#5')], ['known']],
  ['an aggregate of which nothing is known', [claimed('new#2'), claimed('known#3')], ['new']],
  ['what is over and asked for again', [claimed('new#7', { status: 'delivered', redeliverAtMs: 5 })], []],
])('whether something else may be pending before: %s', (_, items, expected) => {
  expect(uncertain(items, (aggregate) => (aggregate === 'known' ? 2n : 0n))).toEqual(expected);
});
