import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type KeyEncryption, mustBeKid } from './key-encryption.ts';
import type { Purpose } from './purpose.ts';
import { createVaultClient, type VaultLogin } from './vault-client.ts';

/** Where Vault is, by which of its transit engines the keys are kept, and how this service logs in. */
export type VaultSettings = {
  /** For instance https://vault:8200/transit: the path is where the transit engine is mounted. */
  url: URL;
  /** The key of a purpose is `<prefix>-<purpose>`. */
  prefix: string;
  login: VaultLogin;
};

const encrypted = z.object({ data: z.object({ ciphertext: z.string() }) });
const decrypted = z.object({ data: z.object({ plaintext: z.string() }) });
const CIPHERTEXT = /^vault:(v[0-9]+):([A-Za-z0-9+/=]+)$/;

/**
 * Keys in Vault's transit engine, which never gives them away: it wraps and unwraps. One key for each purpose (created with
 * `derived=true`), so that Vault's policies say which service opens what; the purpose is the context that the key is derived by.
 */
export function openVaultKeys({ url, prefix, login }: VaultSettings): KeyEncryption {
  const vault = createVaultClient(url, login);
  const mount = url.pathname.replace(/^\/|\/$/g, '') || 'transit';
  const call = (operation: 'encrypt' | 'decrypt', purpose: Purpose, content: Record<string, string>) =>
    vault(`${mount}/${operation}/${prefix}-${purpose}`, { ...content, context: base64(Buffer.from(purpose)) });
  return {
    name: 'vault',
    async wrap(purpose, dataKey) {
      const { data } = encrypted.parse(await call('encrypt', purpose, { plaintext: base64(dataKey) }));
      const [, version = '', ciphertext = ''] = CIPHERTEXT.exec(data.ciphertext) ?? [];
      return { kid: mustBeKid(version), wrapped: Buffer.from(ciphertext, 'base64') };
    },
    async unwrap(purpose, { kid, wrapped }) {
      const ciphertext = `vault:${kid}:${base64(wrapped)}`;
      const { data } = decrypted.parse(await call('decrypt', purpose, { ciphertext }));
      return Buffer.from(data.plaintext, 'base64');
    },
    earlierKey: async () => undefined,
  };
}

/** By a token that something else keeps fresh in a file, as Vault's agent does. */
export function tokenFromFile(file: string): VaultLogin {
  return async () => ({ token: (await readFile(file, 'utf8')).trim(), livesMs: 60_000 });
}

const loggedIn = z.object({ auth: z.object({ client_token: z.string(), lease_duration: z.number() }) });

/** By the pod's service account, in Kubernetes. */
export function kubernetesLogin({ role, jwtFile, path }: { role: string; jwtFile: string; path: string }): VaultLogin {
  return async (post) => {
    const jwt = (await readFile(jwtFile, 'utf8')).trim();
    const { auth } = loggedIn.parse(await post(`auth/${path}/login`, { role, jwt }));
    return { token: auth.client_token, livesMs: auth.lease_duration * 1_000 };
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
