import { statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import path from 'node:path';
import { loginAuthorizer, type OperatorKey, operatorAuthorizer } from '@gerbang/neighbours';
import type { Authorize } from '@gerbang/rpc';
import { keyFile, readOperatorKey } from '../operator-keys.ts';
import { loginFile, readLogin } from '../operator-logins.ts';
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

/**
 * What signs the operator's calls of a service: the login where there is one, else the operator's key. A login that has expired is
 * not passed over, so that a command is never given by a key that its operator no longer thinks of.
 */
export function signerOf(id: string): (service: string) => Authorize {
  const file = ownLoginFile(id);
  const login = givenKeyFile() === undefined ? readLogin(file) : undefined;
  if (login === undefined) {
    const key = readOwnKey(id);
    return (service) => operatorAuthorizer(key, service);
  }
  mustBePrivate(file);
  if (login.expiresAt.getTime() <= Date.now()) {
    throw new CommandFailure(`the login of ${id} has expired; run: gerbang --operator ${id} login`);
  }
  return (service) => loginAuthorizer(login, service);
}

/** The operator's key: from the file of GERBANG_OPERATOR_KEY, else from the sandbox's, else from the operator's own folder. */
function readOwnKey(id: string): OperatorKey {
  const files = keyFiles(id);
  for (const file of files) {
    const key = readOperatorKey(file);
    if (key === undefined) continue;
    mustBePrivate(file);
    if (key.id !== id) throw new CommandFailure(`${file} is the key of ${key.id}, not of ${id}; see --operator`);
    return key;
  }
  throw new CommandFailure(
    `there is no key of the operator ${id} in ${files.join(' or ')}; see gerbang operators new-key, gerbang login, and --operator`,
  );
}

/** Where `operators new-key` puts a key unless told otherwise. */
export function ownKeyFile(id: string): string {
  return keyFile(ownFolder(), id);
}

/** Where `login` puts a login. */
export function ownLoginFile(id: string): string {
  return loginFile(ownFolder(), id);
}

function ownFolder(): string {
  return path.join(homedir(), '.config/gerbang');
}

function givenKeyFile(): string | undefined {
  return process.env.GERBANG_OPERATOR_KEY || undefined;
}

function keyFiles(id: string): string[] {
  const given = givenKeyFile();
  return given !== undefined ? [given] : [keyFile(sandboxKeys(), id), ownKeyFile(id)];
}

function sandboxKeys(): string {
  return demoKeysIn(path.resolve(root, process.env.GERBANG_DATA || '.gerbang'));
}

/** What others can read is no proof of who has signed. */
function mustBePrivate(file: string): void {
  if ((statSync(file).mode & 0o077) !== 0) throw new CommandFailure(`others can read ${file}; run: chmod 600 ${file}`);
}
