export type { TlsFiles } from './certificate-files.ts';
export { openChannel, type RpcChannel } from './client.ts';
export { identityOf, serviceOf } from './identity.ts';
export { type Implementation, implement } from './implementation.ts';
export { type RpcServer, startRpcServer } from './server.ts';
export type { Authorize, CallContext, CallOptions, Cancellation, Handlers, RpcClient } from './service-types.ts';
export { tlsFromConfig } from './tls.ts';
