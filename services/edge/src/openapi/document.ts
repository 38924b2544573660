import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { IDEMPOTENCY_KEY } from '../http/idempotency.ts';
import type { Route } from '../http/route.ts';
import { answersOf, type SharedAnswers } from './answers.ts';
import { examplesOf } from './examples.ts';
import { introduction } from './introduction.ts';
import { named, pascal } from './names.ts';
import { SECURITY_SCHEMES, securityOf } from './security.ts';
import { webhooks } from './webhooks.ts';

/** The version of the API's document. It rises with each change that merchants see. */
const VERSION = '1.0.0';

const idempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .regex(IDEMPOTENCY_KEY)
    .optional()
    .meta({
      description:
        'Makes it safe to send the request again for 24 hours: the same key with the same body gets the first answer, with ' +
        '`Idempotency-Replayed: true`.',
    }),
});

/** What the document is made of: the routes of base_url, and those of the biller's host at `billerUrl`. */
export type ApiSources = { routes: readonly Route[]; billerRoutes: readonly Route[]; billerUrl: string };

/** The OpenAPI 3.1 document of the API, made of its routes' schemas. Each call makes it anew, which takes about 0.2 s. */
export function createApiDocument({ routes, billerRoutes, billerUrl }: ApiSources): object {
  const paths: ZodOpenApiPathsObject = {};
  const shared: SharedAnswers = new Map();
  for (const route of [...routes, ...billerRoutes]) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    const servers = billerRoutes.includes(route) ? [{ url: billerUrl, description: 'The host of the biller.' }] : undefined;
    paths[path] = { ...paths[path], [methodOf(route)]: { ...operationOf(route, shared), ...(servers && { servers }) } };
  }
  return createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Gerbang merchant API',
        version: VERSION,
        summary: 'Accept and send rupiah in Indonesia.',
        description: introduction(),
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'The host that serves this document.' }],
      tags: tagsOf([...routes, ...billerRoutes]),
      paths,
      webhooks: webhooks(),
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    {
      override({ jsonSchema }) {
        joinNull(jsonSchema);
        sizeNumbers(jsonSchema);
      },
    },
  );
}

/** The chapters, in the order of the URL map. */
function tagsOf(routes: readonly Route[]) {
  const chapters = new Map(routes.map(({ chapter }) => [chapter.name, chapter.description]));
  return [...chapters].map(([name, description]) => ({ name, description }));
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Generators take a number without a format for a small one: Go's float32 would lose sen. */
function sizeNumbers(schema: JsonSchema): void {
  if (schema.format !== undefined) return;
  const types: unknown[] = [schema.type].flat();
  if (types.includes('number')) schema.format = 'double';
  if (types.includes('integer')) schema.format = 'int64';
}

/** Null beside one other type is a second type of it, as OpenAPI 3.1 has it. A reference and an enumeration keep their name. */
function joinNull(schema: JsonSchema): void {
  const [other, none, ...more] = schema.anyOf ?? [];
  if (none?.type !== 'null' || more.length > 0 || typeof other?.type !== 'string') return;
  if ('enum' in other || 'const' in other || other.type === 'object') return;
  delete schema.anyOf;
  Object.assign(schema, { ...other, ...schema, type: [other.type, 'null'] });
}

function methodOf({ method }: Route): 'get' | 'post' | 'put' | 'delete' {
  switch (method) {
    case 'GET':
      return 'get';
    case 'POST':
      return 'post';
    case 'PUT':
      return 'put';
    case 'DELETE':
      return 'delete';
    default:
      return method satisfies never;
  }
}

function operationOf(route: Route, shared: SharedAnswers): ZodOpenApiOperationObject {
  const { operation, signed, chapter } = route;
  const { params, query, body } = operation.input.shape;
  const header = operation.creates ? idempotencyHeader : undefined;
  return {
    operationId: operation.id,
    tags: [chapter.name],
    summary: operation.summary,
    ...(operation.description !== undefined && { description: operation.description }),
    security: securityOf(route),
    ...(signed && { 'x-signed': true }),
    requestParams: { ...(params && { path: params }), ...(query && { query }), ...(header && { header }) },
    ...(body && { requestBody: bodyOf(operation.id, body) }),
    responses: answersOf(route, shared),
  };
}

function bodyOf(operationId: string, body: z.ZodType) {
  const example = examplesOf(operationId)?.request;
  return {
    // A body may be left out where an empty one is valid.
    required: !body.safeParse({}).success,
    content: {
      'application/json': { schema: named(body, `${pascal(operationId)}Request`), ...(example !== undefined && { example }) },
    },
  };
}
