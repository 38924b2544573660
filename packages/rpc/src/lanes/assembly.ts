import type { Frame } from '@gerbang/proto/gerbang/rpc/v1/lane';
import { MESSAGE_BYTES_MAX } from './frames.ts';

/** A payload that comes in several frames. */
export class Assembly {
  readonly first: Frame;
  readonly #parts: Uint8Array[];
  #bytes: number;

  constructor(first: Frame) {
    this.first = first;
    this.#parts = [first.payload];
    this.#bytes = first.payload.byteLength;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a part; false when the message is larger than allowed. */
  add(frame: Frame): boolean {
    this.#bytes += frame.payload.byteLength;
    if (this.#bytes > MESSAGE_BYTES_MAX) return false;
    this.#parts.push(frame.payload);
    return true;
  }

  payload(): Uint8Array {
    return Buffer.concat(this.#parts, this.#bytes);
  }
}
