import { setTimeout as sleep } from 'node:timers/promises';
import type { DescMethod, DescService, Message } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { type Refusal, RefusalError, refuse } from '@gerbang/core';
import { type CallOptions, openChannel, type RpcChannel, type RpcClient, type TlsFiles } from '@gerbang/rpc';
import type { Logger, Registry } from '@gerbang/runtime';
import { LedgerRoutes, type Route } from './ledger-routes.ts';

/** A takeover takes the owner's lease (3 s unless configured) and the loading of the partition. */
const TIMEOUT_MS = 8_000;
const RETRY_FIRST_MS = 25;
const RETRY_MAX_MS = 400;

/** The answer of an attempt that was given up because its partition is elsewhere now. */
const LEFT = Symbol('left');

/**
 * Opens the way to the ledger, whose partitions are spread over several instances and move (architecture §4). Clients of its
 * services are used as those of any other: a call goes to the owner of the `partition` that its request names, follows the answer
 * of who is not, and is tried again, within its deadline (8 s unless told) and with the same posting key, while a partition is
 * being taken over, also when its owner just falls silent. `addresses`: host:port of one instance or more to begin with; the
 * others are learnt from them.
 */
export function openLedgerChannel(options: {
  addresses: readonly string[];
  tls: TlsFiles | undefined;
  timeoutMs?: number;
  metrics?: Registry;
  log?: Logger;
}): RpcChannel {
  const channels = new Map<string, RpcChannel>();
  const channelTo = (address: string): RpcChannel => {
    const opened = channels.get(address) ?? openChannel({ ...options, address });
    channels.set(address, opened);
    return opened;
  };
  const routes = new LedgerRoutes(options.addresses, channelTo);
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  return {
    client<S extends DescService>(desc: S, authorized?: Authorized): RpcClient<S> {
      const methods = desc.methods.map((method) => {
        const send: Send = (address, request, call) => {
          const client = channelTo(address).client<DescService>(desc, authorized);
          return callOf(client, desc, method)(request, call);
        };
        return [
          method.localName,
          (request: Record<string, unknown>, call: CallOptions = {}) =>
            followingOwner(routes, method, request, { ...call, timeoutMs: call.timeoutMs ?? timeoutMs }, send),
        ];
      });
      return Object.fromEntries(methods) as RpcClient<S>;
    },
    async close() {
      routes.close();
      await Promise.all([...channels.values()].map((channel) => channel.close()));
    },
  };
}

type Send = (address: string, request: Record<string, unknown>, options: CallOptions) => Promise<Message>;

/** What a client is opened with where each call is authorized. */
type Authorized = Parameters<RpcChannel['client']>[1];

function callOf(client: RpcClient<DescService>, desc: DescService, method: DescMethod) {
  const call = client[method.localName];
  if (call === undefined) throw new Error(`${desc.typeName} has no ${method.name}`);
  return call;
}

/**
 * Tries until there is an answer or a refusal of the ledger itself; after a transport error it looks where the partition is now.
 */
async function followingOwner(
  routes: LedgerRoutes,
  method: DescMethod,
  request: Record<string, unknown>,
  options: CallOptions & { timeoutMs: number },
  send: Send,
): Promise<Message> {
  const deadlineMs = performance.now() + options.timeoutMs;
  const again = options.retry !== false && method.idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
  const route = routes.of(partitionOf(request));
  let followed = false;
  for (let waitMs = RETRY_FIRST_MS; ; ) {
    const { address } = route;
    try {
      const answer = await attempt(route, again, deadlineMs, options.signal, (rest) => send(address, request, rest));
      if (answer !== LEFT) return answer;
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      const { refusal } = error;
      if (refusal.refused === 'not_owner') route.address = refusal.owner ?? address;
      else if (refusal.refused !== 'unavailable' || !again) throw error;
      else await routes.lookUp(route);
      // The first hint is followed at once; when that was not right either, the partition is on its way.
      if (route.address !== address && !followed) {
        followed = true;
        continue;
      }
      const pauseMs = waitMs * (0.5 + Math.random());
      if (performance.now() + pauseMs >= deadlineMs) throw new RefusalError(forCallers(refusal), error);
      await pause(pauseMs, options.signal, error);
      followed = false;
      waitMs = Math.min(waitMs * 2, RETRY_MAX_MS);
    }
  }
}

/** One call to where the route leads now; LEFT when the route has led elsewhere since, and the call is given up. */
async function attempt(
  route: Route,
  mayLeave: boolean,
  deadlineMs: number,
  signal: AbortSignal | undefined,
  send: (options: CallOptions) => Promise<Message>,
): Promise<Message | typeof LEFT> {
  const sinceMs = performance.now();
  const timeoutMs = Math.max(1, deadlineMs - sinceMs);
  if (!mayLeave) return send({ timeoutMs, retry: false, ...(signal !== undefined && { signal }) });
  const left = new AbortController();
  const one = { sinceMs, leave: () => left.abort() };
  route.attempts.add(one);
  try {
    return await send({
      timeoutMs,
      signal: signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]),
      retry: false,
    });
  } catch (error) {
    if (left.signal.aborted && signal?.aborted !== true && performance.now() < deadlineMs) return LEFT;
    throw error;
  } finally {
    route.attempts.delete(one);
  }
}

async function pause(ms: number, signal: AbortSignal | undefined, cause: unknown): Promise<void> {
  await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {
    throw new RefusalError(refuse('timeout'), cause);
  });
}

/** Who owns a partition is between the ledger and its clients. */
function forCallers(refusal: Refusal): Refusal {
  return refusal.refused === 'not_owner' ? refuse('unavailable', { retryAfterMs: 1_000 }) : refusal;
}

/** Empty where the request is about none. */
function partitionOf({ partition }: Record<string, unknown>): string {
  return typeof partition === 'string' ? partition : '';
}
