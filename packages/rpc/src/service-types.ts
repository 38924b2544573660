import type { DescMethod, DescService, MessageInitShape, MessageShape } from '@bufbuild/protobuf';

/** Names of a service's unary methods. */
type MethodName<S extends DescService> = keyof S['method'] & string;

/** Tells when the caller has gone or its deadline has passed, without an AbortSignal for each call. */
export type Cancellation = {
  readonly aborted: boolean;
  /** `listener` is called once, at that time; never when it has come already. */
  onAbort(listener: () => void): void;
};

/** What a handler knows of the call in addition to its request. */
export type CallContext = Cancellation & {
  /** Aborts when the caller has gone or its deadline has passed. It is made when it is asked for. */
  signal: AbortSignal;
  /** The calling service by its certificate; undefined without TLS. */
  caller: string | undefined;
  /** The address and port that the call comes from. */
  peer: string;
  /** What the caller proves itself with beyond its certificate, such as "Bearer …"; empty without. It is secret: not for logs. */
  authorization: string;
  /** The request as it came, encoded: what a signature over it is checked against. */
  request: Uint8Array;
};

/** One async function a method; refusals are thrown as RefusalError. */
export type Handlers<S extends DescService> = {
  [M in MethodName<S>]: (
    request: MessageShape<S['method'][M]['input']>,
    context: CallContext,
  ) => Promise<MessageInitShape<S['method'][M]['output']>>;
};

/** What is added to each attempt at a call as its authorization: "Bearer …". `request` is the encoded request. */
export type Authorize = (call: { method: string; request: Uint8Array }) => Promise<string>;

export type CallOptions = {
  signal?: AbortSignal;
  /** For the whole call, retries included. */
  timeoutMs?: number;
  /** False: only one attempt, even where the contract allows more; the caller tries again itself, perhaps elsewhere. */
  retry?: boolean;
};

/**
 * One async function a method. Throws RefusalError: what the handler refused, or the transport
 * errors `unavailable`, `timeout` and `internal`.
 */
export type RpcClient<S extends DescService> = {
  [M in MethodName<S>]: (
    request: MessageInitShape<S['method'][M]['input']>,
    options?: CallOptions,
  ) => Promise<MessageShape<S['method'][M]['output']>>;
};

/** The path of a method on the wire. */
export function methodPath(method: Pick<DescMethod, 'parent' | 'name'>): string {
  return `/${method.parent.typeName}/${method.name}`;
}
