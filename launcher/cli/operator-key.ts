import { statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import path from 'node:path';
import type { OperatorKey } from '@gerbang/neighbours';
import { keyFile, readOperatorKey } from '../operator-keys.ts';
import { demoKeysIn } from '../operators.ts';
import { CommandFailure } from './failure.ts';

const root = path.resolve(import.meta.dirname, '../..');
const DEMO_OPERATOR = 'sari';

/** Who gives the command. */
export function operatorName(options: { operator?: string }): string {
  const given = options.operator ?? process.env.GERBANG_OPERATOR;
  if (given !== undefined && given !== '') return given;
  if (readOperatorKey(keyFile(sandboxKeys(), DEMO_OPERATOR)) !== undefined) return DEMO_OPERATOR;
  try {
    return userInfo().username;
  } catch {
    throw new CommandFailure('this user has no name; say who you are with --operator');
  }
}

/** The operator's key: from the file of GERBANG_OPERATOR_KEY, else from the sandbox's, else from the operator's own folder. */
export function readOwnKey(id: string): OperatorKey {
  const files = keyFiles(id);
  for (const file of files) {
    const key = readOperatorKey(file);
    if (key === undefined) continue;
    mustBePrivate(file);
    if (key.id !== id) throw new CommandFailure(`${file} is the key of ${key.id}, not of ${id}; see --operator`);
    return key;
  }
  throw new CommandFailure(
    `there is no key of the operator ${id} in ${files.join(' or ')}; see gerbang operators new-key, and --operator`,
  );
}

/** Where `operators new-key` puts a key unless told otherwise. */
export function ownKeyFile(id: string): string {
  return keyFile(path.join(homedir(), '.config/gerbang'), id);
}

function keyFiles(id: string): string[] {
  const given = process.env.GERBANG_OPERATOR_KEY;
  if (given !== undefined && given !== '') return [given];
  return [keyFile(sandboxKeys(), id), ownKeyFile(id)];
}

function sandboxKeys(): string {
  return demoKeysIn(path.resolve(root, process.env.GERBANG_DATA || '.gerbang'));
}

/** A key that others can read is no proof of who has signed. */
function mustBePrivate(file: string): void {
  if ((statSync(file).mode & 0o077) !== 0) throw new CommandFailure(`others can read ${file}; run: chmod 600 ${file}`);
}
