import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { FrameKind, FrameSchema, OpenRequestSchema } from '@gerbang/proto/gerbang/rpc/v1/lane';
import { expect, test } from 'vitest';
import { decodeFrames, encodeFrames, type LaneFrame, newFrame } from '../src/lanes/frame-codec.ts';

/** Every field at the edges of what its encoding takes, and texts that are not ASCII. */
const frames: LaneFrame[] = [
  newFrame({}),
  newFrame({ kind: FrameKind.PING }),
  newFrame({
    kind: FrameKind.CALL,
    callId: 1,
    method: '/a.B/C',
    timeoutMs: 5_000,
    traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    authorization: `Bearer ${'c'.repeat(300)}`,
  }),
  ...[1, 0x7f, 0x80, 0x3fff, 0x4000, 0x1f_ffff, 0x20_0000, 0xfff_ffff, 0x1000_0000, 0xffff_ffff].map((callId) =>
    newFrame({ kind: FrameKind.ANSWER, callId, timeoutMs: callId, status: callId }),
  ),
  ...[1, 127, 128, 16_384].map((bytes) =>
    newFrame({ kind: FrameKind.CHUNK, callId: bytes, payload: Buffer.alloc(bytes, bytes % 251), more: true }),
  ),
  newFrame({ kind: FrameKind.FAILURE, callId: 7, status: 14, message: 'tidak tersedia: ñ €  🙂' }),
];

const plain = ({ kind, callId, payload, more, ...rest }: LaneFrame) => {
  const { method, timeoutMs, traceparent, status, message, authorization } = rest;
  const texts = { method, traceparent, message, authorization };
  return { kind, callId, payload: Buffer.from(payload).toString('hex'), more, timeoutMs, status, ...texts };
};

test('what is written by hand is read by the generated code, and the other way round', () => {
  const generated = toBinary(
    OpenRequestSchema,
    create(OpenRequestSchema, { frames: frames.map((frame) => create(FrameSchema, frame)) }),
  );
  expect(encodeFrames(frames).equals(generated)).toBe(true);
  expect(fromBinary(OpenRequestSchema, encodeFrames(frames)).frames.map(plain)).toEqual(frames.map(plain));
  expect(decodeFrames(Buffer.from(generated)).map(plain)).toEqual(frames.map(plain));
  expect(decodeFrames(Buffer.alloc(0))).toEqual([]);
});

test('fields of a later version are passed over, of every wire type', () => {
  const later = [
    Buffer.of(0x58, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01),
    Buffer.of(0x59, 1, 2, 3, 4, 5, 6, 7, 8),
    Buffer.of(0x5a, 3, 1, 2, 3),
    Buffer.of(0x5d, 1, 2, 3, 4),
  ];
  const inner = Buffer.concat([...later, Buffer.of(0x08, FrameKind.PONG)]);
  const message = Buffer.concat([...later, Buffer.of(0x0a, inner.length), inner]);
  expect(decodeFrames(message).map(plain)).toEqual([plain(newFrame({ kind: FrameKind.PONG }))]);
});

test.each([
  ['a number without an end', [0x0a, 0x02, 0x08, 0x80]],
  ['a frame longer than the message', [0x0a, 0x05, 0x08, 0x01]],
  ['a field that reaches out of its frame', [0x0a, 0x03, 0x1a, 0x04, 0x01, 0x0a, 0x00]],
  ['a text longer than the message', [0x0a, 0x02, 0x2a, 0x7f]],
  ['a wire type that there is none of', [0x0f]],
  ['a fixed field longer than the message', [0x51, 0x01]],
])('%s is refused', (_, bytes) => {
  expect(() => decodeFrames(Buffer.from(bytes))).toThrow();
  expect(() => fromBinary(OpenRequestSchema, Buffer.from(bytes))).toThrow();
});
