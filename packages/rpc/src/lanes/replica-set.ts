import { isIP } from 'node:net';
import type { TlsFiles } from '../certificate-files.ts';
import { type HostAndPort, type Lookup, resolveReplicas } from './address.ts';
import type { ClientLane } from './client-lane.ts';
import { Replica, type ReplicaEvents } from './replica.ts';

/** How often lanes are looked after. */
const CHECK_MS = 500;
/** The name is resolved again that often, and sooner after a failure. */
const RESOLVE_MS = 10_000;
const RESOLVE_AFTER_FAILURE_MS = 1_000;

/** The processes behind a name, as it resolves now, and the lanes to them. */
export class ReplicaSet {
  readonly #name: HostAndPort;
  readonly #options: { tls: TlsFiles | undefined; serverName: string | undefined };
  readonly #lookup: Lookup | undefined;
  readonly #events: ReplicaEvents;
  readonly #replicas = new Map<string, Replica>();
  /** Those that the name resolves to no more, until what is under way there has ended. */
  readonly #retired = new Set<Replica>();
  #turn = 0;
  #resolving = false;
  #resolveAtMs = 0;
  #reason = '';
  #checking: NodeJS.Timeout | undefined;
  #closed = false;

  /** `lookup` replaces the system's resolver in tests. */
  constructor(options: { name: HostAndPort; tls: TlsFiles | undefined; lookup: Lookup | undefined }, events: ReplicaEvents) {
    this.#name = options.name;
    // Certificates name the service and not its replicas, so this applies to every service that is called by a name.
    this.#options = { tls: options.tls, serverName: isIP(options.name.host) === 0 ? options.name.host : undefined };
    this.#lookup = options.lookup;
    this.#events = {
      changed: () => {
        this.#resolveSoon();
        events.changed();
      },
      returned: events.returned,
      lost: events.lost,
    };
  }

  get openLanes(): number {
    let lanes = 0;
    for (const { lane } of this.#replicas.values()) if (lane !== undefined) lanes++;
    return lanes;
  }

  /** The open lane with the least load; one that is silent only where there is no other. Equals take turns. */
  pick(): ClientLane | undefined {
    const nowMs = performance.now();
    let best: ClientLane | undefined;
    let bestLoad = Number.POSITIVE_INFINITY;
    let spoken = false;
    this.#turn++;
    let place = 0;
    for (const { lane } of this.#replicas.values()) {
      if (lane === undefined) continue;
      place++;
      const speaks = !lane.isSuspect(nowMs);
      const load = lane.load(nowMs);
      const fewer = load < bestLoad || (load === bestLoad && this.#turn % place === 0);
      if (speaks === spoken ? !fewer : spoken) continue;
      best = lane;
      bestLoad = load;
      spoken = speaks;
    }
    return best;
  }

  /** Starts what may bring a lane; false when nothing is under way that could, because all attempts have only just failed. */
  open(): boolean {
    if (this.#closed) return false;
    this.#checking ??= this.#startChecking();
    if (performance.now() >= this.#resolveAtMs) this.#resolve();
    for (const replica of this.#replicas.values()) replica.open();
    if (this.#resolving) return true;
    for (const { opening } of this.#replicas.values()) if (opening) return true;
    return false;
  }

  /** Why there is no lane, for logs. */
  whyNot(): string {
    const reasons = [...this.#replicas.values()].map(({ address, reason }) => `${address}: ${reason}`);
    return [this.#reason, ...reasons].filter((reason) => reason !== '').join('; ');
  }

  /** Closes all lanes now. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#checking);
    for (const replica of [...this.#replicas.values(), ...this.#retired]) replica.close();
  }

  #resolve(): void {
    if (this.#resolving) return;
    this.#resolveAtMs = performance.now() + RESOLVE_MS;
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
        this.#events.changed();
      },
      (error: unknown) => {
        this.#resolving = false;
        // What was known goes on being used.
        this.#reason = `${host} cannot be resolved: ${error instanceof Error ? error.message : String(error)}`;
        this.#events.changed();
      },
    );
  }

  /** A lane has come or gone: the name may mean others now. */
  #resolveSoon(): void {
    this.#resolveAtMs = Math.min(this.#resolveAtMs, performance.now() + RESOLVE_AFTER_FAILURE_MS);
  }

  #setReplicas(addresses: string[]): void {
    const wanted = new Set(addresses);
    for (const [address, replica] of this.#replicas) {
      if (wanted.has(address)) continue;
      this.#replicas.delete(address);
      this.#retired.add(replica);
      replica.retire();
    }
    for (const address of addresses) {
      if (this.#replicas.has(address)) continue;
      const replica = new Replica(address, this.#options, this.#events);
      this.#replicas.set(address, replica);
      replica.open();
    }
  }

  #startChecking(): NodeJS.Timeout {
    let checkedMs = performance.now();
    return setInterval(() => {
      const nowMs = performance.now();
      // Where this process itself stood still, what the servers sent meanwhile has not been read yet.
      const stalledMs = Math.max(0, nowMs - checkedMs - CHECK_MS);
      checkedMs = nowMs;
      if (nowMs >= this.#resolveAtMs) this.#resolve();
      for (const replica of this.#replicas.values()) replica.check(nowMs, stalledMs);
      for (const replica of this.#retired) {
        replica.check(nowMs, stalledMs);
        if (replica.isGone) this.#retired.delete(replica);
      }
    }, CHECK_MS).unref();
  }
}
