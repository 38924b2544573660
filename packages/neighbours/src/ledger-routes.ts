import { RefusalError } from '@gerbang/core';
import { RoutingService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { RpcChannel } from '@gerbang/rpc';

/** A call without an answer for so long makes its route be looked up elsewhere: who is stopped refuses nothing. */
const SILENT_MS = 1_000;
const LOOK_EVERY_MS = 500;
const LOCATE_MS = 500;
/** How old the list of instances may be: one that has come meanwhile may be the only one left when it is needed. */
const REFRESH_MS = 3_000;

/** One attempt of a call, on its way. */
export type Attempt = { sinceMs: number; leave: () => void };

/** Where calls about one partition go, and those that are on their way. */
export type Route = { partition: string; address: string; attempts: Set<Attempt> };

/**
 * What a client knows of the ledger's instances and of who owns which partition. It is right or soon corrected: the instances
 * refuse what is not theirs.
 */
export class LedgerRoutes {
  readonly #seeds: readonly string[];
  readonly #channelTo: (address: string) => RpcChannel;
  readonly #routes = new Map<string, Route>();
  readonly #lookups = new Map<Route, Promise<void>>();
  readonly #watch: NodeJS.Timeout;
  /** As an instance has told them last. */
  #instances: readonly string[] = [];
  #toldMs = Number.NEGATIVE_INFINITY;

  /** `seeds`: at least one address to begin with. */
  constructor(seeds: readonly string[], channelTo: (address: string) => RpcChannel) {
    this.#seeds = seeds;
    this.#channelTo = channelTo;
    this.#watch = setInterval(() => {
      this.#leaveTheSilent();
      this.#refresh();
    }, LOOK_EVERY_MS);
    this.#watch.unref();
  }

  close(): void {
    clearInterval(this.#watch);
  }

  /**
   * The route of a partition ("" where a call is about none). A new one begins at a seed, which may be wrong, while the owner is
   * looked up.
   */
  of(partition: string): Route {
    const known = this.#routes.get(partition);
    if (known !== undefined) return known;
    const [address = ''] = this.#seeds;
    const route: Route = { partition, address, attempts: new Set() };
    this.#routes.set(partition, route);
    if (partition !== '') void this.lookUp(route);
    return route;
  }

  /** Asks one instance after the other, the one that the route leads to last. When none answers the route stays as it is. */
  lookUp(route: Route): Promise<void> {
    const running = this.#lookups.get(route);
    if (running !== undefined) return running;
    const looking = this.#lookUp(route).finally(() => this.#lookups.delete(route));
    this.#lookups.set(route, looking);
    return looking;
  }

  async #lookUp(route: Route): Promise<void> {
    const others = this.#others(route);
    if (route.partition === '') {
      route.address = others[0] ?? route.address;
      return;
    }
    for (const address of [...others, route.address]) {
      try {
        const routing = this.#channelTo(address).client(RoutingService);
        const found = await routing.locate({ partition: route.partition }, { timeoutMs: LOCATE_MS, retry: false });
        this.#instances = found.instanceAddresses;
        this.#toldMs = performance.now();
        route.address = found.address;
        return;
      } catch (error) {
        // An instance that does not answer is skipped; the caller learns the outcome from its own call.
        if (!(error instanceof RefusalError)) throw error;
      }
    }
  }

  #others({ address }: Route): string[] {
    return [...new Set([...this.#instances, ...this.#seeds])].filter((one) => one !== address);
  }

  #refresh(): void {
    if (performance.now() - this.#toldMs < REFRESH_MS) return;
    const route = [...this.#routes.values()].find(({ partition }) => partition !== '');
    if (route !== undefined) void this.lookUp(route);
  }

  #leaveTheSilent(): void {
    const sinceMs = performance.now() - SILENT_MS;
    for (const route of this.#routes.values()) {
      const [oldest] = route.attempts;
      if (oldest === undefined || oldest.sinceMs > sinceMs || this.#others(route).length === 0) continue;
      const silent = route.address;
      void this.lookUp(route).then(() => {
        if (route.address === silent) return;
        for (const attempt of route.attempts) attempt.leave();
      });
    }
  }
}
