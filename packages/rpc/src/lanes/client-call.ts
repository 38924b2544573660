import { status } from '@grpc/grpc-js';
import { CallError, type Failure } from '../refusal-status.ts';
import type { Assembly } from './assembly.ts';
import type { Outgoing } from './frames.ts';

/** What a call is made of, before it has a lane. */
export type CallRequest = {
  /** "/package.Service/Method" */
  path: string;
  request: Uint8Array;
  traceparent: string;
  /** "Bearer …", or empty. */
  authorization: string;
  /** `performance.now()` milliseconds. */
  deadlineMs: number;
};

/** What a call knows of the lane that it is on. */
export type CallLane = { abandon(call: ClientCall): void };

/** One attempt at a call, on the side of the caller. `answer` is the encoded answer; it rejects with CallError. */
export class ClientCall {
  readonly path: string;
  readonly request: Uint8Array;
  readonly traceparent: string;
  readonly authorization: string;
  readonly deadlineMs: number;
  place = -1;
  readonly answer: Promise<Uint8Array>;
  /** Where it is under way, and as what; undefined while it waits for a lane. */
  lane: CallLane | undefined;
  id = 0;
  outgoing: Outgoing | undefined;
  /** The answer's parts, while more are to come. */
  assembly: Assembly | undefined;
  readonly #resolve: (answer: Uint8Array) => void;
  readonly #reject: (error: CallError) => void;
  readonly #onSettled: (call: ClientCall) => void;
  settled = false;

  constructor(request: CallRequest, onSettled: (call: ClientCall) => void) {
    this.path = request.path;
    this.request = request.request;
    this.traceparent = request.traceparent;
    this.authorization = request.authorization;
    this.deadlineMs = request.deadlineMs;
    this.#onSettled = onSettled;
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    this.answer = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  succeed(answer: Uint8Array): void {
    if (!this.#settle()) return;
    this.#resolve(answer);
  }

  /** What it has failed with; undefined where it had ended before. */
  fail(failure: Failure): CallError | undefined {
    if (!this.#settle()) return undefined;
    const error = new CallError({ ...failure, message: `${this.path}: ${failure.message}` });
    this.#reject(error);
    return error;
  }

  unavailable(message: string): void {
    this.fail({ code: status.UNAVAILABLE, message, detail: undefined });
  }

  #settle(): boolean {
    if (this.settled) return false;
    this.settled = true;
    this.#onSettled(this);
    return true;
  }
}
