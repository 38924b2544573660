import { describeRefusal } from '@gerbang/core';
import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { ECHOED } from '../http/answer.ts';
import type { Envelope } from '../http/envelope.ts';
import { legacy, legacyMeaning } from '../http/envelope-legacy.ts';
import { v2 } from '../http/envelope-v2.ts';
import type { PublicRefusal } from '../http/operation.ts';
import type { Route } from '../http/route.ts';
import { examplesOf } from './examples.ts';
import { named, pascal } from './names.ts';
import { isAlways, OCCURS, refusalsOf } from './refusals.ts';

const FieldErrors = z
  .record(z.string(), z.array(z.string()))
  .meta({ id: 'FieldErrors', description: 'What is wrong with the request: messages by field.' });

const ErrorDetail = z
  .strictObject({
    code: z.int().meta({ description: 'The HTTP status; 4059901 where the method is not allowed.' }),
    message: z.string(),
    errors: FieldErrors.optional(),
  })
  .meta({ id: 'ErrorDetail' });

const envelopeV1 = { status: z.int().meta({ description: 'The HTTP status.' }), success: z.literal(false), error: ErrorDetail };

const ErrorV1 = z
  .strictObject({ ...envelopeV1, data: z.strictObject({ errors: FieldErrors }).meta({ id: 'ErrorV1Data' }).optional() })
  .meta({ id: 'ErrorV1', description: 'The v1 envelope of an error. `data.errors` is the same as `error.errors`.' });

/** Fields of the request that identify what it is about are echoed (contract §2). */
const ErrorV2Data = z
  .strictObject({
    message: z.string(),
    errors: FieldErrors.optional(),
    ...Object.fromEntries(ECHOED.map((name) => [name, z.string().optional()])),
    // What single operations echo in any case.
    reference_number: z.string().nullable().optional(),
    scope: z.string().nullable().optional(),
    type: z.string().nullable().optional(),
  })
  .meta({ id: 'ErrorV2Data', description: 'What went wrong, with the fields of the request that identify what it was about.' });

const envelopeV2 = {
  response_code: z
    .string()
    .regex(/^SP0(?:0[1-79]|1[0-9]|20)$/)
    .meta({ description: 'The code of the outcome; each answer lists those that it may have.' }),
  response_message: z
    .string()
    .meta({ description: 'What the code means, or more closely what has happened. For people: read the code.' }),
};

const ErrorV2 = z
  .strictObject({ ...envelopeV2, data: ErrorV2Data })
  .meta({ id: 'ErrorV2', description: 'The v2 envelope of an error.' });

const command = z.string().nullable().meta({ description: 'The command of the request; null where it had none.' });

const LegacyError = z
  .strictObject({
    command,
    response_code: z.enum(['04', '99']).meta({ description: '04: rejected; 99: a system error, send the request again.' }),
    response_text: z.string(),
    data: FieldErrors,
  })
  .meta({ id: 'LegacyError', description: 'An error of the biller in the legacy envelope.' });

/** One shape for both, so that clients have one type. */
const LegacyOrV1Error = z
  .strictObject({
    ...LegacyError.partial().shape,
    ...ErrorV1.partial().shape,
    data: z.union([FieldErrors, ErrorV1.shape.data]),
  })
  .meta({
    id: 'LegacyOrV1Error',
    description: 'The legacy envelope; what is wrong with who calls is in the v1 envelope, which has `status`.',
  });

const REQUEST_ID = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .meta({ id: 'RequestId', description: 'The id of the request and of its trace: name it when you ask for support.' });
const requestId = z.object({ 'X-Request-Id': REQUEST_ID });
const retryable = requestId.extend({
  'Retry-After': z.int().optional().meta({ description: 'Seconds after which the same request may be sent again.' }),
});
const replayable = requestId.extend({
  'Idempotency-Replayed': z
    .literal('true')
    .optional()
    .meta({ description: 'This is the answer to an earlier request with the same Idempotency-Key.' }),
});

/** Answers that are the same for many routes, by their name as a component. */
export type SharedAnswers = Map<string, ZodOpenApiResponseObject>;

/** Every answer of a route by HTTP status; one that any route may have is kept in `shared` and taken from there. */
export function answersOf(route: Route, shared: SharedAnswers): ZodOpenApiResponsesObject {
  const { operation } = route;
  const byStatus = new Map<number, PublicRefusal[]>();
  for (const refusal of refusalsOf(route)) {
    const status = statusOf(route, refusal);
    byStatus.set(status, [...(byStatus.get(status) ?? []), refusal]);
  }
  const success = operation.status ?? 200;
  const { failures } = operation;
  const withData = failures === undefined ? undefined : errorWithData(route);
  const schemaOf = (refusals: readonly PublicRefusal[]) => {
    const isWithData = refusals.some((refusal) => failures?.includes(refusal));
    return (isWithData ? withData : undefined) ?? plainError(route, refusals);
  };
  return {
    [success]: successOf(route, success),
    ...Object.fromEntries(
      [...byStatus].map(([status, refusals]) => {
        const error = errorOf(route, status, { refusals, schema: schemaOf(refusals) });
        if (error.id === undefined) return [status, error];
        const known = shared.get(error.id) ?? error;
        shared.set(error.id, known);
        return [status, known];
      }),
    ),
  };
}

/** Errors of the biller's host are in the v1 envelope where they are about who calls: a missing X-PARTNER-ID is, too. */
function plainError({ envelope }: Route, refusals: readonly PublicRefusal[]): z.ZodType {
  if (envelope === v2) return ErrorV2;
  if (envelope !== legacy) return ErrorV1;
  const isLegacy = refusals.some((refusal) => legacyMeaning(refusal) !== undefined);
  const isV1 = refusals.some((refusal) => legacyMeaning(refusal) === undefined || refusal === 'validation');
  if (isLegacy && isV1) return LegacyOrV1Error;
  return isLegacy ? LegacyError : ErrorV1;
}

function successOf(route: Route, status: number): ZodOpenApiResponseObject {
  const { operation } = route;
  const others = Object.entries(operation.otherContent ?? {});
  const examples = examplesOf(operation.id)?.answer;
  return {
    description: status === 201 ? 'Created.' : status === 202 ? 'Accepted.' : 'Success.',
    headers: operation.creates ? replayable : requestId,
    content: {
      'application/json': { schema: envelopeOf(route, status), ...(examples !== undefined && { example: examples }) },
      ...Object.fromEntries(others.map(([type, description]) => [type, { schema: z.string().meta({ description }) }])),
    },
    ...(operation.links !== undefined && { links: linksOf(operation.links) }),
  };
}

function envelopeOf(route: Route, status: number): z.ZodType {
  const { operation } = route;
  const data = named(operation.data, `${pascal(operation.id)}Data`);
  return z.strictObject({ ...successFields(route, status), data }).meta({ id: `${pascal(operation.id)}Answer` });
}

function successFields({ envelope }: Route, status: number): z.ZodRawShape {
  if (envelope === v2) return { response_code: z.literal('SP000'), response_message: z.literal('Success') };
  if (envelope === legacy) return { command, response_code: z.literal('00'), response_text: z.literal('Success') };
  return { status: z.int().min(status).max(status), success: z.literal(true) };
}

function errorOf(
  route: Route,
  status: number,
  { refusals, schema }: { refusals: readonly PublicRefusal[]; schema: z.ZodType },
): ZodOpenApiResponseObject {
  const isV2 = route.envelope === v2;
  const codes = isV2 ? [...new Set(refusals.map((refusal) => describeRefusal(refusal).spCode))].sort() : [];
  const example = examplesOf(route.operation.id)?.errors?.[status];
  const isShared = example === undefined && refusals.every(isAlways);
  return {
    // One component for what any operation may answer.
    ...(isShared && { id: `${nameOf(route.envelope)}Error${status}` }),
    description: refusals.map((refusal) => `- ${codeOf(route.envelope, refusal)}${OCCURS[refusal]}`).join('\n'),
    headers: refusals.some((refusal) => describeRefusal(refusal).retryable) ? retryable : requestId,
    content: { 'application/json': { schema, ...(example !== undefined && { example }) } },
    ...(isV2 && { 'x-response-codes': codes }),
  };
}

/** The code by which the envelope says it, before a description. */
function codeOf(envelope: Envelope, refusal: PublicRefusal): string {
  const code = envelope === v2 ? describeRefusal(refusal).spCode : envelope === legacy ? legacyMeaning(refusal)?.code : undefined;
  return code === undefined ? '' : `${code}: `;
}

function nameOf(envelope: Envelope): string {
  if (envelope === v2) return 'V2';
  return envelope === legacy ? 'Legacy' : 'V1';
}

/** An order that has failed is answered with what it is (contract §6): one shape for both, so that clients have one type. */
function errorWithData({ operation, envelope }: Route): z.ZodType {
  if (!(operation.data instanceof z.ZodObject)) throw new Error(`the data of ${operation.id} is no object`);
  const id = `${pascal(operation.id)}Error`;
  const ordered = operation.data.partial().shape;
  const isV2 = envelope === v2;
  const data = z
    // Fields of the request are echoed as they came, so they may be none of the texts that an order has.
    .strictObject(isV2 ? { ...ordered, ...ErrorV2Data.shape } : { ...ordered, errors: FieldErrors.optional() })
    .meta({ id: `${id}Data`, description: 'What was ordered, where it is recorded and has failed.' });
  const schema = isV2 ? z.strictObject({ ...envelopeV2, data }) : z.strictObject({ ...envelopeV1, data: data.optional() });
  return schema.meta({ id });
}

function statusOf({ envelope }: Route, refusal: PublicRefusal): number {
  const { http, v1Http } = describeRefusal(refusal);
  return envelope === v2 ? http : v1Http;
}

function linksOf(links: NonNullable<Route['operation']['links']>) {
  return Object.fromEntries(Object.entries(links).map(([operationId, parameters]) => [operationId, { operationId, parameters }]));
}
