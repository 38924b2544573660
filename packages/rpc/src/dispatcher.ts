import { create, type DescMethod, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type Refusal, RefusalError, refuse } from '@gerbang/core';
import { contextFrom, type Logger, type SecurityEventKind, type SecurityEvents, withSpan } from '@gerbang/runtime';
import { status } from '@grpc/grpc-js';
import type { Attributes } from '@opentelemetry/api';
import type { Admission } from './admission.ts';
import type { Callers, Implementation, UntypedHandler } from './implementation.ts';
import { MESSAGE_BYTES_MAX } from './lanes/frames.ts';
import type { ServerMetrics } from './metrics.ts';
import { type Failure, toFailure, tooLarge } from './refusal-status.ts';
import { type CallContext, methodPath } from './service-types.ts';
import { endSpan, spanAttributes, spanName } from './spans.ts';

/** A method with its handler. `allowed` is undefined where anyone who can connect may call. */
export type Method = {
  desc: DescMethod;
  path: string;
  handler: UntypedHandler;
  allowed: Callers | undefined;
  span: string;
  attributes: Attributes;
};

const NOT_LISTED = 'caller_not_listed';
const NOTHING = new Uint8Array(0);

/** The encoded answer, or how the call failed. */
export type Reply = Uint8Array | Failure;

/**
 * Who calls: the service by its certificate (undefined without TLS), what this caller's calls are counted under, and the address that it
 * calls from.
 */
export type Caller = { name: string | undefined; key: string; peer: string };

/** What a running handler sees of its call. Most handlers never look at the signal, so it is made for those that do. */
export class RunningCall implements CallContext {
  readonly caller: string | undefined;
  readonly peer: string;
  readonly authorization: string;
  /** Set when the whole request has come. */
  request: Uint8Array = NOTHING;
  aborted = false;
  #aborter: AbortController | undefined;
  #listeners: (() => void)[] | undefined;

  constructor(caller: Caller, authorization: string) {
    this.caller = caller.name;
    this.peer = caller.peer;
    this.authorization = authorization;
  }

  get signal(): AbortSignal {
    if (this.#aborter === undefined) {
      this.#aborter = new AbortController();
      if (this.aborted) this.#aborter.abort();
    }
    return this.#aborter.signal;
  }

  /** The caller has gone, or its deadline has passed. */
  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#aborter?.abort();
    for (const listener of this.#listeners?.splice(0) ?? []) listener();
  }

  onAbort(listener: () => void): void {
    this.#listeners ??= [];
    this.#listeners.push(listener);
  }
}

/**
 * Finds the method that is called, decides whether the call may begin, and runs it: the same for plain unary calls and for lanes.
 */
export class Dispatcher {
  readonly #methods = new Map<string, Method>();
  readonly #admission: Admission;
  readonly #log: Logger;
  readonly #metrics: ServerMetrics | undefined;
  readonly #security: SecurityEvents | undefined;

  /** Whose certificates name callers; undefined without TLS. */
  readonly trustDomain: string | undefined;

  /**
   * With a trust domain a method runs only for the callers on its list. Throws where a method has no handler, and where its list
   * is empty, which is a list that was forgotten.
   */
  constructor(options: {
    implementations: Implementation[];
    trustDomain: string | undefined;
    admission: Admission;
    log: Logger;
    metrics: ServerMetrics | undefined;
    security: SecurityEvents | undefined;
  }) {
    this.trustDomain = options.trustDomain;
    this.#metrics = options.metrics;
    this.#security = options.security;
    this.#security?.expect('rpc', { unauthenticated: ['unauthorized'], forbidden: [NOT_LISTED, 'forbidden'] });
    this.#admission = options.admission;
    this.#log = options.log;
    for (const { desc, handlers, callers } of options.implementations) {
      for (const method of desc.methods) {
        const handler = handlers[method.localName];
        if (handler === undefined) throw new Error(`${desc.typeName} has no handler for ${method.name}`);
        const allowed = this.trustDomain === undefined ? undefined : callers(method.localName);
        const path = methodPath(method);
        if (allowed?.length === 0) throw new Error(`${path} lists no callers`);
        this.#methods.set(path, {
          desc: method,
          path,
          handler,
          allowed,
          span: spanName(method),
          attributes: spanAttributes(method),
        });
      }
    }
  }

  method(path: string): Method | undefined {
    return this.#methods.get(path);
  }

  /**
   * Takes a place for the call, which `leave` gives back, and room for `bytes` of its request, which `release` does; or says why
   * it may not begin.
   */
  enter(method: Method, caller: Caller, bytes: number): Failure | undefined {
    if (method.allowed !== undefined && (caller.name === undefined || !method.allowed.includes(caller.name))) {
      this.#recordRefusal(method, caller, 'forbidden', NOT_LISTED);
      return this.#refused(method, toFailure(refuse('forbidden')));
    }
    const refusal = this.#admission.enter(caller.key, bytes);
    return refusal === undefined ? undefined : this.#refused(method, toFailure(refusal));
  }

  /** Takes room for more of the call's request, or says why it may not go on. */
  grow(method: Method, caller: Caller, bytes: number): Failure | undefined {
    const refusal = this.#admission.grow(caller.key, bytes);
    return refusal === undefined ? undefined : this.#refused(method, toFailure(refusal));
  }

  release(caller: Caller, bytes: number): void {
    this.#admission.release(caller.key, bytes);
  }

  leave(caller: Caller): void {
    this.#admission.leave(caller.key);
  }

  /** Runs the handler within a span of the caller's trace. Never rejects. */
  run(method: Method, request: Uint8Array, call: RunningCall, traceparent: string): Promise<Reply> {
    const options = { kind: 'SERVER', parent: contextFrom(traceparent), attributes: method.attributes } as const;
    const startMs = performance.now();
    return withSpan(method.span, options, async (span) => {
      const reply = await this.#answer(method, request, call);
      const code = reply instanceof Uint8Array ? status.OK : reply.code;
      endSpan(span, 'SERVER', code);
      this.#metrics?.answered(method.path, code, performance.now() - startMs);
      return reply;
    });
  }

  /** Operators prove who they are to the handlers, which refuse those who do not, or may not. */
  #recordUntrusted(method: Method, { caller: name, peer }: RunningCall, { refused }: Refusal): void {
    if (refused === 'unauthorized') this.#recordRefusal(method, { name, peer }, 'unauthenticated', refused);
    else if (refused === 'forbidden') this.#recordRefusal(method, { name, peer }, 'forbidden', refused);
  }

  #recordRefusal(
    { path: route }: Method,
    { name, peer }: Pick<Caller, 'name' | 'peer'>,
    kind: SecurityEventKind,
    reason: string,
  ): void {
    const identity = name === undefined ? undefined : ({ id: name, proof: 'authenticated' } as const);
    this.#security?.record({ listener: 'rpc', kind, reason, route, address: hostOf(peer), identity });
  }

  #refused(method: Method, failure: Failure): Failure {
    this.#metrics?.answered(method.path, failure.code, 0);
    return failure;
  }

  async #answer(method: Method, request: Uint8Array, call: RunningCall): Promise<Reply> {
    try {
      call.request = request;
      const answer = await method.handler(fromBinary(method.desc.input, request) as never, call);
      const bytes = toBinary(method.desc.output, create(method.desc.output, answer as Record<string, unknown>));
      if (bytes.byteLength <= MESSAGE_BYTES_MAX) return bytes;
      this.#log.error({ method: method.path, bytes: bytes.byteLength }, 'an answer is too large to be sent');
      return tooLarge('the answer is too large');
    } catch (error) {
      if (error instanceof RefusalError) {
        this.#recordUntrusted(method, call, error.refusal);
        return toFailure(asAnswered(error.refusal));
      }
      this.#log.error({ err: error, method: method.path }, 'a call failed');
      return toFailure(refuse('internal'));
    }
  }
}

/**
 * `overloaded` says that nothing was done, which a handler cannot say of a service behind it: it may have written before it
 * asked.
 */
function asAnswered(refusal: Refusal): Refusal {
  if (refusal.refused !== 'overloaded') return refusal;
  const { retryAfterMs = 1_000 } = refusal;
  return refuse('unavailable', { retryAfterMs });
}

/** The host of an address; connections of one host differ by their ports. */
function hostOf(peer: string): string {
  return peer.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
}
