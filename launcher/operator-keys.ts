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
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const read = shape.safeParse(parse(text));
  if (!read.success) throw new Error(`${file} is no operator's key`);
  return { id: read.data.id, privateKey: read.data.private_key };
}

/** Writes a key so that only its owner can read it. */
export function writeOperatorKey(file: string, { id, privateKey }: OperatorKey): void {
  const folder = path.dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  replaceFile(file, `${JSON.stringify({ id, private_key: privateKey }, undefined, 2)}\n`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
