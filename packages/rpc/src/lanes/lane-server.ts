import { type Server, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { callerOf } from '../caller.ts';
import type { Dispatcher } from '../dispatcher.ts';
import { Deadlines } from './deadlines.ts';
import type { LaneFrame } from './frame-codec.ts';
import { openMethod } from './frames.ts';
import { type LaneCall, ServerLane } from './server-lane.ts';

/** All lanes that clients have opened to a server. */
export type LaneServer = {
  /** Tells every client to go elsewhere and opens no lane any more; the lanes end when their calls have been answered. */
  goAway(): void;
  close(): void;
  /** How many there are now. */
  open(): number;
};

/** Adds LaneService to the server. */
export function serveLanes(server: Server, dispatcher: Dispatcher): LaneServer {
  const lanes = new Set<ServerLane>();
  const deadlines = new Deadlines<LaneCall>((call) => call.lane.expire(call));
  let leaving = false;
  const accept = (stream: ServerDuplexStream<LaneFrame[], LaneFrame[]>) => {
    if (leaving) {
      stream.emit('error', { code: status.UNAVAILABLE, details: 'the server is going away' });
      return;
    }
    const lane = new ServerLane({
      stream,
      dispatcher,
      deadlines,
      caller: callerOf(stream, dispatcher.trustDomain),
      onClosed: (closed) => lanes.delete(closed),
    });
    lanes.add(lane);
  };
  server.addService({ open: openMethod }, { open: accept });
  return {
    goAway() {
      leaving = true;
      for (const lane of lanes) lane.goAway();
    },
    close: () => deadlines.close(),
    open: () => lanes.size,
  };
}
