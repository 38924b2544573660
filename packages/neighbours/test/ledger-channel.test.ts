import { RefusalError, refuse } from '@gerbang/core';
import { LedgerService, type PostRequest, RoutingService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { type Handlers, implement, type RpcServer, startRpcServer } from '@gerbang/rpc';
import { eventually, freePort, testLog } from '@gerbang/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { openLedgerChannel } from '../src/index.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

const unused = async () => {
  throw new Error('not part of this test');
};

/** A ledger of which a test decides what its instances say. */
class Instance {
  readonly posts: PostRequest[] = [];
  readonly address: string;
  /** How a posting is answered. */
  post: (request: PostRequest, signal: AbortSignal) => Promise<object> = async () => ({ availableAfterSen: 1n });
  locate: () => Promise<{ address: string; instanceAddresses: string[] }> = unused;
  #server: RpcServer | undefined;

  constructor(port: number) {
    this.address = `127.0.0.1:${port}`;
  }

  async start(routing = true): Promise<void> {
    const ledger: Handlers<typeof LedgerService> = {
      post: (request, { signal }) => {
        this.posts.push(request);
        return this.post(request, signal);
      },
      getBalance: unused,
      verify: unused,
    };
    this.#server = await startRpcServer({
      host: '127.0.0.1',
      port: Number(this.address.split(':')[1]),
      tls: undefined,
      log: testLog(),
      implementations: [
        implement(LedgerService, ledger, []),
        ...(routing ? [implement(RoutingService, { locate: () => this.locate(), listPartitions: unused }, [])] : []),
      ],
      ready: () => true,
    });
    opened.push(this.#server);
  }

  async stop(): Promise<void> {
    await this.#server?.close();
  }
}

async function instances(count: number): Promise<Instance[]> {
  const all = [];
  for (let i = 0; i < count; i++) all.push(new Instance(await freePort()));
  for (const one of all) await one.start();
  return all;
}

function ledgerOf(seeds: readonly Instance[]) {
  const channel = openLedgerChannel({ addresses: seeds.map(({ address }) => address), tls: undefined });
  opened.push(channel);
  return channel.client(LedgerService);
}

const notOwner = (owner: string) => async () => {
  throw new RefusalError(refuse('not_owner', { owner }));
};
const request = { partition: 'p0', postingKey: 'k' };

describe('a call to the ledger', () => {
  test('follows the answer of who does not own the partition, and the next one goes straight to the owner', async () => {
    const [first, second] = await instances(2);
    if (first === undefined || second === undefined) throw new Error('two instances');
    first.post = notOwner(second.address);
    first.locate = unused;
    const ledger = ledgerOf([first]);
    expect(await ledger.post(request)).toMatchObject({ availableAfterSen: 1n });
    expect(await ledger.post({ ...request, postingKey: 'l' })).toMatchObject({ availableAfterSen: 1n });
    expect(first.posts.map(({ postingKey }) => postingKey)).toEqual(['k']);
    expect(second.posts.map(({ postingKey }) => postingKey)).toEqual(['k', 'l']);
  });

  test('keeps the ways of partitions apart', async () => {
    const [first, second] = await instances(2);
    if (first === undefined || second === undefined) throw new Error('two instances');
    const owner = { p0: first, p1: second };
    for (const one of [first, second]) {
      one.post = async ({ partition }) =>
        owner[partition === 'p0' ? 'p0' : 'p1'] === one ? {} : notOwner(owner[partition === 'p0' ? 'p0' : 'p1'].address)();
    }
    const ledger = ledgerOf([first]);
    for (let i = 0; i < 5; i++) await Promise.all([ledger.post(request), ledger.post({ ...request, partition: 'p1' })]);
    expect(first.posts.filter(({ partition }) => partition === 'p0')).toHaveLength(5);
    expect(first.posts.filter(({ partition }) => partition === 'p1')).toHaveLength(1);
    expect(second.posts).toHaveLength(5);
  });

  test('goes to whom another instance names when the owner is gone, with the same posting key', async () => {
    const [first, second] = await instances(2);
    if (first === undefined || second === undefined) throw new Error('two instances');
    first.locate = second.locate = async () => ({
      address: first.address,
      instanceAddresses: [first.address, second.address],
    });
    second.post = notOwner(first.address);
    const ledger = ledgerOf([first]);
    let learnt = 0;
    const told = first.locate;
    first.locate = () => {
      learnt++;
      return told();
    };
    await ledger.post(request);
    await eventually('it has learnt of the second', () => learnt > 0);
    await first.stop();
    let lookedUp = 0;
    // The lease of the first runs out only after a while.
    second.locate = async () => {
      const isOver = ++lookedUp > 3;
      if (isOver) second.post = async () => ({ availableAfterSen: 2n });
      return { address: isOver ? second.address : first.address, instanceAddresses: [second.address] };
    };
    expect(await ledger.post({ ...request, postingKey: 'l' })).toMatchObject({ availableAfterSen: 2n });
    expect(second.posts.at(-1)?.postingKey).toBe('l');
  });

  test('leaves an owner that has fallen silent once another instance owns the partition', async () => {
    const [first, second] = await instances(2);
    if (first === undefined || second === undefined) throw new Error('two instances');
    let cancelled = 0;
    first.post = (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          cancelled++;
          reject(new Error('aborted'));
        });
      });
    first.locate = second.locate = async () => ({
      address: second.posts.length === 0 && first.posts.length < 3 ? first.address : second.address,
      instanceAddresses: [first.address, second.address],
    });
    const ledger = ledgerOf([first, second]);
    const answers = await Promise.all([1, 2, 3].map((n) => ledger.post({ ...request, postingKey: `k${n}` })));
    expect(answers).toHaveLength(3);
    expect(second.posts.map(({ postingKey }) => postingKey).sort()).toEqual(['k1', 'k2', 'k3']);
    await eventually('the silent one is told', () => cancelled === 3);
  });

  test('stays with a slow owner', async () => {
    const [first, second] = await instances(2);
    if (first === undefined || second === undefined) throw new Error('two instances');
    const looked = Promise.withResolvers<object>();
    first.post = () => looked.promise;
    second.locate = async () => {
      looked.resolve({ availableAfterSen: 7n });
      return { address: first.address, instanceAddresses: [first.address, second.address] };
    };
    expect(await ledgerOf([first, second]).post(request)).toMatchObject({ availableAfterSen: 7n });
    expect(first.posts).toHaveLength(1);
    expect(second.posts).toHaveLength(0);
  });

  test('finds an instance that has come after it', async () => {
    const [first, second] = await instances(2);
    if (first === undefined || second === undefined) throw new Error('two instances');
    let refreshed = 0;
    first.locate = async () => {
      refreshed++;
      return { address: first.address, instanceAddresses: refreshed > 1 ? [first.address, second.address] : [first.address] };
    };
    second.locate = async () => ({ address: second.address, instanceAddresses: [second.address] });
    const ledger = ledgerOf([first]);
    await ledger.post(request);
    await eventually('it has been told of the second', () => refreshed > 1);
    await first.stop();
    expect(await ledger.post({ ...request, postingKey: 'l' })).toMatchObject({ availableAfterSen: 1n });
    expect(second.posts).toHaveLength(1);
  });

  test('waits for a ledger that starts late, and needs no routing of it', async () => {
    const only = new Instance(await freePort());
    const answer = ledgerOf([only]).post(request);
    await only.start(false);
    expect(await answer).toMatchObject({ availableAfterSen: 1n });
  });

  test('ends as unavailable, not as not_owner, when the partition stays on its way', async () => {
    const [first, second] = await instances(2);
    if (first === undefined || second === undefined) throw new Error('two instances');
    first.post = notOwner(second.address);
    second.post = notOwner(first.address);
    const call = ledgerOf([first]).post(request, { timeoutMs: 400 });
    await expect(call).rejects.toMatchObject({ refusal: { refused: expect.stringMatching(/^(unavailable|timeout)$/) } });
  });

  test.each(['insufficient_balance', 'posting_key_conflict', 'internal'] as const)(
    'brings the refusal %s at once',
    async (code) => {
      const [only] = await instances(1);
      if (only === undefined) throw new Error('one instance');
      only.post = async () => {
        throw new RefusalError(refuse(code));
      };
      await expect(ledgerOf([only]).post(request)).rejects.toMatchObject({ refusal: { refused: code } });
      expect(only.posts).toHaveLength(1);
    },
  );

  test('ends when its caller gives up', async () => {
    const [only] = await instances(1);
    if (only === undefined) throw new Error('one instance');
    const controller = new AbortController();
    only.post = (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
        controller.abort();
      });
    const call = ledgerOf([only]).post(request, { signal: controller.signal });
    await expect(call).rejects.toMatchObject({ refusal: { refused: 'timeout' } });
  });
});
