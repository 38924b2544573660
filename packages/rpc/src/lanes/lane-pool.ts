import { isIP } from 'node:net';
import { status } from '@grpc/grpc-js';
import type { TlsFiles } from '../tls.ts';
import { type HostAndPort, type Lookup, parseAddress, resolveReplicas } from './address.ts';
import { type CallRequest, ClientCall } from './client-call.ts';
import type { ClientLane } from './client-lane.ts';
import { Deadlines } from './deadlines.ts';
import { MESSAGE_BYTES_MAX } from './frames.ts';
import { Replica } from './replica.ts';

/** Calls open at once, and bytes of their requests; one more is refused at once, so that nothing queues without bound behind a slow server. */
const IN_FLIGHT_MAX = 8_000;
const IN_FLIGHT_BYTES_MAX = 64 * 1024 * 1024;
/** How often lanes are looked after. */
const CHECK_MS = 500;
/** The name is resolved again that often, and sooner after a failure. */
const RESOLVE_MS = 10_000;
const RESOLVE_AFTER_FAILURE_MS = 1_000;
/** A replica that only callers have named is let go when none has for so long. */
const UNUSED_MS = 60_000;
const CLOSE_MS = 10_000;

/** All lanes to one service: one for each replica that its name resolves to. */
export class LanePool {
  readonly #name: HostAndPort;
  readonly #tls: TlsFiles | undefined;
  readonly #lookup: Lookup | undefined;
  readonly #replicas = new Map<string, Replica>();
  readonly #calls = new Deadlines<ClientCall>((call) => this.#expire(call));
  #waiting: ClientCall[] = [];
  #bytes = 0;
  #turn = 0;
  #resolving = false;
  #resolvedMs = Number.NEGATIVE_INFINITY;
  #reason = '';
  #checking: NodeJS.Timeout | undefined;
  #checkedMs = 0;
  #closed = false;
  #onIdle: (() => void) | undefined;

  /** `address` is `host:port`; `lookup` replaces the system's resolver in tests. */
  constructor(options: { address: string; tls: TlsFiles | undefined; lookup?: Lookup | undefined }) {
    this.#name = parseAddress(options.address);
    this.#tls = options.tls;
    this.#lookup = options.lookup;
  }

  /** Sends a call over the least busy lane, or over that of the replica it names. */
  start(request: CallRequest): ClientCall {
    const call = new ClientCall(request, this.#settled);
    const bytes = request.request.byteLength;
    const refuse = (message: string) => call.fail({ code: status.RESOURCE_EXHAUSTED, message, detail: undefined });
    this.#bytes += bytes;
    this.#calls.add(call);
    if (bytes > MESSAGE_BYTES_MAX) refuse('the request is too large');
    else if (this.#calls.size > IN_FLIGHT_MAX || this.#bytes > IN_FLIGHT_BYTES_MAX) refuse('too many calls are under way');
    else this.#route(call);
    return call;
  }

  /** The caller waits no longer. */
  cancel(call: ClientCall): void {
    this.#giveUp(call, status.CANCELLED, 'the caller has given up');
  }

  /** Refuses new calls, waits for those under way, and closes the lanes. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const call of this.#waiting.splice(0)) call.unavailable('the channel is closed');
    if (this.#calls.size > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onIdle = resolve;
      const force = setTimeout(resolve, CLOSE_MS);
      await promise;
      clearTimeout(force);
    }
    clearInterval(this.#checking);
    for (const replica of this.#replicas.values()) replica.close();
    this.#calls.close();
  }

  #route(call: ClientCall): void {
    if (this.#closed) {
      call.unavailable('the channel is closed');
      return;
    }
    this.#checking ??= this.#startChecking();
    if (call.address === undefined) this.#routeToAny(call);
    else this.#routeTo(this.#replica(call.address, false), call);
  }

  #routeToAny(call: ClientCall): void {
    const lane = this.#pick();
    if (lane !== undefined) {
      lane.send(call);
      return;
    }
    this.#resolve();
    for (const replica of this.#replicas.values()) if (replica.resolved) replica.open();
    if (this.#mayOpen()) this.#waiting.push(call);
    else call.unavailable(this.#whyNot());
  }

  #routeTo(replica: Replica, call: ClientCall): void {
    replica.usedMs = performance.now();
    replica.open();
    if (replica.lane !== undefined) replica.lane.send(call);
    else if (replica.opening) this.#waiting.push(call);
    else call.unavailable(`${replica.address} cannot be reached: ${replica.reason}`);
  }

  /** The open lane with the fewest calls; one that is silent only where there is no other. Equals take turns. */
  #pick(): ClientLane | undefined {
    const nowMs = performance.now();
    const lanes: ClientLane[] = [];
    for (const { resolved, lane } of this.#replicas.values()) if (resolved && lane !== undefined) lanes.push(lane);
    if (lanes.length <= 1) return lanes[0];
    this.#turn = (this.#turn + 1) % lanes.length;
    let best: ClientLane | undefined;
    let bestCost = Number.POSITIVE_INFINITY;
    for (let i = 0; i < lanes.length; i++) {
      const lane = lanes[(i + this.#turn) % lanes.length];
      if (lane === undefined) continue;
      const cost = lane.inFlight + (lane.isSuspect(nowMs) ? IN_FLIGHT_MAX : 0);
      if (cost >= bestCost) continue;
      best = lane;
      bestCost = cost;
    }
    return best;
  }

  #replica(address: string, resolved: boolean): Replica {
    const known = this.#replicas.get(address);
    if (known !== undefined) {
      if (resolved) known.resolved = true;
      return known;
    }
    // Certificates name the service and not its replicas, wherever the service is called by a name.
    const serverName = isIP(this.#name.host) === 0 ? this.#name.host : undefined;
    const replica = new Replica(
      address,
      { tls: this.#tls, serverName, resolved },
      {
        changed: (changed) => {
          if (changed.lane === undefined)
            this.#resolvedMs = Math.min(this.#resolvedMs, performance.now() - RESOLVE_MS + RESOLVE_AFTER_FAILURE_MS);
          this.#serveWaiting();
        },
        returned: (calls) => {
          for (const call of calls) if (!call.settled) this.#route(call);
        },
      },
    );
    this.#replicas.set(address, replica);
    return replica;
  }

  #serveWaiting(): void {
    for (const call of this.#waiting.splice(0)) if (!call.settled) this.#route(call);
  }

  /** Whether a call may still find a lane without another attempt. */
  #mayOpen(): boolean {
    if (this.#resolving) return true;
    for (const { resolved, opening } of this.#replicas.values()) if (resolved && opening) return true;
    return false;
  }

  #whyNot(): string {
    const reasons = [...this.#replicas.values()]
      .filter(({ resolved }) => resolved)
      .map(({ address, reason }) => `${address}: ${reason}`);
    return `no replica can be reached: ${[this.#reason, ...reasons].filter((reason) => reason !== '').join('; ')}`;
  }

  #resolve(): void {
    const nowMs = performance.now();
    if (this.#resolving || nowMs - this.#resolvedMs < RESOLVE_MS) return;
    this.#resolvedMs = nowMs;
    const { host, port } = this.#name;
    if (isIP(host) !== 0) {
      this.#setReplicas([isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`]);
      return;
    }
    this.#resolving = true;
    resolveReplicas(this.#name, this.#lookup).then(
      (addresses) => {
        this.#resolving = false;
        this.#reason = '';
        if (!this.#closed) this.#setReplicas(addresses);
        this.#serveWaiting();
      },
      (error: unknown) => {
        this.#resolving = false;
        this.#resolvedMs = performance.now() - RESOLVE_MS + RESOLVE_AFTER_FAILURE_MS;
        // What was known goes on being used.
        this.#reason = `${host} cannot be resolved: ${error instanceof Error ? error.message : String(error)}`;
        this.#serveWaiting();
      },
    );
  }

  #setReplicas(addresses: string[]): void {
    const wanted = new Set(addresses);
    for (const [address, replica] of this.#replicas) {
      if (wanted.has(address) || !replica.resolved) continue;
      this.#replicas.delete(address);
      replica.retire();
    }
    for (const address of addresses) this.#replica(address, true).open();
  }

  #startChecking(): NodeJS.Timeout {
    this.#checkedMs = performance.now();
    return setInterval(() => {
      const nowMs = performance.now();
      // Where this process itself stood still, what the servers sent meanwhile has not been read yet.
      const stalledMs = Math.max(0, nowMs - this.#checkedMs - CHECK_MS);
      this.#checkedMs = nowMs;
      this.#resolve();
      for (const [address, replica] of this.#replicas) {
        replica.check(nowMs, stalledMs);
        if (replica.resolved || nowMs - replica.usedMs < UNUSED_MS) continue;
        this.#replicas.delete(address);
        replica.retire();
      }
    }, CHECK_MS).unref();
  }

  #expire(call: ClientCall): void {
    this.#giveUp(call, status.DEADLINE_EXCEEDED, 'no answer in time');
  }

  #giveUp(call: ClientCall, code: status, message: string): void {
    if (call.settled) return;
    call.lane?.abandon(call);
    call.fail({ code, message, detail: undefined });
  }

  readonly #settled = (call: ClientCall): void => {
    this.#calls.delete(call);
    this.#bytes -= call.request.byteLength;
    if (this.#calls.size === 0) this.#onIdle?.();
  };
}
