import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLedgerChannel, verifyLedger } from '@gerbang/neighbours';
import { Intent, LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { RpcChannel } from '@gerbang/rpc';
import { eventually, startTestMongo, type TestMongo } from '@gerbang/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type LedgerProcess, startLedgerProcess } from '../support/ledger-process.ts';
import { type OperatorGate, startOperatorGate } from '../support/operator-gate.ts';

/** Long form: GERBANG_CHAOS=long, many rounds; the short form runs in `npm test`. */
const long = process.env.GERBANG_CHAOS === 'long';
const ROUNDS = long ? 25 : 1;
const LEASE_MS = 1_000;
const STOPPED_MS = 2_500;
const PARTITIONS = ['p0', 'p1'];
const CALLERS = 32;
const FUNDED_SEN = 10n ** 12n;

/** Merchants whose every hold must be answered: each takes one sen, so no two answers of an account are the same. */
class Load {
  readonly answers = new Map<string, { key: string; sen: bigint }[]>();
  readonly #channel: RpcChannel;
  readonly #work: Promise<unknown>[] = [];
  #finished = false;

  constructor(channel: RpcChannel) {
    this.#channel = channel;
  }

  get answered(): number {
    return [...this.answers.values()].reduce((sum, { length }) => sum + length, 0);
  }

  async start(): Promise<void> {
    for (const partition of PARTITIONS) await post(this.#channel, partition, 'fund', Intent.CREDIT, FUNDED_SEN);
    for (const partition of PARTITIONS) this.answers.set(partition, []);
    for (let caller = 0; caller < CALLERS; caller++) {
      const partition = PARTITIONS[caller % PARTITIONS.length] ?? '';
      this.#work.push(this.#call(partition, caller));
    }
  }

  /** Throws what any call was refused with. */
  async end(): Promise<void> {
    this.#finished = true;
    await Promise.all(this.#work);
  }

  async #call(partition: string, caller: number): Promise<void> {
    const answers = this.answers.get(partition);
    const ledger = this.#channel.client(LedgerService);
    for (let i = 0; !this.#finished; i++) {
      const key = `${partition}-${caller}-${i}`;
      const sen = await post(this.#channel, partition, key, Intent.HOLD, 1n);
      answers?.push({ key, sen });
      // What a merchant has been told is there at once, whoever is asked.
      const { availableSen } = await ledger.getBalance({ merchantId: 'M', partition, accountId: 'A' });
      expect(availableSen).toBeLessThanOrEqual(sen);
    }
  }
}

async function post(
  channel: RpcChannel,
  partition: string,
  postingKey: string,
  intent: Intent,
  amountSen: bigint,
): Promise<bigint> {
  const { availableAfterSen } = await channel.client(LedgerService).post({
    merchantId: 'M',
    accountId: 'A',
    partition,
    postingKey,
    intent,
    amountSen,
    rail: 'bank-transfer',
    product: 'disbursement',
    transactionId: postingKey,
  });
  return availableAfterSen;
}

describe('two instances of the ledger under load', () => {
  let mongo: TestMongo;
  let gate: OperatorGate;
  let instances: LedgerProcess[] = [];
  let channel: RpcChannel;
  let start: (instance: string, port?: number) => Promise<LedgerProcess>;

  beforeAll(async () => {
    [mongo, gate] = await Promise.all([startTestMongo(), startOperatorGate()]);
  });
  afterAll(async () => {
    await gate?.close();
    await mongo?.stop();
  });
  beforeEach(async () => {
    const databasePrefix = `${mongo.databasePrefix}${randomBytes(4).toString('hex')}_`;
    start = (instance, port) =>
      startLedgerProcess({
        instance,
        mongoUri: mongo.uri,
        databasePrefix,
        leaseMs: LEASE_MS,
        merchantRpc: gate.address,
        ...(port !== undefined && { port }),
      });
    instances = [await start('first'), await start('second')];
    channel = openLedgerChannel({ addresses: instances.map(({ address }) => address), tls: undefined, timeoutMs: 15_000 });
  });
  afterEach(async () => {
    await channel?.close();
    await Promise.all(instances.map((one) => one.end('SIGKILL')));
  });

  /** The owner of a partition among those that run. */
  const ownerOf = async (partition: string): Promise<LedgerProcess | undefined> => {
    const { partitions } = await gate.clientsOf(channel).routing.listPartitions({});
    return instances.find(({ instance }) => instance === partitions.find(({ name }) => name === partition)?.owner);
  };

  /** Every answer was given once and is given again; the sums are those of the answers; nothing differs from the journal. */
  const expectNothingLostOrDoubled = async (load: Load) => {
    for (const [partition, answers] of load.answers) {
      expect(new Set(answers.map(({ sen }) => sen)).size).toBe(answers.length);
      const balance = await channel.client(LedgerService).getBalance({ merchantId: 'M', partition, accountId: 'A' });
      expect(balance).toMatchObject({ availableSen: FUNDED_SEN - BigInt(answers.length), heldSen: BigInt(answers.length) });
      for (const { key, sen } of answers.slice(-200)) expect(await post(channel, partition, key, Intent.HOLD, 1n)).toBe(sen);
    }
    const differences: string[] = [];
    const { postings, sumSen } = await verifyLedger(gate.clientsOf(channel), { difference: (line) => differences.push(line) });
    expect({ differences, sumSen }).toEqual({ differences: [], sumSen: 0n });
    expect(postings).toBe(BigInt(load.answered + PARTITIONS.length));
  };

  test(
    'one stopped for longer than its lease and continued: nothing posted twice, nothing lost, no merchant refused',
    async () => {
      const load = new Load(channel);
      await load.start();
      for (let round = 0; round < ROUNDS; round++) {
        const before = load.answered;
        await eventually('the load runs', () => load.answered >= before + 200, 30_000);
        const owner = await eventually('somebody owns it', () => ownerOf(PARTITIONS[round % PARTITIONS.length] ?? ''));
        owner.signal('SIGSTOP');
        await sleep(STOPPED_MS);
        const whileStopped = load.answered;
        await eventually('the other one answers', () => load.answered >= whileStopped + 200, 30_000);
        owner.signal('SIGCONT');
        const continued = load.answered;
        await eventually('the load runs on', () => load.answered >= continued + 200, 30_000);
      }
      await load.end();
      await expectNothingLostOrDoubled(load);
    },
    60_000 + ROUNDS * 30_000,
  );

  test(
    'one killed: the other one takes over, and no merchant is refused',
    async () => {
      const load = new Load(channel);
      await load.start();
      for (let round = 0; round < ROUNDS; round++) {
        const before = load.answered;
        await eventually('the load runs', () => load.answered >= before + 200, 30_000);
        const owner = await eventually('somebody owns it', () => ownerOf(PARTITIONS[round % PARTITIONS.length] ?? ''));
        await owner.end('SIGKILL');
        const killed = load.answered;
        await eventually('the other one answers', () => load.answered >= killed + 200, 30_000);
        if (round + 1 < ROUNDS)
          instances = [...instances.filter((one) => one !== owner), await start(owner.instance, owner.port)];
      }
      await load.end();
      await expectNothingLostOrDoubled(load);
    },
    60_000 + ROUNDS * 30_000,
  );
});
