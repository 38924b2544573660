import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, onTestFinished, test } from 'vitest';
import { createApiDocument } from '../src/openapi/document.ts';
import { billerRoutes } from '../src/routes/biller.ts';
import { routes } from '../src/routes/index.ts';
import { startEdge } from './edge-harness.ts';

type Schema = { $ref?: string; additionalProperties?: unknown };
type Content = Record<string, { schema: Schema; example?: unknown }>;
type Response = {
  content: Content;
  links?: Record<string, { operationId: string; parameters: object }>;
  'x-response-codes'?: string[];
};
type Operation = {
  operationId: string;
  tags: string[];
  requestBody?: { content: Content };
  responses: Record<string, Response | { $ref: string }>;
  parameters?: { name: string; in: string }[];
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: { requestBody: { content: Content } } }>;
  tags: { name: string }[];
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> };
};

const kept: Document = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'));
const operations = Object.values(kept.paths).flatMap((methods) => Object.values(methods));

test('docs/openapi.json is what the routes say; npm run generate writes it anew', () => {
  const sources = { routes, billerRoutes, billerUrl: 'http://127.0.0.1:8090' };
  expect(JSON.parse(JSON.stringify(createApiDocument(sources)))).toEqual(kept);
});

test('every route is in it, and nothing else', () => {
  const ofRoutes = [...routes, ...billerRoutes].map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
  const documented = Object.entries(kept.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.sort()).toEqual(ofRoutes.sort());
});

test('parameters of the path are those of the schema', () => {
  for (const [path, methods] of Object.entries(kept.paths)) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    for (const { parameters = [] } of Object.values(methods)) {
      expect(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(inPath);
    }
  }
});

test('operations have ids of their own, known chapters, and links to operations with the parameters that those take', () => {
  const byId = new Map(operations.map((operation) => [operation.operationId, operation]));
  expect(byId.size).toBe(operations.length);
  const tags = kept.tags.map(({ name }) => name);
  for (const operation of operations) {
    expect(tags).toContain(operation.tags[0]);
    for (const { links = {} } of Object.values(operation.responses).map(responseOf)) {
      for (const link of Object.values(links)) {
        const inPath = (byId.get(link.operationId)?.parameters ?? []).filter((parameter) => parameter.in === 'path');
        expect(Object.keys(link.parameters).sort(), link.operationId).toEqual(inPath.map(({ name }) => name).sort());
      }
    }
  }
});

test('answers are closed and requests open; null is a type', () => {
  for (const operation of operations) {
    const body = operation.requestBody?.content['application/json']?.schema;
    if (body !== undefined) expect(closed(body), operation.operationId).toBe(false);
    for (const [status, response] of Object.entries(operation.responses)) {
      expect(closed(contentOf(responseOf(response)).schema), `${operation.operationId} ${status}`).toBe(true);
    }
  }
  expect(JSON.stringify(kept)).not.toContain('"nullable"');
});

test('every operation and every webhook has an example, a real one that fits', () => {
  const ajv = addFormats.default(new Ajv2020({ strict: false }));
  ajv.addSchema(kept, 'api');
  const check = (pointer: string, { schema, example }: Content[string]) => {
    const valid = ajv.compile(schema.$ref !== undefined ? { $ref: `api${schema.$ref}` } : schema);
    expect(valid(example), `${pointer}: ${ajv.errorsText(valid.errors)} ${JSON.stringify(example)}`).toBe(true);
  };
  for (const operation of operations) {
    const { operationId, requestBody, responses } = operation;
    if (requestBody !== undefined) check(`${operationId}, request`, contentOf(requestBody));
    for (const [status, response] of Object.entries(responses)) {
      const content = contentOf(responseOf(response));
      if (status.startsWith('2') || content.example !== undefined) check(`${operationId}, ${status}`, content);
    }
  }
  for (const [event, { post }] of Object.entries(kept.webhooks)) check(event, contentOf(post.requestBody));
});

test('every number says its size, also one that may be null', () => {
  const sizeless: string[] = [];
  walk(kept, '', (schema, pointer) => {
    const types = [Reflect.get(schema, 'type')].flat();
    if ((types.includes('number') || types.includes('integer')) && !('format' in schema)) sizeless.push(pointer);
  });
  expect(sizeless).toEqual([]);
});

test("the balance of another merchant's account is a method that is not allowed, and never 403 for that", () => {
  const responses = kept.paths['/api/v1.0/balance-inquiry/{account_id}']?.get?.responses;
  const descriptionOf = (status: string) => Reflect.get(responseOf(responses?.[status] ?? { $ref: 'none' }), 'description');
  expect(descriptionOf('405')).toContain('another merchant');
  expect(descriptionOf('403')).toContain('whitelist');
  expect(descriptionOf('403')).not.toContain('another merchant');
});

test('every field of a request says what it is, unless its type or its words do', () => {
  const silent: string[] = [];
  for (const { operationId, requestBody } of operations) {
    const schema = requestBody?.content['application/json']?.schema ?? {};
    const body = schema.$ref === undefined ? schema : componentOf(kept.components.schemas, schema.$ref);
    for (const [field, described] of Object.entries(Object(Reflect.get(body, 'properties')))) {
      const speaks = ['description', '$ref', 'enum', 'const'].some((key) => Object.hasOwn(Object(described), key));
      if (!speaks && !JSON.stringify(described).includes('"$ref"')) silent.push(`${operationId} ${field}`);
    }
  }
  expect(silent).toEqual([]);
});

test('SP008 is reserved, and no answer has it', () => {
  const codes = operations.flatMap(({ responses }) =>
    Object.values(responses).flatMap((response) => responseOf(response)['x-response-codes'] ?? []),
  );
  expect(codes).toContain('SP018');
  expect(codes).not.toContain('SP008');
});

test('it is served to anybody', async () => {
  const edge = await startEdge();
  onTestFinished(() => edge.close());
  const { http, headers, json } = await edge.send('GET', '/openapi.json');
  expect(http).toBe(200);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(json).toEqual(kept);
  const again = await fetch(`${edge.url}/openapi.json`, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

/** Visits every object but examples, with its JSON pointer. */
function walk(value: unknown, pointer: string, visit: (object: object, pointer: string) => void): void {
  if (typeof value !== 'object' || value === null) return;
  visit(value, pointer);
  for (const [key, inner] of Object.entries(value)) {
    if (key !== 'example' && key !== 'examples') walk(inner, `${pointer}/${key}`, visit);
  }
}

/** A response, or the component that a reference to one names. */
function responseOf(response: Response | { $ref: string }): Response {
  return '$ref' in response ? componentOf(kept.components.responses, response.$ref) : response;
}

function componentOf<Component>(components: Record<string, Component>, reference: string): Component {
  const found = components[reference.replace(/^.*\//, '')];
  if (found === undefined) throw new Error(`there is no ${reference}`);
  return found;
}

function contentOf({ content }: { content: Content }) {
  const json = content['application/json'];
  if (json === undefined) throw new Error('there is no JSON');
  return json;
}

function closed(schema: Schema): boolean {
  const { additionalProperties } = schema.$ref === undefined ? schema : componentOf(kept.components.schemas, schema.$ref);
  return additionalProperties === false;
}
