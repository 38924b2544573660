import { rmSync } from 'node:fs';
import path from 'node:path';
import type { OperatorLogin } from '@gerbang/neighbours';
import { z } from 'zod';
import { readJson, writePrivately } from './operator-keys.ts';

const shape = z.object({
  issuer: z.string(),
  subject: z.string(),
  expires_at: z.iso.datetime(),
  id_token: z.string(),
  private_key: z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), d: z.string() }),
});

/** A login as an operator's machine keeps it. */
export type StoredLogin = OperatorLogin & { issuer: string; subject: string; expiresAt: Date };

/** The file of an operator's login in a folder of such. */
export function loginFile(folder: string, id: string): string {
  return path.join(folder, `${id}.login.json`);
}

/** Undefined where there is no such file. Throws where it is no login. */
export function readLogin(file: string): StoredLogin | undefined {
  const value = readJson(file);
  if (value === undefined) return undefined;
  const read = shape.safeParse(value.json);
  if (!read.success) throw new Error(`${file} is no login`);
  const { issuer, subject, id_token: idToken, private_key: privateKey, expires_at } = read.data;
  return { issuer, subject, idToken, privateKey, expiresAt: new Date(expires_at) };
}

/** Writes a login so that only its owner can read it. */
export function writeLogin(file: string, { issuer, subject, idToken, privateKey, expiresAt }: StoredLogin): void {
  const expires_at = expiresAt.toISOString();
  writePrivately(file, { issuer, subject, expires_at, id_token: idToken, private_key: privateKey });
}

/** False where there was none. */
export function removeLogin(file: string): boolean {
  try {
    rmSync(file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
