import type { Logger } from './log-fields.ts';
import { within } from './within.ts';

/** Something that can be closed; closing finishes what is in flight. */
export type Closeable = { close(): Promise<void> };

/** Collects what a service has started and closes it in reverse order, each within a bound; one that fails stops no other. */
export class ClosingStack implements Closeable {
  readonly #steps: { name: string; close: () => Promise<void> | void }[] = [];
  readonly #log: Logger;
  readonly #stepTimeoutMs: number;

  constructor(log: Logger, stepTimeoutMs = 10_000) {
    this.#log = log;
    this.#stepTimeoutMs = stepTimeoutMs;
  }

  push(name: string, close: () => Promise<void> | void): void {
    this.#steps.push({ name, close });
  }

  async close(): Promise<void> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await within(this.#stepTimeoutMs, Promise.resolve(step.close()));
      } catch (error) {
        this.#log.error({ err: error, step: step.name }, 'could not close');
      }
    }
  }
}
