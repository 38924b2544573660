import type { LaneFrame } from './frame-codec.ts';
import type { Outgoing } from './frames.ts';

/** Payload bytes in one batch: small enough that what comes next does not wait long behind it. */
const BATCH_BYTES = 64 * 1024;
const BATCH_FRAMES = 512;
/** Payload bytes that the transport holds; more is given to it when it has written some. */
const WINDOW_BYTES = 256 * 1024;
/** Counted for every frame in addition to its payload, so that many small ones fill a batch too. */
const FRAME_BYTES = 64;

/** So many leave at once and do not wait for the end of the turn: the other side has something to do while this one goes on. */
const EAGER_FRAMES = 16;

type Write = (frames: LaneFrame[], written: () => void) => void;

/**
 * What waits to leave over a lane. Everything that is pushed in one turn of the event loop leaves together at the end of it, or
 * sooner where that is enough for a batch, without a timer; large messages take turns chunk by chunk with all others.
 */
export class Outbox {
  readonly #write: Write;
  #queue: Outgoing[] = [];
  #head = 0;
  #unwrittenBytes = 0;
  #scheduled = false;
  #eager = false;
  #closed = false;
  #onEmpty: (() => void) | undefined;

  constructor(write: Write) {
    this.#write = write;
  }

  /** Messages that have not all been given to the transport. */
  get waiting(): number {
    return this.#queue.length - this.#head;
  }

  push(message: Outgoing): void {
    if (this.#closed) return;
    this.#queue.push(message);
    if (this.#eager || this.waiting < EAGER_FRAMES || this.#unwrittenBytes >= WINDOW_BYTES) this.#schedule();
    else {
      this.#eager = true;
      process.nextTick(this.#flush);
    }
  }

  /** Calls back, once, when all that was pushed has been given to the transport. */
  whenEmpty(callback: () => void): void {
    this.#onEmpty = callback;
    this.#schedule();
  }

  /** Sends nothing any more. */
  close(): void {
    this.#closed = true;
    this.#queue = [];
    this.#head = 0;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#flushAtEnd);
  }

  readonly #flushAtEnd = (): void => {
    this.#scheduled = false;
    this.#flush();
  };

  readonly #flush = (): void => {
    this.#eager = false;
    while (!this.#closed && this.#head < this.#queue.length && this.#unwrittenBytes < WINDOW_BYTES) this.#writeBatch();
    if (this.#closed || this.#head < this.#queue.length) return;
    const onEmpty = this.#onEmpty;
    this.#onEmpty = undefined;
    onEmpty?.();
  };

  #writeBatch(): void {
    const frames: LaneFrame[] = [];
    const finished: Outgoing[] = [];
    let bytes = 0;
    while (bytes < BATCH_BYTES && frames.length < BATCH_FRAMES) {
      const message = this.#shift();
      if (message === undefined) break;
      if (message.dropped) continue;
      const frame = message.nextFrame();
      frames.push(frame);
      bytes += frame.payload.byteLength + FRAME_BYTES;
      if (frame.more) this.#queue.push(message);
      else finished.push(message);
    }
    if (frames.length === 0) return;
    this.#unwrittenBytes += bytes;
    this.#write(frames, () => {
      this.#unwrittenBytes -= bytes;
      for (const message of finished) message.sent();
      if (this.#head < this.#queue.length) this.#schedule();
    });
  }

  #shift(): Outgoing | undefined {
    const message = this.#queue[this.#head];
    if (message === undefined) return undefined;
    this.#head++;
    if (this.#head === this.#queue.length) {
      this.#queue = [];
      this.#head = 0;
    } else if (this.#head >= 1_024) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return message;
  }
}
