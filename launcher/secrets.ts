import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { replaceFile } from './data-folder.ts';

/** What a sandbox needs to keep secret; made once, kept in the data folder (mode 0600). Keys are PEM in base64. */
export type Secrets = {
  keks: string;
  rail: { clientKey: string; clientSecret: string; privateKey: string; publicKey: string };
};

export function ensureSecrets(folder: string): Secrets {
  const file = path.join(folder, 'secrets.json');
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      throw new Error(`${file} can not be read`, { cause: error });
  }
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const secrets: Secrets = {
    keks: `k1:${randomBytes(32).toString('base64')}`,
    rail: {
      clientKey: `gerbang-${randomBytes(4).toString('hex')}`,
      clientSecret: randomBytes(32).toString('base64url'),
      privateKey: base64(privateKey),
      publicKey: base64(publicKey),
    },
  };
  replaceFile(file, `${JSON.stringify(secrets)}\n`);
  return secrets;
}
