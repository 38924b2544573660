export { type CheckedToken, type ExpectedCall, hashRequest } from './call-token.ts';
export { feeRulesOf } from './fee-rules.ts';
export { openLedgerChannel } from './ledger-channel.ts';
export { createMerchantDirectory, type MerchantDirectory } from './merchant-directory.ts';
export { listenForMerchantHints } from './merchant-hints.ts';
export { LOGIN_ISSUER, loginAuthorizer, newLoginKey, type OperatorLogin, readLoginToken } from './operator-login.ts';
export {
  CLI_ISSUER,
  claimedSubject,
  newOperatorKey,
  type OperatorKey,
  operatorAuthorizer,
  publicKeyOf,
  verifyOperatorToken,
} from './operator-token.ts';
export { type SettlesAt, settlementFromConfig, settlementShape } from './settlement.ts';
export { type LedgerVerification, type Unlinked, type VerifyOptions, verifyLedger } from './verify-ledger.ts';
export { type MerchantHint, pollVersions, type VersionPoll } from './version-poll.ts';
export { VersionedCache } from './versioned-cache.ts';
export { withApproval } from './with-approval.ts';
