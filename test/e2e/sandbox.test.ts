import { describe } from 'vitest';
import { canaries } from './canaries.ts';
import { disbursements } from './disbursement.ts';
import { reversals } from './reversal.ts';
import { revocations } from './revocation.ts';
import { useSandbox } from './sandbox.ts';
import { threeDs } from './three-ds.ts';
import { traces } from './trace.ts';

/** Tests that can share one system: to start one costs more than most of them. Disbursements come last, they restart it. */
describe('one sandbox', () => {
  const sandbox = useSandbox();
  describe('a transfer that the bank takes back', () => reversals(sandbox));
  describe('a credential that is revoked', () => revocations(sandbox));
  describe('a trace', () => traces(sandbox));
  describe('card numbers and CVVs', () => canaries(sandbox));
  describe('3-D Secure', () => threeDs(sandbox));
  describe('one disbursement, from REST call to signed webhook', () => disbursements(sandbox));
});
