import type { DescMethod } from '@bufbuild/protobuf';
import { type handleUnaryCall, Metadata, type Server, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { callerOf } from './caller.ts';
import { type Dispatcher, RunningCall } from './dispatcher.ts';
import type { Implementation } from './implementation.ts';
import { asBuffer } from './lanes/frames.ts';
import type { Failure } from './refusal-status.ts';
import { methodPath } from './service-types.ts';

/** The trailer that carries a Refusal in plain unary calls. */
const DETAIL_KEY = 'gerbang-refusal-bin';

/** Serves every method as a plain unary one too: for grpcurl, probes and callers in other languages. */
export function serveUnary(server: Server, implementations: Implementation[], dispatcher: Dispatcher): void {
  for (const { desc } of implementations) {
    const definition: Record<string, ReturnType<typeof definitionOf>> = {};
    const handlers: UntypedServiceImplementation = {};
    for (const method of desc.methods) {
      definition[method.localName] = definitionOf(method);
      handlers[method.localName] = unary(methodPath(method), dispatcher);
    }
    server.addService(definition, handlers);
  }
}

function unary(path: string, dispatcher: Dispatcher): handleUnaryCall<Uint8Array, Uint8Array> {
  const method = dispatcher.method(path);
  if (method === undefined) throw new Error(`${path} is not among the implementations`);
  return (call, callback) => {
    const caller = callerOf(call, dispatcher.trustDomain);
    const bytes = call.request.byteLength;
    const refused = dispatcher.enter(method, caller, bytes);
    if (refused !== undefined) return callback(toStatus(refused), null);
    const running = new RunningCall(caller, String(call.metadata.get('authorization')[0] ?? ''));
    call.on('cancelled', () => running.abort());
    const traceparent = String(call.metadata.get('traceparent')[0] ?? '');
    void dispatcher.run(method, call.request, running, traceparent).then((reply) => {
      dispatcher.release(caller, bytes);
      dispatcher.leave(caller);
      if (reply instanceof Uint8Array) callback(null, reply);
      else callback(toStatus(reply), null);
    });
  };
}

function toStatus({ code, message, detail }: Failure) {
  const metadata = new Metadata();
  if (detail !== undefined) metadata.set(DETAIL_KEY, asBuffer(detail));
  return { code, details: message, metadata };
}

/** Requests and answers pass as bytes: the dispatcher reads and writes them, for lanes and here. */
function definitionOf(method: DescMethod) {
  return {
    path: methodPath(method),
    requestStream: false,
    responseStream: false,
    requestDeserialize: (bytes: Buffer): Uint8Array => bytes,
    requestSerialize: asBuffer,
    responseDeserialize: (bytes: Buffer): Uint8Array => bytes,
    responseSerialize: asBuffer,
  };
}
