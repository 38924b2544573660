import { evaluateConstant } from '../aggregate/expression.ts';
import type { Variables } from '../aggregate/scope.ts';
import { checkConstant, checkVariableName, checkVariables } from '../aggregate/variables.ts';
import { type Doc, isDoc, isNumeric, typeNameOf } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import type { Collection } from '../storage/collection.ts';
import type { Store } from '../storage/store.ts';
import type { Cursors } from './cursors.ts';
import type { FailPoints } from './fail-points.ts';
import { wrongType } from './fields.ts';
import type { Retryable } from './retryable.ts';

/** What the server is, as `hello` and `serverStatus` tell it. */
export type ServerInfo = { host: string; port: number; setName: string; startedAt: Date; connections: () => number };

/** A client's connection; the name its application gave itself in the first `hello`. */
export type Connection = { readonly id: number; appName: string | undefined };

/** Tells why a command is refused before it runs, or undefined. */
export type RefuseCommand = (command: { db: string; name: string; body: Readonly<Doc> }) => string | undefined;

/** Everything a command may use. */
export type CommandContext = {
  store: Store;
  cursors: Cursors;
  failPoints: FailPoints;
  info: ServerInfo;
  refuse: RefuseCommand | undefined;
  db: string;
  now: Date;
  connection: Connection;
  /** Present if the command carries a transaction number. */
  retryable: Retryable | undefined;
};

export type Command = (body: Doc, context: CommandContext) => Doc;

/** `$$NOW` and what `let` binds: constant expressions, so that `{$literal: '$x'}` is the text `$x`. */
export function variablesOf(body: Doc, context: CommandContext): Variables {
  const { now: NOW } = context;
  if (!isDoc(body.let)) return { NOW };
  const bound: { [name: string]: unknown } = { NOW };
  for (const [name, value] of Object.entries(body.let)) {
    checkVariableName(name);
    checkConstant(value);
    checkVariables(value, bound);
    bound[name] = evaluateConstant(value, bound) ?? null;
  }
  return bound;
}

export function docField(body: Doc, name: string): Doc {
  const value = body[name];
  if (value === undefined || value === null) return {};
  if (isDoc(value)) return value;
  throw wrongType(name, value, "type 'object'");
}

export function optionalDoc(body: Doc, name: string): Doc | undefined {
  return body[name] === undefined ? undefined : docField(body, name);
}

export function arrayField(body: Doc, name: string): unknown[] {
  const value = body[name];
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw wrongType(name, value, "type 'array'");
}

export function stringField(body: Doc, name: string): string {
  const value = body[name];
  if (typeof value === 'string') return value;
  throw wrongType(name, value, "type 'string'");
}

/** A whole number that is not negative. */
export function countField(body: Doc, name: string): number | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  const number = isNumeric(value) ? Number(value) : Number.NaN;
  if (Number.isNaN(number)) throw wrongType(name, value, 'a number');
  if (number < 0) throw location(51024, `BSON field '${name}' value must be >= 0, actual value '${number}'`);
  return Math.trunc(number);
}

export const flag = (body: Doc, name: string) => body[name] === true || (isNumeric(body[name]) && Number(body[name]) !== 0);

/** Only the comparison by bytes is there. */
export function refuseCollation(body: Doc): void {
  const collation = body.collation;
  if (isDoc(collation) && Object.keys(collation).length > 0 && collation.locale !== 'simple') {
    throw failure('NotImplemented', 'collation is not supported by this server');
  }
}

/** The name of the collection a command works on. */
export function collectionName(body: Doc, command: string): string {
  const name = body[command];
  if (typeof name !== 'string') throw failure('InvalidNamespace', `collection name has invalid type ${typeNameOf(name)}`);
  if (name === '' || name.startsWith('.') || name.includes('\0') || name.includes('$'))
    throw failure('InvalidNamespace', `Invalid collection name specified '${name}'`);
  return name;
}

/** The collection a write goes to, created if it doesn't exist. */
export function collectionToWrite(context: CommandContext, name: string): Collection {
  return context.store.collection(context.db, name) ?? createCollection(context, name, {});
}

export function createCollection(context: CommandContext, name: string, options: Doc): Collection {
  if (name.startsWith('system.')) throw failure('InvalidNamespace', `cannot write to '${context.db}.${name}'`);
  if (`${context.db}.${name}`.length > 255) throw failure('InvalidNamespace', 'Fully qualified namespace is too long');
  if (context.db.length > 63) throw failure('InvalidNamespace', 'db name must be at most 63 characters');
  if (context.db === '' || /[/\\. "$\0]/.test(context.db))
    throw failure('InvalidNamespace', `Invalid namespace specified '${context.db}.${name}'`);
  return context.store.createCollection(context.db, name, options);
}
