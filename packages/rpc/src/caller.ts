import type { ServerSurfaceCall } from '@grpc/grpc-js/build/src/server-call.js';
import type { Caller } from './dispatcher.ts';
import { serviceOf } from './identity.ts';

/**
 * Who has opened this call or lane: the service that the certificate's URI names. A caller has no name without TLS, or where the
 * certificate names no service of the trust domain; its calls are then counted by connection.
 */
export function callerOf(call: Pick<ServerSurfaceCall, 'getAuthContext' | 'getPeer'>, trustDomain: string | undefined): Caller {
  const names = call.getAuthContext()?.sslPeerCertificate?.subjectaltname;
  const name = trustDomain === undefined ? undefined : serviceOf(names, trustDomain);
  const peer = call.getPeer();
  return { name, key: name ?? peer, peer };
}
