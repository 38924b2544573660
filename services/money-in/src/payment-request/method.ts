import type { Clock } from '@gerbang/core';
import type { Logger } from '@gerbang/runtime';
import type { Question } from '../rail/rail.ts';
import type { Rails } from '../rails.ts';
import type { Claims } from './claims.ts';

/** How customers pay something that offers several methods: those whose codes begin with the group, for instance `A` of "A_B". */
export type Method = {
  group: string;
  /** What is charged for. */
  product: string;
  /** Whether this installation has what the channel needs; absent: always. */
  isOffered?(channel: string): boolean;
  /** The product that the merchant must have for it; absent: none. */
  needs?: string;
  /** Makes what the customer pays by: a number, a code, a payload, an address. Undefined for a channel that is none. */
  issue(context: IssueContext, asked: AskedMethod): Promise<string> | undefined;
  /** The reference under which its rail holds a payment, and so can be asked; absent where no rail holds one. */
  heldBy?(issued: { reference: string; channel: string; amountSen: bigint }): Question;
};

/** What methods are issued with. */
export type IssueContext = { claims: Claims; rails: Rails; railTimeoutMs: number; clock: Clock; log: Logger };

export type AskedMethod = {
  /** The payment request that it pays, and our reference of it at rails. */
  requestId: string;
  reference: string;
  channel: string;
  amountSen: bigint;
  expiresAtMs: number;
  merchantName(): Promise<string>;
  /** What the customer has given, and where the customer goes in the end; either may be empty. */
  customerPhone: string;
  returnUrl: string;
};

/** A code in its parts; the channel of one without parts is empty. */
export function partsOf(code: string): { group: string; channel: string } {
  const [group = '', channel = ''] = code.split('_', 2);
  return { group, channel };
}

/** The method of a code; undefined where no kind has it. */
export function methodOf(methods: readonly Method[], code: string): Method | undefined {
  const { group } = partsOf(code);
  return methods.find((method) => method.group === group);
}

/** Whether customers of a merchant with these products can be offered a method here; undefined: of any merchant. */
export function isOffered(methods: readonly Method[], code: string, products?: readonly string[]): boolean {
  const method = methodOf(methods, code);
  if (method?.needs !== undefined && products?.includes(method.needs) === false) return false;
  return method?.isOffered?.(partsOf(code).channel) ?? true;
}
