import path from 'node:path';
import type { DescService } from '@bufbuild/protobuf';
import { RefusalError } from '@gerbang/core';
import { newOperatorKey, type OperatorKey, operatorAuthorizer, publicKeyOf, withApproval } from '@gerbang/neighbours';
import { OperatorAdminService } from '@gerbang/proto/gerbang/operator/v1/operator';
import type { RpcChannel, RpcClient } from '@gerbang/rpc';
import { keyFile, readOperatorKey, writeOperatorKey } from './operator-keys.ts';
import type { RpcServiceName } from './services.ts';

/** The sandbox's operators, both admins: the first gives commands, the second approves what needs it. */
const DEMO_OPERATORS = [
  { id: 'sari', name: 'Sari (sandbox)' },
  { id: 'budi', name: 'Budi (sandbox)' },
] as const;

/** Where a sandbox keeps its operators' keys. */
export function demoKeysIn(dataFolder: string): string {
  return path.join(dataFolder, 'operators');
}

/** Enrols the sandbox's operators, once; makes their keys where there are none. */
export async function ensureOperators(dataFolder: string, channel: RpcChannel): Promise<void> {
  const folder = demoKeysIn(dataFolder);
  const keys: OperatorKey[] = [];
  for (const { id } of DEMO_OPERATORS) keys.push(readOperatorKey(keyFile(folder, id)) ?? (await makeKey(folder, id)));
  const [first] = keys;
  if (first !== undefined && (await isEnrolled(channel, first))) return;
  const admins = DEMO_OPERATORS.map((operator, i) => ({ ...operator, publicKey: publicOf(keys[i]) }));
  try {
    await channel.client(OperatorAdminService).setUp({ admins });
  } catch (error) {
    if (!(error instanceof RefusalError) || error.refusal.refused !== 'forbidden') throw error;
    const message = `the database has other operators than those in ${folder}; put their keys there, or use another database`;
    throw new Error(message, { cause: error });
  }
}

/** A client of a service whose commands the sandbox's operators give, both of them where two are needed. */
export function demoClient<S extends DescService>(
  dataFolder: string,
  channel: RpcChannel,
  desc: S,
  service: RpcServiceName = 'merchant',
): RpcClient<S> {
  const [first, second] = DEMO_OPERATORS.map(({ id }) => {
    const key = readOperatorKey(keyFile(demoKeysIn(dataFolder), id));
    if (key === undefined) throw new Error(`there is no key of ${id} in ${demoKeysIn(dataFolder)}`);
    return channel.client(desc, { authorize: operatorAuthorizer(key, service) });
  });
  if (first === undefined || second === undefined) throw new Error('a sandbox has two operators');
  return withApproval(desc, first, second);
}

async function makeKey(folder: string, id: string): Promise<OperatorKey> {
  const key = await newOperatorKey(id);
  writeOperatorKey(keyFile(folder, id), key);
  return key;
}

async function isEnrolled(channel: RpcChannel, key: OperatorKey): Promise<boolean> {
  try {
    await channel.client(OperatorAdminService, { authorize: operatorAuthorizer(key, 'merchant') }).whoAmI({});
    return true;
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.refused === 'unauthorized') return false;
    throw error;
  }
}

function publicOf(key: OperatorKey | undefined): string {
  if (key === undefined) throw new Error('an operator without a key');
  return publicKeyOf(key);
}
