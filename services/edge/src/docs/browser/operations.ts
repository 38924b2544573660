/** What of the OpenAPI document says how a request authenticates itself. */
export type ApiDocument = {
  paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  security?: readonly Readonly<Record<string, unknown>>[];
};

type Operation = { security?: ApiDocument['security']; 'x-signed'?: boolean };

/** How one request authenticates itself: the security schemes that go together, and whether it is signed. */
export type Authentication = { schemes: ReadonlySet<string>; signed: boolean };

/** What the document says of a request; undefined where it knows no such operation. */
export function authenticationOf(document: ApiDocument, method: string, path: string): Authentication | undefined {
  const templates = Object.keys(document.paths ?? {}).sort((a, b) => parametersIn(a) - parametersIn(b));
  for (const template of templates) {
    const operation = document.paths?.[template]?.[method.toLowerCase()];
    if (!isOperation(operation) || !patternOf(template).test(path)) continue;
    const [required = {}] = operation.security ?? document.security ?? [];
    return { schemes: new Set(Object.keys(required)), signed: operation['x-signed'] === true };
  }
  return undefined;
}

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null;
}

/** A path without parameters comes before one whose parameter could have the same text. */
function parametersIn(template: string): number {
  return template.split('{').length;
}

function patternOf(template: string): RegExp {
  const parts = template.split(/\{[^}]+\}/).map((part) => part.replace(/[.*+?^$()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^/]+')}$`);
}
