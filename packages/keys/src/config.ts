import { ConfigError, env, type Logger } from '@gerbang/runtime';
import { z } from 'zod';
import { openEnvKeys } from './env-keys.ts';
import { openFileKeys } from './file-keys.ts';
import type { KeyEncryption } from './key-encryption.ts';
import { createKeys, type Keys } from './keys.ts';
import { openKmsKeys } from './kms-keys.ts';
import type { Purpose } from './purpose.ts';
import { kubernetesLogin, openVaultKeys, tokenFromFile } from './vault-keys.ts';

/** Variables of a service that seals or opens. */
export const keysShape = {
  KEYS: z.string().optional(),
  KEYS_PREFIX: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/)
    .default('gerbang'),
  KEYS_VAULT_TOKEN_FILE: z.string().optional(),
  KEYS_VAULT_ROLE: z.string().optional(),
  KEYS_VAULT_JWT_FILE: z.string().default('/var/run/secrets/kubernetes.io/serviceaccount/token'),
  KEYS_VAULT_AUTH_PATH: z.string().default('kubernetes'),
  GERBANG_KEKS: env.keyRing().optional(),
};

export type KeysConfig = z.output<z.ZodObject<typeof keysShape>>;

/** Where keys are, in the order of KEYS. */
type Source =
  | { type: 'env' }
  | { type: 'file'; folder: string }
  | { type: 'vault'; url: URL }
  | { type: 'aws-kms'; region: string };

/** Opens the keys of some purposes, as configured. Throws ConfigError. */
export async function openKeys<P extends Purpose>(
  purposes: readonly P[],
  config: KeysConfig,
  log: Pick<Logger, 'error'>,
): Promise<Keys<P>> {
  const [first, ...others] = await Promise.all(sourcesOf(config).map((source) => openSource(source, config)));
  if (first === undefined) throw new ConfigError(['KEYS is not set; it is required']);
  return createKeys(purposes, [first, ...others], {
    failed: (purpose, error) => log.error({ err: error, purpose }, 'could not make the next data key; the last one is used on'),
  });
}

/** Whether there is anything to open keys from; a service that needs none may go without. */
export function hasKeys({ KEYS, GERBANG_KEKS }: Pick<KeysConfig, 'KEYS' | 'GERBANG_KEKS'>): boolean {
  return KEYS !== undefined || GERBANG_KEKS !== undefined;
}

/**
 * Why a process must not start in production with this configuration of keys, one line for each reason; none where it may. Of
 * GERBANG_KEKS it matters only whether it is set.
 */
export function keysRefusals({ KEYS, GERBANG_KEKS }: { KEYS: string | undefined; GERBANG_KEKS?: unknown }): string[] {
  const lines = GERBANG_KEKS === undefined ? [] : ['GERBANG_KEKS is set; production keeps no key in its environment'];
  if (KEYS === undefined) return [...lines, 'KEYS is not set; production keeps its keys in files, Vault or AWS KMS'];
  try {
    for (const source of parseSources(KEYS)) {
      if (source.type === 'env') lines.push('KEYS names env:; production keeps no key in its environment');
      if (source.type === 'vault' && source.url.protocol !== 'https:') lines.push('KEYS names Vault without https');
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    lines.push(error.message);
  }
  return lines;
}

function sourcesOf({ KEYS, GERBANG_KEKS }: Pick<KeysConfig, 'KEYS' | 'GERBANG_KEKS'>): Source[] {
  if (KEYS === undefined && GERBANG_KEKS === undefined) throw new ConfigError(['KEYS is not set; it is required']);
  return parseSources(KEYS ?? 'env:');
}

function parseSources(text: string): Source[] {
  const sources = text.split(',').map((source) => parseSource(source.trim()));
  if (new Set(sources.map(({ type }) => type)).size < sources.length)
    throw new ConfigError(['KEYS is not valid: it names a kind of keys twice']);
  return sources;
}

function parseSource(text: string): Source {
  const colon = text.indexOf(':');
  const [type, rest] = [text.slice(0, Math.max(0, colon)), text.slice(colon + 1)];
  if (type === 'env' && rest === '') return { type };
  if (type === 'file' && rest.startsWith('/')) return { type, folder: rest };
  if (type === 'vault' && URL.canParse(rest) && /^https?:\/\//.test(rest)) return { type, url: new URL(rest) };
  if (type === 'aws-kms' && /^[a-z0-9-]+$/.test(rest)) return { type, region: rest };
  throw new ConfigError([
    'KEYS is not valid: expected env:, file:/folder, vault:https://host:port/mount or aws-kms:region, more of them after commas',
  ]);
}

async function openSource(source: Source, config: KeysConfig): Promise<KeyEncryption> {
  const prefix = config.KEYS_PREFIX;
  switch (source.type) {
    case 'env':
      if (config.GERBANG_KEKS === undefined) throw new ConfigError(['GERBANG_KEKS is not set; KEYS=env: requires it']);
      return openEnvKeys(config.GERBANG_KEKS);
    case 'file':
      return openFileKeys(source.folder);
    case 'vault':
      return openVaultKeys({ url: source.url, prefix, login: loginOf(config) });
    case 'aws-kms':
      return openKmsKeys({ region: source.region, prefix });
    default:
      return source satisfies never;
  }
}

function loginOf(config: KeysConfig) {
  const { KEYS_VAULT_TOKEN_FILE: tokenFile, KEYS_VAULT_ROLE: role } = config;
  if ((tokenFile === undefined) === (role === undefined))
    throw new ConfigError(['KEYS names Vault: set one of KEYS_VAULT_TOKEN_FILE and KEYS_VAULT_ROLE']);
  if (tokenFile !== undefined) return tokenFromFile(tokenFile);
  return kubernetesLogin({ role: role ?? '', jwtFile: config.KEYS_VAULT_JWT_FILE, path: config.KEYS_VAULT_AUTH_PATH });
}
