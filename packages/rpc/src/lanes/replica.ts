import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import type { TlsFiles } from '../certificate-files.ts';
import type { ClientCall } from './client-call.ts';
import { ClientLane } from './client-lane.ts';
import type { LostLane } from './losses.ts';

const BACKOFF_FIRST_MS = 50;
const BACKOFF_MAX_MS = 500;

export type ReplicaEvents = {
  /** A lane is open, or has failed to open, or has gone. */
  changed(): void;
  /** Calls that certainly never left and may go elsewhere. */
  returned(calls: ClientCall[]): void;
  lost(lane: LostLane): void;
};

/**
 * One server process by its address. It has one lane, which is opened again with backoff for as long as the replica is wanted;
 * lanes that the server is leaving finish beside it.
 */
export class Replica {
  readonly address: string;
  /** Why the last attempt failed. */
  reason = 'not tried yet';
  readonly #options: { tls: TlsFiles | undefined; serverName: string | undefined };
  readonly #events: ReplicaEvents;
  readonly #leaving = new Set<ClientLane>();
  #lane: ClientLane | undefined;
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(address: string, options: { tls: TlsFiles | undefined; serverName: string | undefined }, events: ReplicaEvents) {
    this.address = address;
    this.#options = options;
    this.#events = events;
  }

  /** The lane that takes calls now. */
  get lane(): ClientLane | undefined {
    return this.#lane?.state === 'open' ? this.#lane : undefined;
  }

  get opening(): boolean {
    return this.#lane?.state === 'opening';
  }

  /** Whether it has been retired and nothing is under way there any more. */
  get isGone(): boolean {
    return this.#closed && this.#leaving.size === 0;
  }

  /** Starts to open a lane unless there is one, or the last attempt has only just failed. */
  open(): void {
    if (this.#closed || this.#lane !== undefined || this.#retry !== undefined) return;
    // A lane outlives the request that it was opened for; nothing of that request's trace belongs to it.
    context.with(ROOT_CONTEXT, () => {
      this.#lane = this.#openLane();
    });
  }

  #openLane(): ClientLane | undefined {
    try {
      return new ClientLane(this.address, this.#options, {
        opened: () => {
          this.#failures = 0;
          this.#events.changed();
        },
        leaving: (lane) => {
          this.#leaving.add(lane);
          this.#lane = undefined;
          this.#reopenLater('the server is going away');
        },
        closed: (lane, { loss, reason, unsent, failed }) => {
          const wasLeaving = this.#leaving.delete(lane);
          if (loss !== undefined) this.#lost({ loss, reason, failed, isNews: wasLeaving || this.#failures === 0 });
          if (!wasLeaving) {
            this.#lane = undefined;
            this.#reopenLater(reason);
          }
          if (unsent.length > 0) this.#events.returned(unsent);
        },
      });
    } catch (error) {
      // The certificate's files are read for each lane, so that renewed ones are used; just now they can't be.
      const reason = error instanceof Error ? error.message : String(error);
      this.#lost({ loss: 'not_opened', reason, failed: 0, isNews: this.#failures === 0 });
      this.#reopenLater(reason);
      return undefined;
    }
  }

  #lost(lane: Omit<LostLane, 'address'>): void {
    this.#events.lost({ address: this.address, ...lane });
  }

  check(nowMs: number, stalledMs: number): void {
    this.#lane?.check(nowMs, stalledMs);
    for (const lane of this.#leaving) lane.check(nowMs, stalledMs);
  }

  /** Is wanted no more: what is under way finishes. */
  retire(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    const lane = this.#lane;
    if (lane === undefined) return;
    this.#lane = undefined;
    this.#leaving.add(lane);
    lane.retire();
  }

  /** Closes now. */
  close(): void {
    this.retire();
    for (const lane of this.#leaving) lane.close();
  }

  #reopenLater(reason: string): void {
    this.reason = reason;
    if (!this.#closed) {
      const waitMs = Math.min(BACKOFF_FIRST_MS * 2 ** this.#failures, BACKOFF_MAX_MS) * (0.5 + Math.random());
      this.#failures++;
      this.#retry = setTimeout(() => {
        this.#retry = undefined;
        this.open();
      }, waitMs);
      this.#retry.unref();
    }
    this.#events.changed();
  }
}
