import type { LaneFrame } from './frame-codec.ts';
import { MESSAGE_BYTES_MAX } from './frames.ts';

/** A payload that comes in several frames. */
export class Assembly {
  readonly first: LaneFrame;
  readonly #parts: Uint8Array[];
  #bytes: number;

  constructor(first: LaneFrame) {
    this.first = first;
    this.#parts = [first.payload];
    this.#bytes = first.payload.byteLength;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a part; false when the message is larger than allowed. */
  add(frame: LaneFrame): boolean {
    this.#bytes += frame.payload.byteLength;
    if (this.#bytes > MESSAGE_BYTES_MAX) return false;
    this.#parts.push(frame.payload);
    return true;
  }

  payload(): Uint8Array {
    return Buffer.concat(this.#parts, this.#bytes);
  }
}
