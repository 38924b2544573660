/**
 * What a log line may hold besides its message: ids of ours, codes, counts and times. Never a secret, a name, a number of an
 * account, a phone or a card. Alphabetical, a line for each letter.
 */
const SCALARS = [
  ...['address', 'addresses', 'aggregate', 'alert', 'asked', 'attempts'],
  ...['biller_url', 'binding_id', 'by', 'bytes'],
  ...['caller', 'channel', 'checkpoint', 'client_id', 'code', 'collection', 'command', 'command_id', 'confirmations'],
  ...['chargeback_id', 'cycle'],
  ...['day', 'deliveries', 'differences', 'duration_ms'],
  ...['endpoint', 'epoch', 'error_rate', 'event', 'event_id', 'expected_seq'],
  ...['failed_calls', 'failed_case', 'failing_since', 'field', 'followers_missing', 'found_seq'],
  ...['given'],
  ...['http_status'],
  ...['id', 'identity', 'instance', 'intent'],
  ...['kid', 'kind'],
  ...['last_failed_at', 'latency_ms', 'linked_trace_id', 'listener', 'loss'],
  ...['matched', 'merchant_id', 'messages', 'method', 'ms'],
  ...['nats', 'new_differences'],
  ...['offset_ms', 'open', 'operator', 'outcome'],
  ...['partition', 'partner_reference', 'payable', 'payment', 'plan_id', 'port', 'posting_key', 'postings', 'problem', 'product'],
  ...['paid_at_ms', 'path', 'product_code', 'purpose'],
  ...['rail', 'rail_reference', 'rails_url', 'reason', 'reference', 'refund_id', 'refused', 'repeated', 'resealed'],
  ...['response_code', 'route', 'run'],
  ...['seq', 'service', 'source', 'stalled_ms', 'status', 'step', 'suppressed'],
  ...['tails', 'taken_from', 'target', 'to', 'trace_id', 'transaction_id', 'type'],
  ...['url'],
] as const;

/** Errors: their type, message and stack are written, and no other property. A text stays a text. */
const ERRORS = ['err', 'cause'] as const;

type Scalar = string | number | boolean | bigint | null | undefined;

/** The fields of a log line. */
export type LogFields = { [Name in (typeof SCALARS)[number]]?: Scalar } & { [Name in (typeof ERRORS)[number]]?: unknown };

/** Nothing but fields of LogFields, also where they come from a variable or a spread; an `object` could have any. */
export type OnlyLogFields<Given> = keyof Given extends never
  ? never
  : { [Name in keyof Given]: Name extends keyof LogFields ? LogFields[Name] : never };

interface LogMethod {
  <Given extends LogFields>(fields: Given & OnlyLogFields<Given>, message: string): void;
  (message: string): void;
}

/**
 * JSON lines; each carries the service and, inside a request, its trace id. Fields that are not LogFields do not compile. `always`
 * writes at level info also where the least level is higher: for what must be in the log stream. Only `silent` keeps it out.
 */
export type Logger = Record<'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'always', LogMethod>;

const isField: ReadonlySet<string> = new Set([...SCALARS, ...ERRORS]);
const isErrorField: ReadonlySet<string> = new Set(ERRORS);

/**
 * Of what a call of the logger was given, what a line may hold: what a type has not seen (a value of `any`, JavaScript) is left
 * out, and `dropped` is given its name.
 */
export function allowedFields(given: object, dropped: (name: string) => void): Record<string, unknown> {
  const line: Record<string, unknown> = {};
  for (const name of Object.keys(given)) {
    const value: unknown = Reflect.get(given, name);
    if (value === undefined) continue;
    if (typeof value === 'object' && value !== null ? isErrorField.has(name) : isField.has(name)) line[name] = value;
    else dropped(name);
  }
  return line;
}
