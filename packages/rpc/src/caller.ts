import type { ServerSurfaceCall } from '@grpc/grpc-js/build/src/server-call.js';
import type { Caller } from './dispatcher.ts';

/**
 * Who has opened this call or lane: the certificate's common name; without TLS it has no name, and calls are counted by
 * connection.
 */
export function callerOf(call: Pick<ServerSurfaceCall, 'getAuthContext' | 'getPeer'>): Caller {
  const name = call.getAuthContext()?.sslPeerCertificate?.subject.CN;
  const peer = call.getPeer();
  return typeof name === 'string' ? { name, key: name, peer } : { name: undefined, key: peer, peer };
}
