import { z } from 'zod';

const operation = z.looseObject({ requestBody: z.looseObject({ content: z.unknown() }) });
const document = z.looseObject({
  paths: z.record(z.string(), z.unknown()),
  webhooks: z.record(z.string(), z.object({ post: operation })).default({}),
});

const WEBHOOKS = '/webhooks/';

/**
 * The document in a form in which a comparison sees all that matters to a merchant. A webhook's payload is what a merchant reads:
 * it becomes the answer of an operation, so that a field that goes breaks and one that comes does not. `const` becomes an `enum`
 * of one.
 */
export function comparable(text: string): object {
  const { webhooks, ...rest } = document.parse(JSON.parse(text));
  const payloads = Object.entries(webhooks).map(([event, { post }]) => {
    const answer = { description: event, content: post.requestBody.content };
    return [`${WEBHOOKS}${event}`, { get: { responses: { 200: answer } } }] as const;
  });
  return replaceConst({ ...rest, paths: { ...rest.paths, ...Object.fromEntries(payloads) } });
}

/** An operation as the change log names it: `POST /api/v1.0/accounts`, `WEBHOOK va-transaction`. */
export function operationName(method: string, path: string): string {
  if (path === '') return 'API';
  return path.startsWith(WEBHOOKS) ? `WEBHOOK ${path.slice(WEBHOOKS.length)}` : `${method} ${path}`;
}

function replaceConst(value: object): object {
  return JSON.parse(JSON.stringify(value), (_, node: unknown) => {
    // A property that is called so has a schema; the keyword has a value.
    if (typeof node !== 'object' || node === null || !('const' in node) || isSchema(node.const)) return node;
    const { const: only, ...rest } = node;
    return { ...rest, enum: [only] };
  });
}

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
