/**
 * The catalogue of refusals: every way in which the gateway says no, with a stable code. Domain code names the code; each
 * boundary maps it once: packages/rpc to a gRPC status, the edge to an SP-code (contract §2) or a v1 error.
 */
type Entry = { spCode: SpCode; http: number; v1Http?: number; message: string; retryable: boolean };

/** Response codes of the v2 envelope (merchant-api.md, v2 response codes). */
export type SpCode =
  `SP0${'00' | '01' | '02' | '03' | '04' | '05' | '06' | '07' | '08' | '09' | '10' | '11' | '12' | '13' | '14' | '15' | '16' | '17' | '18' | '19' | '20'}`;

const catalogue = {
  transaction_failed: { spCode: 'SP001', http: 400, message: 'Transaction failure', retryable: false },
  internal: { spCode: 'SP002', http: 500, message: 'General failure', retryable: false },
  /** On v2 routes every SP002 is HTTP 500 (contract §2); on v1 routes this one is 503 (merchant-api.md, v1 envelope errors). */
  unavailable: { spCode: 'SP002', http: 500, v1Http: 503, message: 'Service temporarily unavailable', retryable: true },
  insufficient_balance: { spCode: 'SP003', http: 400, message: 'Insufficient balance', retryable: false },
  duplicate_reference: { spCode: 'SP004', http: 409, message: 'Duplicate reference number', retryable: false },
  idempotency_key_running: {
    spCode: 'SP004',
    http: 409,
    message: 'A request with this Idempotency-Key is still running',
    retryable: true,
  },
  timeout: { spCode: 'SP005', http: 504, message: 'Timeout', retryable: true },
  beneficiary_limit: { spCode: 'SP006', http: 400, message: 'Exceed beneficiary limit', retryable: false },
  account_limit: { spCode: 'SP007', http: 400, message: 'Exceed account limit', retryable: false },
  invalid_reference: { spCode: 'SP008', http: 400, message: 'Invalid reference number', retryable: false },
  transaction_not_found: { spCode: 'SP009', http: 404, message: 'Transaction not found', retryable: false },
  beneficiary_not_found: { spCode: 'SP010', http: 404, message: 'Beneficiary account not found', retryable: false },
  vendor_inactive: { spCode: 'SP011', http: 503, message: 'Beneficiary vendor not active', retryable: true },
  bad_request: { spCode: 'SP012', http: 400, message: 'Bad request', retryable: false },
  method_not_allowed: { spCode: 'SP012', http: 405, message: 'Method not allowed', retryable: false },
  body_too_large: { spCode: 'SP012', http: 413, message: 'Request body is too large', retryable: false },
  unauthorized: { spCode: 'SP013', http: 401, message: 'Unauthorized', retryable: false },
  not_found: { spCode: 'SP014', http: 404, message: 'Not found', retryable: false },
  forbidden: { spCode: 'SP015', http: 403, message: 'Forbidden', retryable: false },
  product_not_allowed: { spCode: 'SP015', http: 403, message: 'The merchant does not have this product', retryable: false },
  frozen: { spCode: 'SP015', http: 403, message: 'The merchant or account is frozen or inactive', retryable: false },
  signature_invalid: { spCode: 'SP016', http: 401, message: 'Signature invalid', retryable: false },
  ip_not_allowed: { spCode: 'SP017', http: 403, message: 'Unauthorized IP', retryable: false },
  validation: { spCode: 'SP018', http: 422, message: 'Validation error', retryable: false },
  idempotency_key_reused: {
    spCode: 'SP018',
    http: 422,
    message: 'This Idempotency-Key was used with another body',
    retryable: false,
  },
  rate_limited: { spCode: 'SP019', http: 429, message: 'Too many requests', retryable: true },
  /** Refused before anything was done, because too much is under way already: nothing has changed. */
  overloaded: { spCode: 'SP019', http: 503, message: 'Too busy at the moment', retryable: true },
  account_not_found: { spCode: 'SP020', http: 404, message: 'Merchant account not found', retryable: false },
  account_of_other_merchant: { spCode: 'SP020', http: 404, v1Http: 403, message: 'Merchant account not found', retryable: false },
  /** Between services only: a posting key seen before with other content is a programmer's error. */
  posting_key_conflict: { spCode: 'SP002', http: 500, message: 'Posting key used with other content', retryable: false },
  /** Between services only: another instance owns what was asked about; `owner` says where it listens. */
  not_owner: { spCode: 'SP002', http: 500, v1Http: 503, message: 'Service temporarily unavailable', retryable: true },
  /** To operators only: a second operator has to give the command too; `echo` has the id of the approval. */
  approval_needed: { spCode: 'SP012', http: 400, message: 'A second operator must approve this command', retryable: false },
  /** To operators only: another call carries out the approved command, or has begun to. */
  approval_used: { spCode: 'SP012', http: 409, message: 'The approval is used already', retryable: false },
  /** Between services only: no such merchant or credential. */
  merchant_not_found: { spCode: 'SP013', http: 401, message: 'Unauthorized', retryable: false },
} as const satisfies Record<string, Entry>;

export type RefusalCode = keyof typeof catalogue;

/** The field messages of a validation error: field → messages. */
export type FieldErrors = Record<string, string[]>;

/** A no, as a value: what deciders and parsers return. */
export type Refusal = {
  refused: RefusalCode;
  message: string;
  errors?: FieldErrors;
  /** Identifying fields that the error's data echoes (contract §2). */
  echo?: Record<string, string>;
  retryAfterMs?: number;
  /** The answer of an earlier request with the same Idempotency-Key. */
  replayed?: boolean;
  /** Of not_owner: host:port of who can answer. */
  owner?: string;
};

/** A refusal on its way up through async code; `cause` stays inside. */
export class RefusalError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal, cause?: unknown) {
    super(`${refusal.refused}: ${refusal.message}`, { cause });
    this.name = 'RefusalError';
    this.refusal = refusal;
  }
}

/** Makes a refusal; its message is the catalogue's unless a better one is given. */
export function refuse(code: RefusalCode, more: Partial<Omit<Refusal, 'refused'>> = {}): Refusal {
  return { refused: code, message: catalogue[code].message, ...more };
}

/** A validation refusal of one field; its message names the field (contract §2). */
export function refuseField(field: string, message: string): Refusal {
  return refuseFields({ [field]: [message] });
}

/** A validation refusal; its message names every field that is wrong (contract §2). */
export function refuseFields(errors: FieldErrors): Refusal {
  const fields = Object.entries(errors).map(([field, messages]) => `${field}: ${messages.join(', ')}`);
  return refuse('validation', { message: fields.join('; '), errors });
}

/** Whether a decider's answer is a refusal. */
export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'refused' in value;
}

/** Whether the text is a code of the catalogue; for what comes over the wire. */
export function isRefusalCode(code: string): code is RefusalCode {
  return Object.hasOwn(catalogue, code);
}

/** SP-code, HTTP status on v2 and on v1 routes, and whether the same request may be sent again later. */
export function describeRefusal(code: RefusalCode): {
  spCode: SpCode;
  http: number;
  v1Http: number;
  message: string;
  retryable: boolean;
} {
  const entry: Entry = catalogue[code];
  return {
    spCode: entry.spCode,
    http: entry.http,
    v1Http: entry.v1Http ?? entry.http,
    message: entry.message,
    retryable: entry.retryable,
  };
}
