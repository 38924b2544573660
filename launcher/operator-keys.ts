import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { OperatorKey } from '@gerbang/neighbours';
import { z } from 'zod';
import { replaceFile } from './data-folder.ts';

const shape = z.object({
  id: z.string(),
  private_key: z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), d: z.string() }),
});

/** The file of an operator's key in a folder of such. */
export function keyFile(folder: string, id: string): string {
  return path.join(folder, `${id}.json`);
}

/** Undefined where there is no such file. Throws where it is no key. */
export function readOperatorKey(file: string): OperatorKey | undefined {
  const value = readJson(file);
  if (value === undefined) return undefined;
  const read = shape.safeParse(value.json);
  if (!read.success) throw new Error(`${file} is no operator's key`);
  return { id: read.data.id, privateKey: read.data.private_key };
}

/** Writes a key so that only its owner can read it. */
export function writeOperatorKey(file: string, { id, privateKey }: OperatorKey): void {
  writePrivately(file, { id, private_key: privateKey });
}

/** What a file has in it, undefined where that is no JSON; undefined as a whole where there is no such file. */
export function readJson(file: string): { json: unknown } | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  return { json: parse(text) };
}

/** Writes a file that only its owner can read, in a folder that only its owner can read. */
export function writePrivately(file: string, value: object): void {
  const folder = path.dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  replaceFile(file, `${JSON.stringify(value, undefined, 2)}\n`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
