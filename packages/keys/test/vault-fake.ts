import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const content = z.object({
  plaintext: z.string().optional(),
  ciphertext: z.string().optional(),
  context: z.string().optional(),
  role: z.string().optional(),
  jwt: z.string().optional(),
});

type Answer = { status: number; json: object };

/**
 * Vault's transit engine as far as it is used here, over HTTP: versioned keys derived by their context, really encrypted, and
 * tokens with policies, each the list of key names that it may use.
 */
export async function startVaultFake() {
  const keys = new Map<string, Buffer[]>();
  const policies = new Map<string, readonly string[]>();
  const jwts = new Map<string, { role: string; allowed: readonly string[] }>();
  const state = { requests: 0, fail: 0, logins: 0 };

  const derive = (root: Buffer, context: string) => Buffer.from(hkdfSync('sha256', root, '', Buffer.from(context, 'base64'), 32));
  const encrypt = (versions: Buffer[], context: string, plaintext: string): Answer => {
    const [iv, root] = [randomBytes(12), versions.at(-1) ?? Buffer.alloc(32)];
    const cipher = createCipheriv('aes-256-gcm', derive(root, context), iv);
    const data = Buffer.concat([cipher.update(Buffer.from(plaintext, 'base64')), cipher.final()]);
    const blob = Buffer.concat([iv, data, cipher.getAuthTag()]).toString('base64');
    return { status: 200, json: { data: { ciphertext: `vault:v${versions.length}:${blob}`, key_version: versions.length } } };
  };
  const decrypt = (versions: Buffer[], context: string, ciphertext: string): Answer => {
    const [, version = '', base64 = ''] = /^vault:v([0-9]+):(.+)$/.exec(ciphertext) ?? [];
    const root = versions[Number(version) - 1];
    const blob = Buffer.from(base64, 'base64');
    try {
      const decipher = createDecipheriv('aes-256-gcm', derive(root ?? Buffer.alloc(32), context), blob.subarray(0, 12));
      decipher.setAuthTag(blob.subarray(-16));
      const plain = Buffer.concat([decipher.update(blob.subarray(12, -16)), decipher.final()]);
      return { status: 200, json: { data: { plaintext: plain.toString('base64') } } };
    } catch {
      return { status: 400, json: { errors: ['cipher: message authentication failed'] } };
    }
  };
  const login = (role: string | undefined, jwt: string | undefined): Answer => {
    const known = jwts.get(jwt ?? '');
    if (known === undefined || known.role !== role) return { status: 403, json: { errors: ['permission denied'] } };
    const token = `s.${randomBytes(8).toString('hex')}`;
    policies.set(token, known.allowed);
    state.logins++;
    return { status: 200, json: { auth: { client_token: token, lease_duration: 3_600 } } };
  };
  const answer = async (request: IncomingMessage): Promise<Answer> => {
    state.requests++;
    if (state.fail > 0) {
      state.fail--;
      return { status: 503, json: { errors: ['Vault is sealed'] } };
    }
    const asked = content.parse(JSON.parse(await text(request)));
    if (request.url === '/v1/auth/kubernetes/login') return login(asked.role, asked.jwt);
    const [, operation, name = ''] = /^\/v1\/transit\/(encrypt|decrypt)\/([a-z-]+)$/.exec(request.url ?? '') ?? [];
    const token = request.headers['x-vault-token'];
    const allowed = typeof token === 'string' ? policies.get(token) : undefined;
    const versions = keys.get(name);
    if (!allowed?.includes(name)) return { status: 403, json: { errors: ['1 error occurred: permission denied'] } };
    if (versions === undefined) return { status: 400, json: { errors: ['encryption key not found'] } };
    if (asked.context === undefined) return { status: 400, json: { errors: ['missing context for key derivation'] } };
    return operation === 'encrypt'
      ? encrypt(versions, asked.context, asked.plaintext ?? '')
      : decrypt(versions, asked.context, asked.ciphertext ?? '');
  };
  const server = createServer((request, response) => {
    void answer(request).then(({ status, json }) => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(json));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/transit`),
    state,
    policies,
    jwts,
    /** Makes a key, or its next version. */
    rotate: (name: string) => keys.set(name, [...(keys.get(name) ?? []), randomBytes(32)]),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
