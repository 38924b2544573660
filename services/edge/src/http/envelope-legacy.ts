import { describeRefusal, type FieldErrors, type Refusal, type RefusalCode } from '@gerbang/core';
import type { Envelope } from './envelope.ts';
import { v1 } from './envelope-v1.ts';

/** Codes of the legacy envelope: done; rejected, a field of the request says why; a system error, after which a retry is right. */
export type LegacyCode = '00' | '04' | '99';

/** What a code of the legacy envelope is about: of 04 the field of the request that the refusal names. */
type Meaning = { code: '04'; field: string } | { code: '99' };

/**
 * `{command, response_code, response_text, data}`, the envelope of the biller's host (merchant-api.md, legacy prepaid biller
 * inquiry). Refusals of who calls, and of paths, are in the v1 envelope (contract §9).
 */
export const legacy: Envelope = {
  success: (data, _status, echo) => ({
    http: 200,
    body: { command: echo().command ?? null, response_code: '00', response_text: 'Success', data },
  }),
  failure(refusal, { echo = {} }) {
    const meaning = isOfCaller(refusal) ? undefined : legacyMeaning(refusal.refused);
    if (meaning === undefined) return v1.failure(refusal, {});
    const { code: response_code } = meaning;
    const { message: response_text } = refusal;
    const data: FieldErrors = meaning.code === '99' ? {} : (refusal.errors ?? { [meaning.field]: [refusal.message] });
    const { v1Http: http } = describeRefusal(refusal.refused);
    return { http, body: { command: echo.command ?? null, response_code, response_text, data } };
  },
};

/** A missing X-PARTNER-ID is found before any command is known. */
function isOfCaller({ errors = {} }: Refusal): boolean {
  return 'X-PARTNER-ID' in errors;
}

/** How the legacy envelope says it; undefined where it is in the v1 envelope. */
export function legacyMeaning(refused: RefusalCode): Meaning | undefined {
  switch (refused) {
    case 'unauthorized':
    case 'forbidden':
    case 'ip_not_allowed':
    case 'rate_limited':
    case 'signature_invalid':
    case 'not_found':
    case 'method_not_allowed':
    case 'merchant_not_found':
      return undefined;
    case 'insufficient_balance':
    case 'account_limit':
    case 'account_not_found':
    case 'account_of_other_merchant':
    case 'frozen':
      return { code: '04', field: 'account_id' };
    case 'transaction_failed':
    case 'transaction_not_found':
    case 'duplicate_reference':
    case 'invalid_reference':
      return { code: '04', field: 'reference_number' };
    case 'beneficiary_not_found':
    case 'beneficiary_limit':
      return { code: '04', field: 'customer_id' };
    case 'product_not_allowed':
      return { code: '04', field: 'command' };
    case 'validation':
    case 'bad_request':
    case 'body_too_large':
      return { code: '04', field: 'body' };
    case 'idempotency_key_reused':
      return { code: '04', field: 'Idempotency-Key' };
    case 'internal':
    case 'unavailable':
    case 'timeout':
    case 'overloaded':
    case 'vendor_inactive':
    case 'idempotency_key_running':
    case 'posting_key_conflict':
    case 'not_owner':
    case 'approval_needed':
    case 'approval_used':
      return { code: '99' };
    default:
      return refused satisfies never;
  }
}
