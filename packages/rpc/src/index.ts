export { openChannel, type RpcChannel } from './client.ts';
export { implement } from './implementation.ts';
export { openLedgerChannel } from './ledger-channel.ts';
export { createMerchantDirectory, type MerchantDirectory } from './merchant-directory.ts';
export { type RpcServer, startRpcServer } from './server.ts';
export type { CallContext, CallOptions, Handlers, RpcClient } from './service-types.ts';
export { type TlsFiles, tlsFromConfig } from './tls.ts';
export { type LedgerVerification, verifyLedger } from './verify-ledger.ts';
export { VersionedCache } from './versioned-cache.ts';
