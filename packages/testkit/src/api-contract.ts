import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** An answer as it came over the wire. `url`: the path, with or without host and query. */
export type ReceivedAnswer = { method: string; url: string; status: number; headers: Headers; text: string };

/** Checks answers and webhooks against the API's document (OpenAPI 3.1). */
export type ApiContract = {
  /** Throws where the document does not have this answer: its status, its media type, a field too many, too few or wrong. */
  checkAnswer(answer: ReceivedAnswer): void;
  /** Throws where the document does not have this webhook. */
  checkWebhook(event: string, body: unknown): void;
  /** The operations of which an answer was checked, by operationId with the status: "listAccounts 200". */
  seen: ReadonlySet<string>;
};

type Operation = { pattern: RegExp; method: string; operationId: string; responses: Record<string, [Response, pointer: string]> };
type Response = { content?: Record<string, unknown>; 'x-response-codes'?: string[] };
type Reference = { $ref: string };
type Document = {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, Response | Reference> }>>;
  webhooks: Record<string, unknown>;
  components: { responses: Record<string, Response> };
};

const ID = 'api';
/** Answers before a route is found, and to wrong methods: no operation has them. */
const NO_OPERATION = new Set([404, 405]);

/** Reads the document; `document` is what JSON.parse gives of it. */
export function readApiContract(document: Document): ApiContract {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, ID);
  const operations = operationsOf(document);
  const compiled = new Map<string, ValidateFunction>();
  const seen = new Set<string>();

  function check(pointer: string, body: unknown, about: string): void {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `${ID}#${pointer}` });
    compiled.set(pointer, validate);
    if (validate(body)) return;
    const errors = ajv.errorsText(validate.errors, { dataVar: 'body', separator: '\n  ' });
    const fields = (validate.errors ?? []).flatMap(({ params }) => Object.values(params)).join(', ');
    throw new Error(`${about} is not as the API's document has it:\n  ${errors}\n  (${fields})\n  ${JSON.stringify(body)}`);
  }

  return {
    seen,
    checkAnswer({ method, url, status, headers, text }) {
      const path = url.replace(/^https?:\/\/[^/]+/, '').replace(/\?.*$/s, '');
      const found = operations.find((operation) => operation.method === method && operation.pattern.test(path));
      if (found === undefined) {
        if (NO_OPERATION.has(status)) return;
        throw new Error(`the API's document has no ${method} ${path}, which answered ${status}`);
      }
      const about = `the answer ${status} of ${found.operationId}`;
      const [response, at] = found.responses[status] ?? [];
      if (response === undefined || at === undefined) throw new Error(`${about} is not in the API's document: ${text}`);
      const type = (headers.get('content-type') ?? '').replace(/;.*$/s, '');
      if (!Object.hasOwn(response.content ?? {}, type))
        throw new Error(`${about} has the media type "${type}", which is not in the API's document`);
      seen.add(`${found.operationId} ${status}`);
      if (type !== 'application/json') return;
      const body: unknown = JSON.parse(text);
      check(`${at}/content/${toStep(type)}/schema`, body, about);
      const codes = response['x-response-codes'];
      if (codes !== undefined && !codes.includes(codeOf(body)))
        throw new Error(`${about} may not have the code ${codeOf(body)}: ${text}`);
    },
    checkWebhook(event, body) {
      const about = `the webhook ${event}`;
      if (!Object.hasOwn(document.webhooks, event)) throw new Error(`${about} is not in the API's document`);
      check(`/webhooks/${toStep(event)}/post/requestBody/content/application~1json/schema`, body, about);
      seen.add(event);
    },
  };
}

function operationsOf({ paths, components }: Document): Operation[] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, responses }]) => ({
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      method: method.toUpperCase(),
      operationId,
      responses: Object.fromEntries(
        Object.entries(responses).map(([status, response]) => [
          status,
          locate(response, `/paths/${toStep(path)}/${method}/responses/${status}`, components.responses),
        ]),
      ),
    })),
  );
  // A path without parameters goes before one that has them, as in the router.
  return operations.sort((a, b) => parameters(a) - parameters(b));
}

/** A response and where it stands: a reference is followed to the component. */
function locate(response: Response | Reference, pointer: string, shared: Record<string, Response>): [Response, string] {
  if (!('$ref' in response)) return [response, pointer];
  const found = shared[response.$ref.replace('#/components/responses/', '')];
  if (found === undefined) throw new Error(`the API's document has no ${response.$ref}`);
  return [found, response.$ref.replace('#', '')];
}

function parameters({ pattern }: Operation): number {
  return pattern.source.split('[^/]+').length;
}

/** A step of a JSON pointer in a URI fragment (RFC 6901). */
function toStep(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function codeOf(body: unknown): string {
  return typeof body === 'object' && body !== null && 'response_code' in body ? String(body.response_code) : '';
}
