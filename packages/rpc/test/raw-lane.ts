import { Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import { type LaneFrame, newFrame } from '../src/lanes/frame-codec.ts';
import { openMethod } from '../src/lanes/frames.ts';

/**
 * A lane as a client of another version, or one that does not keep to the rules, may have it. `heard` are the frames that have
 * come.
 */
export type RawLane = {
  stream: ClientDuplexStream<LaneFrame[], LaneFrame[]>;
  heard: LaneFrame[];
  send(...frames: Partial<LaneFrame>[]): void;
  close(): void;
};

export function openRawLane(port: number): RawLane {
  // With a connection of its own it is a caller of its own.
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  const { path, requestSerialize, responseDeserialize } = openMethod;
  const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
  const heard: LaneFrame[] = [];
  stream.on('data', (frames: LaneFrame[]) => heard.push(...frames));
  // Every end comes with a status too, which is what a test looks at.
  stream.on('error', () => {});
  return {
    stream,
    heard,
    send: (...frames) => void stream.write(frames.map(newFrame)),
    close() {
      stream.cancel();
      client.close();
    },
  };
}
