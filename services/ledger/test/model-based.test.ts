import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Posting } from '../src/posting/posting.ts';
import { useLedgerService } from './harness.ts';
import { postings } from './model.ts';
import { FAULTS, type Fault, World } from './world.ts';

const service = useLedgerService();

/** GERBANG_CHAOS=long runs a hundred times as many. MODEL_SEED and MODEL_PATH, as a failure tells them, run one again. */
const long = process.env.GERBANG_CHAOS === 'long';
const RUNS = long ? 5_000 : 50;
const seed = process.env.MODEL_SEED === undefined ? Date.now() % 2 ** 31 : Number(process.env.MODEL_SEED);
const path = process.env.MODEL_PATH;

type Step = fc.AsyncCommand<{ sent: Posting[] }, World>;

/** Requests that come at once, some of them twice, to any of the writers. */
class Send implements Step {
  readonly requests: { posting: Posting; writer: number; again: boolean }[];

  constructor(requests: { posting: Posting; writer: number; again: boolean }[]) {
    this.requests = requests;
  }

  check = () => true;

  async run(model: { sent: Posting[] }, world: World): Promise<void> {
    for (const { posting, writer, again } of this.requests) {
      model.sent.push(posting);
      world.send(posting, writer);
      if (again) world.send(posting, writer + 1);
    }
  }

  toString = () =>
    `send ${this.requests.map(({ posting }) => `${posting.key} ${posting.intent} ${posting.amountSen}`).join(', ')}`;
}

/** A request of earlier comes again, late and out of order. */
class SendAgain implements Step {
  readonly which: number;

  constructor(which: number) {
    this.which = which;
  }

  check = ({ sent }: { sent: Posting[] }) => sent.length > 0;

  async run({ sent }: { sent: Posting[] }, world: World): Promise<void> {
    const posting = sent[this.which % sent.length];
    if (posting !== undefined) world.send(posting, this.which);
  }

  toString = () => `send again ${this.which}`;
}

class Arm implements Step {
  readonly nth: number;
  readonly fault: Fault;

  constructor(nth: number, fault: Fault) {
    this.nth = nth;
    this.fault = fault;
  }

  check = () => true;

  async run(_: object, world: World): Promise<void> {
    world.arm(this.nth, this.fault);
  }

  toString = () => `${this.fault} at command ${this.nth}`;
}

class TakeOver implements Step {
  check = () => true;
  run = (_: object, world: World) => world.takeOver();
  toString = () => 'take over';
}

class Wait implements Step {
  check = () => true;
  run = (_: object, world: World) => world.quiet();
  toString = () => 'wait';
}

const request = fc.record({ posting: postings, writer: fc.nat(3), again: fc.boolean() });
const send = fc.array(request, { minLength: 1, maxLength: 8 }).map((requests) => new Send(requests));
const arm = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.constantFrom(...FAULTS)).map(([nth, fault]) => new Arm(nth, fault));
const steps = [
  send,
  send,
  send,
  arm,
  arm,
  fc.nat(1_000).map((which) => new SendAgain(which)),
  fc.constant(new TakeOver()),
  fc.constant(new Wait()),
];

describe('the ledger against a simple model', () => {
  it(`writes one history, whatever fails wherever (MODEL_SEED=${seed})`, { timeout: long ? 3_600_000 : 120_000 }, async () => {
    const store = await service.openDatabase(service.newDatabase());
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(fc.commands(steps, { maxCommands: 60, size: 'max' }), async (commands) => {
        const world = new World(store);
        const model = { sent: [] as Posting[] };
        await world.takeOver();
        await fc.asyncModelRun(() => ({ model, real: world }), commands);
        await world.check();
        sent += model.sent.length;
      }),
      { numRuns: RUNS, seed, ...(path !== undefined && { path }) },
    );
    if (path === undefined) expect(sent).toBeGreaterThan(RUNS * 40);
  });
});

const texts = {
  rail: 'bank-transfer',
  product: '',
  transactionId: 't',
  referenceNumber: '',
  description: '',
  fromSuspense: false,
};
const plain = {
  merchantId: 'M',
  accountId: 'A',
  feeSen: 0n,
  vendorFeeSen: 0n,
  destinationAccountId: '',
  side: 'available',
  compensation: '',
  ...texts,
} as const;

/** Requests that come at once, then more that build on them; the order of those that come at once changes no refusal. */
const SCENARIO: readonly (readonly Posting[])[] = [
  [{ ...plain, key: 'credit', intent: 'credit', amountSen: 100n }],
  [
    { ...plain, key: 'pay-in', intent: 'credit', amountSen: 50n, feeSen: 3n, side: 'pending' },
    { ...plain, key: 'too-much', intent: 'hold', amountSen: 101n },
    { ...plain, key: 'hold', intent: 'hold', amountSen: 30n },
  ],
  [
    { ...plain, key: 'hold', intent: 'hold', amountSen: 30n },
    { ...plain, key: 'capture', intent: 'capture', amountSen: 30n },
    { ...plain, key: 'transfer', intent: 'transfer', amountSen: 70n, destinationAccountId: 'B' },
    { ...plain, key: 'settle', intent: 'settle', amountSen: 50n },
  ],
];

/** Every request is answered in the end, and the last answers are the same whatever happened. */
async function play(world: World): Promise<string[]> {
  const answers: string[] = [];
  for (const requests of SCENARIO) answers.push(...(await Promise.all(requests.map((posting) => world.insist(posting)))));
  await world.check();
  return answers;
}

describe('at every command to the database', () => {
  it.each(FAULTS.filter((fault) => fault !== 'slow'))(
    '%s changes no answer and loses nothing',
    { timeout: 120_000 },
    async (fault) => {
      const store = await service.openDatabase(service.newDatabase());
      const undisturbed = new World(store);
      const expected = (await play(undisturbed)).toSorted();
      for (let nth = 1; nth <= undisturbed.commands; nth++) {
        const world = new World(store);
        world.arm(nth, fault);
        const answers = await play(world);
        // Those that come at once come in any order, so the balances they leave may differ; refusals and the end may not.
        expect({ nth, refusals: answers.filter(isRefusal) }).toEqual({ nth, refusals: expected.filter(isRefusal) });
      }
    },
  );
});

const isRefusal = (answer: string) => !/^\d+$/.test(answer);
