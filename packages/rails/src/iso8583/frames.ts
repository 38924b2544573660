/** What an acquirer's messages stay far below; a longer one is a stream that has lost its place. */
export const FRAME_BYTES_MAX = 4_096;

const HEADER_BYTES = 2;

/** A stream that is not made of frames: it can't be read any further. */
export class BrokenStreamError extends Error {
  override name = 'BrokenStreamError';
}

/** A message with its length in front: two bytes, big-endian, the length without themselves. */
export function toFrame(message: Uint8Array): Buffer {
  if (message.length > FRAME_BYTES_MAX) throw new Error(`a message of ${message.length} bytes is longer than ${FRAME_BYTES_MAX}`);
  const frame = Buffer.allocUnsafe(HEADER_BYTES + message.length);
  frame.writeUInt16BE(message.length, 0);
  frame.set(message, HEADER_BYTES);
  return frame;
}

/** Cuts a stream of bytes into messages. It holds no more than one frame and the chunk that was read with it. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  /** The messages that are complete now, without their lengths. Throws BrokenStreamError where a length can't be one. */
  read(chunk: Buffer): Buffer[] {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const messages: Buffer[] = [];
    while (bytes.length >= HEADER_BYTES) {
      const length = bytes.readUInt16BE(0);
      if (length === 0 || length > FRAME_BYTES_MAX) throw new BrokenStreamError(`a frame says it has ${length} bytes`);
      if (bytes.length < HEADER_BYTES + length) break;
      messages.push(bytes.subarray(HEADER_BYTES, HEADER_BYTES + length));
      bytes = bytes.subarray(HEADER_BYTES + length);
    }
    this.#rest = bytes;
    return messages;
  }
}
