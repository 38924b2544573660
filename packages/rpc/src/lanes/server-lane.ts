import { FrameKind } from '@gerbang/proto/gerbang/rpc/v1/lane';
import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import { type Caller, type Dispatcher, type Method, RunningCall } from '../dispatcher.ts';
import { type Failure, tooLarge } from '../refusal-status.ts';
import { Assembly } from './assembly.ts';
import { CallTable } from './call-table.ts';
import type { Deadlines } from './deadlines.ts';
import type { LaneFrame } from './frame-codec.ts';
import { Outgoing } from './frames.ts';
import { Outbox } from './outbox.ts';

/**
 * Frames of a batch that are handled in one turn of the event loop: their answers are on the way while the next ones are handled,
 * and other callers have their turn in between. Else client and server would wait for each other by turns, however many
 * processors there are.
 */
const TURN_FRAMES = 32;

/**
 * Frames that may wait to leave: more than calls can run. Only who asks on and reads no answers has so many, and is not read from
 * until they have left.
 */
const WAITING_MAX = 4_096;

/** A call that has come over a lane and whose answer has not left yet. */
export class LaneCall extends RunningCall {
  readonly id: number;
  readonly method: Method;
  readonly deadlineMs: number;
  place = -1;
  readonly traceparent: string;
  readonly lane: ServerLane;
  /** The request's parts, while more are to come. */
  assembly: Assembly | undefined;

  constructor(lane: ServerLane, caller: Caller, method: Method, frame: LaneFrame) {
    super(caller, frame.authorization);
    this.lane = lane;
    this.id = frame.callId;
    this.method = method;
    this.deadlineMs = performance.now() + frame.timeoutMs;
    this.traceparent = frame.traceparent;
  }
}

/**
 * The server's end of a lane. It lasts until the client has ended its side and all that came has been answered, or until the
 * connection breaks.
 */
export class ServerLane {
  readonly #stream: ServerDuplexStream<LaneFrame[], LaneFrame[]>;
  readonly #dispatcher: Dispatcher;
  readonly #deadlines: Deadlines<LaneCall>;
  readonly #caller: Caller;
  readonly #onClosed: (lane: ServerLane) => void;
  readonly #outbox: Outbox;
  readonly #calls = new CallTable<LaneCall>();
  /** Calls whose place is taken: also those that were given up while their handler still runs. */
  #held = 0;
  /** Answers that the transport has not taken yet. */
  #unsent = 0;
  #ended = false;
  #closed = false;

  constructor(options: {
    stream: ServerDuplexStream<LaneFrame[], LaneFrame[]>;
    dispatcher: Dispatcher;
    deadlines: Deadlines<LaneCall>;
    caller: Caller;
    onClosed: (lane: ServerLane) => void;
  }) {
    this.#stream = options.stream;
    this.#dispatcher = options.dispatcher;
    this.#deadlines = options.deadlines;
    this.#caller = options.caller;
    this.#onClosed = options.onClosed;
    this.#outbox = new Outbox((frames, written) => this.#stream.write(frames, written));
    this.#stream.on('data', (frames: LaneFrame[]) => this.#receive(frames));
    this.#stream.on('end', () => {
      this.#ended = true;
      this.#endWhenDone();
    });
    this.#stream.on('error', () => this.#close());
    this.#stream.on('cancelled', () => this.#close());
    this.#outbox.push(new Outgoing({ kind: FrameKind.WELCOME }));
  }

  /** Asks the client to send new calls elsewhere; those that come all the same are answered. */
  goAway(): void {
    this.#outbox.push(new Outgoing({ kind: FrameKind.GOING_AWAY }));
  }

  /** The deadline has passed: the client has stopped waiting by itself. */
  expire(call: LaneCall): void {
    this.#forget(call);
  }

  /** Nothing more is read before all of a batch has been handled, so that frames stay in their order. */
  #receive(frames: LaneFrame[]): void {
    const later = frames.length > TURN_FRAMES ? frames.splice(TURN_FRAMES) : [];
    for (const frame of frames) this.#handle(frame);
    const waits = this.#outbox.waiting > WAITING_MAX;
    if (later.length === 0 && !waits) {
      if (this.#stream.isPaused()) this.#stream.resume();
      return;
    }
    this.#stream.pause();
    const goOn = () => {
      if (!this.#closed) this.#receive(later);
    };
    if (waits) this.#outbox.whenEmpty(goOn);
    else setImmediate(goOn);
  }

  #handle(frame: LaneFrame): void {
    switch (frame.kind) {
      case FrameKind.CALL:
        this.#begin(frame);
        break;
      case FrameKind.CHUNK:
        this.#continue(frame);
        break;
      case FrameKind.CANCEL: {
        const call = this.#calls.get(frame.callId);
        if (call !== undefined) this.#forget(call);
        break;
      }
      case FrameKind.PING:
        this.#outbox.push(new Outgoing({ kind: FrameKind.PONG }));
        break;
      // Frames that only servers send, and those of a later version, mean nothing here.
      default:
    }
  }

  #begin(frame: LaneFrame): void {
    const method = this.#dispatcher.method(frame.method);
    if (method === undefined) {
      this.#fail(frame.callId, { code: status.UNIMPLEMENTED, message: `there is no method ${frame.method}`, detail: undefined });
      return;
    }
    const refused = this.#dispatcher.enter(method, this.#caller, frame.payload.byteLength);
    if (refused !== undefined) {
      this.#fail(frame.callId, refused);
      return;
    }
    this.#held++;
    const call = new LaneCall(this, this.#caller, method, frame);
    this.#calls.add(call);
    this.#deadlines.add(call);
    if (frame.more) call.assembly = new Assembly(frame);
    else this.#run(call, frame.payload);
  }

  #continue(frame: LaneFrame): void {
    const call = this.#calls.get(frame.callId);
    // Parts of a call that was refused or given up still come.
    if (call?.assembly === undefined) return;
    const refused = this.#dispatcher.grow(call.method, this.#caller, frame.payload.byteLength);
    const failure = refused ?? (call.assembly.add(frame) ? undefined : tooLarge('the request is too large'));
    if (failure !== undefined) {
      this.#forget(call);
      this.#fail(call.id, failure);
      return;
    }
    if (frame.more) return;
    const payload = call.assembly.payload();
    call.assembly = undefined;
    this.#run(call, payload);
  }

  #run(call: LaneCall, request: Uint8Array): void {
    const bytes = request.byteLength;
    void this.#dispatcher.run(call.method, request, call, call.traceparent).then((reply) => {
      this.#dispatcher.release(this.#caller, bytes);
      // No caller waits for it any more, or the lane is gone.
      if (this.#closed || this.#calls.get(call.id) !== call) return this.#leave();
      this.#calls.delete(call.id);
      this.#deadlines.delete(call);
      this.#unsent++;
      if (reply instanceof Uint8Array) {
        this.#outbox.push(new Outgoing({ kind: FrameKind.ANSWER, callId: call.id }, reply, { onSent: this.#onSent }));
      } else this.#fail(call.id, reply, this.#onSent);
    });
  }

  /** A place is free once the answer has left, so a client that does not read can't make answers pile up without bound. */
  readonly #onSent = (): void => {
    if (this.#closed) return;
    this.#unsent--;
    this.#leave();
  };

  #fail(callId: number, { code, message, detail }: Failure, onSent?: () => void): void {
    const head = { kind: FrameKind.FAILURE, callId, status: code, message };
    this.#outbox.push(new Outgoing(head, detail, onSent === undefined ? {} : { onSent }));
  }

  /** Tells the handler that its caller no longer waits; its slot stays taken until it has ended. */
  #forget(call: LaneCall): void {
    this.#calls.delete(call.id);
    this.#deadlines.delete(call);
    call.abort();
    if (call.assembly === undefined) return;
    this.#dispatcher.release(this.#caller, call.assembly.bytes);
    call.assembly = undefined;
    this.#leave();
  }

  #leave(): void {
    this.#held--;
    this.#dispatcher.leave(this.#caller);
    this.#endWhenDone();
  }

  #endWhenDone(): void {
    if (!this.#ended || this.#held > 0 || this.#closed) return;
    this.#outbox.whenEmpty(() => {
      this.#stream.end();
      this.#close();
    });
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#outbox.close();
    for (const call of this.#calls.all()) this.#forget(call);
    for (; this.#unsent > 0; this.#unsent--) this.#leave();
    this.#onClosed(this);
  }
}
