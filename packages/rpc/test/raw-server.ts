import { FrameKind } from '@gerbang/proto/gerbang/rpc/v1/lane';
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { type LaneFrame, newFrame } from '../src/lanes/frame-codec.ts';
import { openMethod } from '../src/lanes/frames.ts';

export type RawServerLane = ServerDuplexStream<LaneFrame[], LaneFrame[]>;

/**
 * A server of another version, or one that does not keep to the rules: answers each call with what the test says, or leaves it
 * open.
 */
export async function serveRawLanes(
  answer: (call: LaneFrame, lane: RawServerLane) => Partial<LaneFrame> | undefined,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = new Server();
  const open = (lane: RawServerLane) => {
    lane.write([newFrame({ kind: FrameKind.WELCOME })]);
    // A client that goes away breaks it.
    lane.on('error', () => {});
    lane.on('end', () => lane.end());
    lane.on('data', (frames: LaneFrame[]) => {
      for (const frame of frames) {
        if (frame.kind !== FrameKind.CALL) continue;
        const answered = answer(frame, lane);
        if (answered !== undefined) lane.write([newFrame({ callId: frame.callId, ...answered })]);
      }
    });
  };
  server.addService({ open: openMethod }, { open });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { port, close: async () => server.forceShutdown() };
}
