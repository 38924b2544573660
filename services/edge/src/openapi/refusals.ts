import { z } from 'zod';
import type { PublicRefusal } from '../http/operation.ts';
import type { Route } from '../http/route.ts';

/** When each refusal occurs, for merchants' developers. */
export const OCCURS: Readonly<Record<PublicRefusal, string>> = {
  transaction_failed: 'The transaction was executed and has failed, or the rail refused it.',
  internal: 'Something is wrong on our side. What was ordered may have been done: ask for its status.',
  unavailable: 'A part of the gateway does not answer at the moment. Send the same request again.',
  insufficient_balance: 'The available balance is less than amount and fee. Nothing is recorded; the reference stays free.',
  duplicate_reference: 'The reference number was used for another order of this account.',
  idempotency_key_running: 'A request with this Idempotency-Key is still running. Send it again after Retry-After.',
  timeout: 'No answer came in time. What was ordered may have been done: ask for its status, or send the same request again.',
  beneficiary_limit: "The amount is over a limit of the beneficiary's account.",
  account_limit: 'The amount is over a limit of the merchant or the account, for a transaction, a day or a month.',
  transaction_not_found: 'No resource has this id or reference number.',
  beneficiary_not_found: 'The bank does not know the beneficiary account.',
  vendor_inactive: 'The rail cannot be asked at the moment.',
  bad_request: 'The body is not JSON or not sent as JSON, or the state of the resource does not allow the request.',
  method_not_allowed:
    'The path has other methods; the header Allow lists them. Of a balance: the account is of another merchant.',
  body_too_large: 'The body is over 256 KiB.',
  unauthorized: 'The access token is missing, expired, revoked or of another merchant; or the client could not prove itself.',
  not_found: 'There is no such path; or the beneficiary could not be verified.',
  forbidden: 'The caller may not do this.',
  product_not_allowed: 'The merchant does not have this product.',
  frozen: 'The merchant or the account is frozen or inactive.',
  signature_invalid: 'X-Signature is not that of this request, or X-Timestamp is more than 300 seconds off.',
  ip_not_allowed: "The caller's address is not on the merchant's whitelist.",
  validation: 'A field or header is missing or wrong; `errors` has the messages by field.',
  idempotency_key_reused: 'The Idempotency-Key was used with another body.',
  rate_limited: 'Too many requests in a minute. Send the request again after Retry-After.',
  overloaded: 'Too much is under way. Nothing was done: send the request again after Retry-After.',
  account_not_found: 'There is no such account.',
  account_of_other_merchant: 'The account is of another merchant.',
};

/** What any request may be answered with. */
const ALWAYS: readonly PublicRefusal[] = [
  'bad_request',
  'unauthorized',
  'ip_not_allowed',
  'body_too_large',
  'validation',
  'rate_limited',
  'internal',
  'unavailable',
  'overloaded',
  'timeout',
];

/** Whether any request may be answered with it. */
export function isAlways(refusal: PublicRefusal): boolean {
  return ALWAYS.includes(refusal);
}

/** Fields by which a request names an account. */
const ACCOUNT_FIELDS = ['account_id', 'source_account_id', 'destination_account_id'];

/** Every refusal that a route may answer with. */
export function refusalsOf({ operation, signed, chapter }: Route): ReadonlySet<PublicRefusal> {
  const { params, query, body } = operation.input.shape;
  const fields = [params, query, body].flatMap((schema) => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []));
  const when = (holds: boolean, ...refusals: PublicRefusal[]) => (holds ? refusals : []);
  return new Set([
    ...ALWAYS,
    ...when(chapter.productRefusal !== false, 'product_not_allowed'),
    ...when(
      fields.some((field) => ACCOUNT_FIELDS.includes(field)),
      'account_not_found',
    ),
    // The balance of another merchant's account is a method that is not allowed (contract §2).
    ...when(chapter.name !== 'Balance' && fields.some((field) => ACCOUNT_FIELDS.includes(field)), 'account_of_other_merchant'),
    ...when(signed, 'signature_invalid'),
    ...when(operation.creates === true, 'idempotency_key_running', 'idempotency_key_reused'),
    ...(operation.refusals ?? []),
    ...(operation.failures ?? []),
  ]);
}
