import { withAccounts } from './accounts.ts';
import { takeCredentials } from './fragment.ts';
import { type ApiDocument, authenticationOf } from './operations.ts';
import { element } from './page.ts';
import { createSession } from './session.ts';

const DOCUMENT = '/openapi.json';

const panel = element('credentials', HTMLDetailsElement);
const form = element('credentials-form', HTMLFormElement);
const state = element('state', HTMLSpanElement);
const fields = {
  partnerId: element('partner-id', HTMLInputElement),
  clientId: element('client-id', HTMLInputElement),
  clientSecret: element('client-secret', HTMLInputElement),
};
const session = createSession();
/** The document and its renderer, once they are there. */
let shown: { api: ApiDocument; renderer: SwaggerRenderer } | undefined;

takeFragment();
// A link with credentials may be opened where the page is open already.
window.addEventListener('hashchange', takeFragment);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  use({ partnerId: fields.partnerId.value, clientId: fields.clientId.value, clientSecret: fields.clientSecret.value });
  if (session.credentials() !== undefined) panel.open = false;
});
element('forget', HTMLButtonElement).addEventListener('click', () => {
  form.reset();
  use(undefined);
});
await showReference();

/** Reads credentials from the fragment once, and takes them out of the address bar and the history. */
function takeFragment(): void {
  const taken = takeCredentials(location.hash);
  if (taken === undefined) return;
  history.replaceState(history.state, '', location.pathname + location.search + taken.rest);
  for (const name of ['partnerId', 'clientId', 'clientSecret'] as const) fields[name].value = taken.credentials[name];
  use(taken.credentials);
}

function use(entered: Parameters<typeof session.use>[0]): void {
  const missing = entered !== undefined && Object.values(entered).some((value) => value === '');
  session.use(missing ? undefined : entered);
  if (entered === undefined) say('Requests go out without credentials', { good: false });
  else if (missing) say('All three are needed to sign requests', { good: false });
  else {
    say(`Requests are signed for ${entered.partnerId}`, { good: true });
    void fillInAccounts();
  }
}

/** Puts the reader's accounts into the examples of a document that is shown already. */
async function fillInAccounts(): Promise<void> {
  if (shown === undefined) return;
  const accountIds = await session.accountIds();
  if (accountIds.length > 0) shown.renderer.specActions.updateJsonSpec(withAccounts(shown.api, accountIds));
}

function say(text: string, { good }: { good: boolean }): void {
  state.textContent = text;
  panel.classList.toggle('active', good);
}

async function showReference(): Promise<void> {
  const loading = element('loading', HTMLElement);
  const response = await fetch(DOCUMENT).catch((error: unknown) => String(error));
  if (typeof response === 'string' || !response.ok) {
    loading.textContent = `${DOCUMENT} could not be read: ${typeof response === 'string' ? response : `HTTP ${response.status}`}`;
    return;
  }
  const api: ApiDocument = await response.json();
  const renderer = SwaggerUIBundle({
    dom_id: '#reference',
    url: DOCUMENT,
    spec: withAccounts(api, await session.accountIds()),
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    // Else documents are sent to a server of the renderer's makers.
    validatorUrl: null,
    plugins: [{ wrapComponents: { authorizeBtn: hidden, authorizeOperationBtn: hidden, ServersContainer: hidden } }],
    requestInterceptor: (request) => authenticate(request, api),
    responseInterceptor(answer) {
      if (answer.status === 401) session.forgetToken();
      return answer;
    },
  });
  shown = { api, renderer };
}

/** Our own panel takes credentials, and there is only one server: this one. */
function hidden() {
  return () => null;
}

/** Adds what the operation asks for; the signature is over the address and the body as they are sent. */
async function authenticate(request: SwaggerRequest, api: ApiDocument): Promise<SwaggerRequest> {
  if (request.loadSpec === true) return request;
  const { method = 'GET', body } = request;
  const url = new URL(request.url, location.href);
  const authentication = authenticationOf(api, method, url.pathname);
  if (authentication === undefined || url.origin !== location.origin) return request;
  if (session.credentials() === undefined && authentication.schemes.size > 0) panel.open = true;
  const outgoing = { method, path: url.pathname + url.search, body: typeof body === 'string' ? body : '' };
  try {
    await session.authenticate(request.headers, outgoing, authentication);
  } catch (error) {
    // The renderer shows no request that was given up, so it goes out without a token; the reason stands beside the credentials.
    say(error instanceof Error ? error.message : String(error), { good: false });
    panel.open = true;
  }
  return request;
}
