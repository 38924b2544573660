import { FrameKind, LaneService } from '@gerbang/proto/gerbang/rpc/v1/lane';
import { methodPath } from '../service-types.ts';
import { decodeFrames, encodeFrames, type LaneFrame, newFrame } from './frame-codec.ts';

/** A request or an answer is no larger, in bytes; one that is gets RESOURCE_EXHAUSTED, on lanes as in plain unary calls. */
export const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;
/** A larger payload leaves in parts of this size, between which those of other calls have their turn. */
export const CHUNK_BYTES = 16 * 1024;

/**
 * What may be under way unread on one connection: HTTP/2's own 64 KiB would bound a lane that carries all calls over a longer
 * way.
 */
export const FLOW_WINDOW_BYTES = 1024 * 1024;

/** How LaneService.Open travels; both sides use it. */
export const openMethod = {
  path: methodPath(LaneService.method.open),
  requestStream: true,
  responseStream: true,
  requestSerialize: encodeFrames,
  requestDeserialize: decodeFrames,
  responseSerialize: encodeFrames,
  responseDeserialize: decodeFrames,
} as const;

/** The same bytes under the type that grpc-js takes; nothing is copied. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const NOTHING = new Uint8Array(0);

/** A message on its way out, which leaves in one frame or, when it is large, in several. */
export class Outgoing {
  readonly #head: LaneFrame;
  readonly #payload: Uint8Array;
  readonly #deadlineMs: number | undefined;
  readonly #onSent: (() => void) | undefined;
  #sentBytes = 0;
  /** Whether any part of it has been given to the transport: from then on the other side may have it. */
  begun = false;
  /** What is not on its way yet stays here. */
  dropped = false;

  /**
   * `deadlineMs` (monotonic) makes the frame's timeout_ms when it leaves; `onSent` is called once the transport has taken all of
   * it.
   */
  constructor(
    head: Omit<Partial<LaneFrame>, 'payload' | 'more'>,
    payload: Uint8Array = NOTHING,
    more: { deadlineMs?: number; onSent?: () => void } = {},
  ) {
    this.#head = newFrame(head);
    this.#payload = payload;
    this.#deadlineMs = more.deadlineMs;
    this.#onSent = more.onSent;
  }

  get unsentBytes(): number {
    return this.#payload.byteLength - this.#sentBytes;
  }

  /** The next frame; `frame.more` says whether there is one after it. */
  nextFrame(): LaneFrame {
    const first = !this.begun;
    const end = Math.min(this.#sentBytes + CHUNK_BYTES, this.#payload.byteLength);
    const frame = first ? this.#head : newFrame({ kind: FrameKind.CHUNK, callId: this.#head.callId });
    frame.payload =
      this.#sentBytes === 0 && end === this.#payload.byteLength ? this.#payload : this.#payload.subarray(this.#sentBytes, end);
    frame.more = end < this.#payload.byteLength;
    if (first && this.#deadlineMs !== undefined) frame.timeoutMs = timeLeft(this.#deadlineMs);
    this.#sentBytes = end;
    this.begun = true;
    return frame;
  }

  sent(): void {
    this.#onSent?.();
  }
}

/** Whole milliseconds until then, as the frame's uint32 takes them. */
function timeLeft(deadlineMs: number): number {
  return Math.min(Math.max(1, Math.ceil(deadlineMs - performance.now())), 0xffff_ffff);
}
