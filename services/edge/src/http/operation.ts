import type { RefusalCode } from '@gerbang/core';
import type { z } from 'zod';
import type { Context } from '../context.ts';
import type { Answer, Call } from './call.ts';
import { type IdempotencyKey, idempotencyKeyOf } from './idempotency.ts';
import { validate } from './validation.ts';

/** Refusals between services, and SP008, which is reserved: no merchant ever gets one. */
type InternalRefusal =
  | 'posting_key_conflict'
  | 'not_owner'
  | 'merchant_not_found'
  | 'invalid_reference'
  | 'approval_needed'
  | 'approval_used';

/** A refusal that a merchant may get. */
export type PublicRefusal = Exclude<RefusalCode, InternalRefusal>;

/** What an operation takes: schemas for the parameters of its path, its query and its body, where it has them. */
type Input = z.ZodObject<{ params?: z.ZodObject; query?: z.ZodObject; body?: z.ZodType }>;

/** An admitted request with the input that the operation's schemas have made of it. */
export type ValidCall<I extends z.ZodType> = Pick<Call, 'caller' | 'header' | 'address'> &
  z.output<I> & {
    /** Only of an operation that creates, and only where the request has one. */
    idempotencyKey: IdempotencyKey | undefined;
  };

/** What describes an operation in the API's document (openapi/document.ts). */
export type Operation = {
  /** The operationId. Generated clients have a method of this name, so it never changes. */
  id: string;
  summary: string;
  /** Markdown: what a merchant's developer must know beyond the schemas. */
  description?: string;
  input: Input;
  /** `data` of the answer. */
  data: z.ZodType<object, object>;
  /** 200 by default; v1 routes only. */
  status?: 201 | 202;
  /** Whether it creates something, and so takes an Idempotency-Key (contract §2). */
  creates?: true;
  /** Fields of the body that no hash may be made of: cards. Its Idempotency-Key stands for the body without them. */
  secretFields?: readonly string[];
  /** Only its own: openapi/refusals.ts adds those that follow from its route and its input. */
  refusals?: readonly PublicRefusal[];
  /** Refusals that come with `data`: the order is recorded and has failed. */
  failures?: readonly PublicRefusal[];
  /** Fields of the body that every error echoes once the body was read, null where the request has no short text for them. */
  echoes?: readonly string[];
  /** The next operations by operationId: where their parameters are in this request or its answer (OpenAPI links). */
  links?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Other media types that a caller may ask for, with descriptions. */
  otherContent?: Readonly<Record<string, string>>;
  /** Checks the input, then handles it. Refusals: validation, and those of the handler. */
  run(context: Context, call: Call): Promise<Answer>;
};

type Definition<I extends Input, D extends z.ZodType<object, object>> = Omit<Operation, 'input' | 'data' | 'run'> & {
  input: I;
  data: D;
  handle(context: Context, call: ValidCall<I>): Promise<Answer<z.input<D>>>;
};

/**
 * One operation of the API: what it takes and answers, and its handler. The handler's types, the checks of the input and the
 * operation's part of the API's document all follow from the schemas.
 */
export function operation<I extends Input, D extends z.ZodType<object, object>>({
  handle,
  ...described
}: Definition<I, D>): Operation {
  const { input, creates, secretFields } = described;
  return {
    ...described,
    // Not awaited here: one promise less for each request.
    run(context, call) {
      const idempotencyKey = creates ? idempotencyKeyOf(call, secretFields) : undefined;
      const { caller, header, address } = call;
      return handle(context, { caller, header, address, ...validate(input, call), idempotencyKey });
    },
  };
}
