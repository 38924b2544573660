import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { replaceFile } from './data-folder.ts';

/** What a sandbox needs to keep secret; made once, kept in the data folder (mode 0600). Keys are PEM in base64. */
export type Secrets = {
  keks: string;
  /** Chain the audit log and the ledger's journal. */
  chainKeys: string;
  /** By which the sandbox's bank knows Gerbang. */
  rail: { clientKey: string; clientSecret: string; privateKey: string; publicKey: string };
  /** By which Gerbang knows the sandbox's banks and acquirers when they call. */
  rails: { clientSecret: string; privateKey: string; publicKey: string };
};

/** Reads what there is and makes what is missing: a data folder of an older version has fewer secrets. */
export function ensureSecrets(folder: string): Secrets {
  const file = path.join(folder, 'secrets.json');
  const known = readSecrets(file);
  const { keks, chainKeys, rail, rails } = known;
  if (keks !== undefined && chainKeys !== undefined && rail !== undefined && rails !== undefined)
    return { keks, chainKeys, rail, rails };
  const secrets: Secrets = {
    keks: known.keks ?? newKey(),
    chainKeys: known.chainKeys ?? newKey(),
    rail: known.rail ?? { clientKey: `gerbang-${randomBytes(4).toString('hex')}`, ...newCredentials() },
    rails: known.rails ?? newCredentials(),
  };
  replaceFile(file, `${JSON.stringify(secrets)}\n`);
  return secrets;
}

function readSecrets(file: string): Partial<Secrets> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw new Error(`${file} can not be read`, { cause: error });
  }
}

function newKey(): string {
  return `k1:${randomBytes(32).toString('base64')}`;
}

function newCredentials(): { clientSecret: string; privateKey: string; publicKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return {
    clientSecret: randomBytes(32).toString('base64url'),
    privateKey: base64(privateKey),
    publicKey: base64(publicKey),
  };
}
