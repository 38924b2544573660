import { status } from '@grpc/grpc-js';
import type { TlsFiles } from '../certificate-files.ts';
import { type Failure, tooLarge } from '../refusal-status.ts';
import { type Lookup, parseAddress } from './address.ts';
import { type CallRequest, ClientCall } from './client-call.ts';
import { Deadlines } from './deadlines.ts';
import { MESSAGE_BYTES_MAX } from './frames.ts';
import type { CallRefusal, LostLane } from './losses.ts';
import { ReplicaSet } from './replica-set.ts';

/**
 * Calls open at once, and bytes of their requests; one more is refused at once, so that nothing queues without bound behind a
 * slow server.
 */
const IN_FLIGHT_MAX = 8_000;
const IN_FLIGHT_BYTES_MAX = 64 * 1024 * 1024;
/** Shorter than a service waits for one step of its closing. */
const CLOSE_MS = 9_000;

const TOO_MANY: Failure = { code: status.RESOURCE_EXHAUSTED, message: 'too many calls are under way', detail: undefined };

export type PoolEvents = {
  lost(lane: LostLane): void;
  refused(why: CallRefusal): void;
};

/** The calls to one service, over the lanes to all its replicas. */
export class LanePool {
  readonly #replicas: ReplicaSet;
  readonly #events: PoolEvents;
  readonly #calls = new Deadlines<ClientCall>((call) => this.#giveUp(call, status.DEADLINE_EXCEEDED, 'no answer in time'));
  /** Calls that came before any lane was open. */
  #waiting: ClientCall[] = [];
  #bytes = 0;
  #closed = false;
  #onIdle: (() => void) | undefined;

  /** `address` is `host:port`; `lookup` replaces the system's resolver in tests. */
  constructor(options: { address: string; tls: TlsFiles | undefined; lookup?: Lookup | undefined }, events: PoolEvents) {
    this.#events = events;
    this.#replicas = new ReplicaSet(
      { name: parseAddress(options.address), tls: options.tls, lookup: options.lookup },
      {
        changed: () => this.#routeAll(this.#waiting.splice(0)),
        returned: (calls) => this.#routeAll(calls),
        lost: events.lost,
      },
    );
  }

  get inFlight(): number {
    return this.#calls.size;
  }

  get openLanes(): number {
    return this.#replicas.openLanes;
  }

  /** Sends a call over the least busy lane; where none is open yet it waits for one, within its deadline. */
  start(request: CallRequest): ClientCall {
    const call = new ClientCall(request, this.#settled);
    const bytes = request.request.byteLength;
    this.#bytes += bytes;
    this.#calls.add(call);
    if (bytes > MESSAGE_BYTES_MAX) this.#refuse(call, 'too_large', tooLarge('the request is too large'));
    else if (this.#calls.size > IN_FLIGHT_MAX) this.#refuse(call, 'too_many', TOO_MANY);
    else if (this.#bytes > IN_FLIGHT_BYTES_MAX) this.#refuse(call, 'too_many_bytes', TOO_MANY);
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
    this.#routeAll(this.#waiting.splice(0));
    if (this.#calls.size > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onIdle = resolve;
      const force = setTimeout(resolve, CLOSE_MS);
      await promise;
      clearTimeout(force);
    }
    this.#replicas.close();
    this.#calls.close();
  }

  #route(call: ClientCall): void {
    if (this.#closed) {
      call.unavailable('the channel is closed');
      return;
    }
    const lane = this.#replicas.pick();
    if (lane !== undefined) lane.send(call);
    else if (this.#replicas.open()) this.#waiting.push(call);
    else {
      const message = `no replica can be reached: ${this.#replicas.whyNot()}`;
      this.#refuse(call, 'unreachable', { code: status.UNAVAILABLE, message, detail: undefined });
    }
  }

  #refuse(call: ClientCall, why: CallRefusal, failure: Failure): void {
    this.#events.refused(why);
    call.fail(failure);
  }

  #routeAll(calls: ClientCall[]): void {
    for (const call of calls) if (!call.settled) this.#route(call);
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
