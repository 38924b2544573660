import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

export const CLIENT_ID = 'gerbang-cli';

/** A real OpenID provider in this process. Who types a name is that person: it has its own forms for development. */
export async function startOidcProvider() {
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the provider has no port');
  const issuer = `http://127.0.0.1:${address.port}`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
        redirect_uris: ['http://127.0.0.1/callback'],
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'r1', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['for tests only'] },
    features: { devInteractions: { enabled: true }, deviceFlow: { enabled: true } },
    ttl: { IdToken: 600 },
    // RFC 8628 has no nonce, and this provider leaves it out unless it is put there; others, such as Keycloak, keep it.
    async expiresWithSession(_, code) {
      if (givesNonceToDevices && code instanceof provider.DeviceCode) Object.assign(code, { nonce: code.params?.nonce });
      return false;
    },
  });
  let givesNonceToDevices = false;
  const handle = provider.callback();
  return {
    issuer,
    giveNonceToDevices(): void {
      givesNonceToDevices = true;
    },
    close: () => new Promise<unknown>((resolve) => server.close(resolve).closeAllConnections()),
  };
}

/** What a person does in a browser: follows redirects with cookies, and fills in the forms with this name, or this device's code. */
export async function browse(address: string, name: string, code = ''): Promise<string> {
  const cookies = new Map<string, string>();
  let url = new URL(address);
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 20; step++) {
    const headers = { cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join('; ') };
    const response = await fetch(url, { headers, redirect: 'manual', ...(form && { method: 'POST', body: form }) });
    for (const cookie of response.headers.getSetCookie()) {
      const [key = '', value = ''] = (cookie.split(';')[0] ?? '').split('=');
      cookies.set(key, value);
    }
    form = undefined;
    const location = response.headers.get('location');
    const text = await response.text();
    if (location !== null) {
      url = new URL(location, url);
      continue;
    }
    const action = /<form[^>]*action="([^"]+)"/.exec(text)?.[1];
    if (action === undefined) return text;
    url = new URL(action, url);
    form = new URLSearchParams([...text.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => hidden(input)));
    if (/name="login"/.test(text)) form.set('login', name);
    if (/name="user_code"/.test(text) && !form.has('user_code')) form.set('user_code', code);
    if (/name="password"/.test(text)) form.set('password', 'x');
  }
  throw new Error('the provider redirects without end');
}

function hidden(input: string): [string, string] {
  return [/name="([^"]*)"/.exec(input)?.[1] ?? '', /value="([^"]*)"/.exec(input)?.[1] ?? ''];
}
