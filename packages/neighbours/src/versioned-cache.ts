import { type RefusalCode, RefusalError, refuse } from '@gerbang/core';

/** Entries kept at the most; the oldest go first. */
const ENTRIES_MAX = 50_000;

/**
 * Values by id with the version they had. An entry is believed for 5 s after the last poll that found it unchanged; after that it
 * is read again, so that access fails closed when the owner cannot be asked (architecture §3).
 */
export class VersionedCache<T extends { version: bigint }> {
  static readonly POLL_MS = 3_000;
  static readonly TRUST_MS = 5_000;

  readonly #load: (id: string) => Promise<T | undefined>;
  readonly #entries = new Map<string, { value: T; confirmedAtMs: number; storedAtMs: number }>();
  readonly #loading = new Map<string, Promise<T | undefined>>();

  constructor(load: (id: string) => Promise<T | undefined>) {
    this.#load = load;
  }

  /**
   * The cached value, or the owner's own; refuses with `missing` when the owner knows none. Concurrent readers share one
   * question.
   */
  async get(id: string, missing: RefusalCode): Promise<T> {
    const known = this.known(id);
    if (known !== undefined) return known;
    const value = await this.#loadOnce(id);
    if (value === undefined) throw new RefusalError(refuse(missing));
    return value;
  }

  /** The cached value, where it may be believed; for who would rather not wait when there is nothing to wait for. */
  known(id: string): T | undefined {
    const entry = this.#entries.get(id);
    return entry !== undefined && performance.now() - entry.confirmedAtMs < VersionedCache.TRUST_MS ? entry.value : undefined;
  }

  /** What is cached, for the next poll. */
  versions(): { id: string; version: bigint }[] {
    return [...this.#entries].map(([id, entry]) => ({ id, version: entry.value.version }));
  }

  /**
   * After a poll asked at `askedAtMs` (monotonic): forgets what changed; all that was there by then is believed anew, what came
   * later was not asked after.
   */
  confirm(changed: readonly string[], askedAtMs: number): void {
    for (const id of changed) this.#entries.delete(id);
    for (const entry of this.#entries.values()) {
      if (entry.storedAtMs <= askedAtMs) entry.confirmedAtMs = Math.max(entry.confirmedAtMs, askedAtMs);
    }
  }

  /** The version of what is cached of one id; undefined where nothing is. */
  versionOf(id: string): bigint | undefined {
    return this.#entries.get(id)?.value.version;
  }

  /**
   * Forgets one entry at once: who asks from now on gets what the owner says from now on, and not the answer to a question that
   * is under way.
   */
  forget(id: string): void {
    this.#entries.delete(id);
    this.#loading.delete(id);
  }

  #loadOnce(id: string): Promise<T | undefined> {
    const running = this.#loading.get(id);
    if (running !== undefined) return running;
    const askedAtMs = performance.now();
    const loading = this.#load(id)
      .then((value) => {
        if (this.#loading.get(id) !== loading) return value;
        this.#entries.delete(id);
        if (value !== undefined) this.#entries.set(id, { value, confirmedAtMs: askedAtMs, storedAtMs: performance.now() });
        if (this.#entries.size > ENTRIES_MAX) {
          const [oldest] = this.#entries.keys();
          if (oldest !== undefined) this.#entries.delete(oldest);
        }
        return value;
      })
      .finally(() => {
        if (this.#loading.get(id) === loading) this.#loading.delete(id);
      });
    this.#loading.set(id, loading);
    return loading;
  }
}
