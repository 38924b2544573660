import { element, make } from './page.ts';

/** What POST /docs/signature/explain answers. */
type Explanation = {
  kind: string;
  valid: boolean;
  canonical_json: string | null;
  body_sha256: string | null;
  string_to_sign: string | null;
  expected_signature: string | null;
  received_signature: string;
  differences: { component: string; cause: string; message: string }[];
  notes: string[];
};
type Refused = { error?: { message?: string } };

const form = element('message', HTMLFormElement);
const problem = element('problem', HTMLParagraphElement);
const result = element('explanation', HTMLElement);
const button = form.querySelector('button');
const input = (id: string) => element(id, HTMLInputElement).value;
const area = (id: string) => element(id, HTMLTextAreaElement).value;

form.addEventListener('submit', (event) => {
  event.preventDefault();
  problem.textContent = '';
  if (button !== null) button.disabled = true;
  explain()
    .then(show, (error: unknown) => {
      result.hidden = true;
      problem.textContent = error instanceof Error ? error.message : String(error);
    })
    .finally(() => {
      if (button !== null) button.disabled = false;
    });
});

async function explain(): Promise<Explanation> {
  const message = {
    method: element('method', HTMLSelectElement).value,
    url: input('path').trim(),
    headers: readHeaders(area('headers')),
    body: area('body'),
    secret: input('secret'),
    ...(area('own') !== '' && { string_to_sign: area('own') }),
  };
  const response = await fetch('/docs/signature/explain', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(message),
  });
  if (response.ok) return await response.json();
  const refused: Refused = await response.json();
  throw new Error(refused.error?.message ?? `The gateway answered HTTP ${response.status}`);
}

/** Throws, naming the line, where one is no header. */
function readHeaders(text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const [, name, value] = /^\s*([^\s:]+)\s*:(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw new Error(`Headers, line ${i + 1}: expected a name, a colon and a value, such as X-Timestamp: 1763712000`);
    headers[name] = value.trim();
  }
  return headers;
}

function show(explanation: Explanation): void {
  const { kind, valid, differences, notes } = explanation;
  result.replaceChildren(
    make('h2', valid ? 'good' : 'wrong', valid ? 'The signature is good' : 'The signature is not good'),
    make('p', 'hint', `Read as a signed ${kind === 'access token' ? 'request for an access token' : kind}.`),
    ...differences.map(({ component, cause, message }) =>
      make(
        'div',
        'difference',
        make('p', '', make('strong', '', component), ' ', make('code', '', cause)),
        make('p', '', message),
      ),
    ),
    ...notes.map((note) => make('p', 'note', note)),
    values(explanation),
  );
  result.hidden = false;
  result.focus();
}

function values(explanation: Explanation): HTMLElement {
  const rows: [string, string | null][] = [
    ['String to sign', explanation.string_to_sign],
    ['Normalized JSON', explanation.canonical_json],
    ['SHA-256 of it', explanation.body_sha256],
    ['Expected signature', explanation.expected_signature],
    ['Received signature', explanation.received_signature],
  ];
  const list = make('dl', '');
  for (const [name, value] of rows) {
    if (value === null) continue;
    list.append(make('dt', '', name), make('dd', '', make('code', '', value === '' ? '(empty)' : value)));
  }
  return list;
}
