import { createReadStream, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type Checkpoint, parseCheckpoint } from '@gerbang/core';
import { CommandFailure } from './failure.ts';

/** As many as the ledger takes of a partition; the newest, because each vouches for all before it. */
const NEWEST = 1_000;
const JOURNAL = 'journal:';
const AUDIT = 'audit';
/** In a line of JSON, or in one that a collector of logs has put into a string of its own. */
const WORD = /checkpoint\\*":\s*\\*"([\w-]+)\\*"/g;

/**
 * The ledger's checkpoints in files of its log, by partition, in memory bounded by the partitions. Throws CommandFailure for a
 * file that can't be read and for a checkpoint that was damaged.
 */
export async function readJournalCheckpoints(files: readonly string[]): Promise<Map<string, string[]>> {
  const newest = new Map<string, Map<string, bigint>>();
  for (const file of files) {
    for await (const { text, checkpoint } of checkpointsIn(file)) {
      if (!checkpoint.log.startsWith(JOURNAL)) continue;
      const partition = checkpoint.log.slice(JOURNAL.length);
      const known = newest.get(partition) ?? new Map<string, bigint>();
      newest.set(partition, known.set(text, BigInt(checkpoint.seq)));
      if (known.size > 2 * NEWEST) newest.set(partition, newestOf(known));
    }
  }
  return new Map([...newest].map(([partition, known]) => [partition, [...newestOf(known).keys()]]));
}

/** The checkpoints of the audit log in files of the merchant service's log. Throws as `readJournalCheckpoints` does. */
export async function readAuditCheckpoints(files: readonly string[]): Promise<Checkpoint[]> {
  const found: Checkpoint[] = [];
  for (const file of files)
    for await (const { checkpoint } of checkpointsIn(file)) if (checkpoint.log === AUDIT) found.push(checkpoint);
  return found;
}

/**
 * The logs of the sandbox's ledger or merchant service, where the commands look for the sandbox's; none where LEDGER_RPC or
 * MERCHANT_RPC names another one.
 */
export function sandboxLogs(service: 'ledger' | 'merchant', env: NodeJS.ProcessEnv): string[] {
  if (env[`${service.toUpperCase()}_RPC`]) return [];
  const folder = path.join(env.GERBANG_DATA || '.gerbang', 'logs');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name === `${service}.log` || name === `${service}.log.1`)
    .map((name) => path.join(folder, name));
}

async function* checkpointsIn(file: string): AsyncGenerator<{ text: string; checkpoint: Checkpoint }> {
  for await (const text of wordsOf(file)) {
    const checkpoint = parseCheckpoint(text);
    if (checkpoint === undefined) throw new CommandFailure(`${file} has a checkpoint that was damaged: ${text}`);
    yield { text, checkpoint };
  }
}

async function* wordsOf(file: string): AsyncGenerator<string> {
  try {
    for await (const line of createInterface({ input: createReadStream(file) }))
      for (const [, text = ''] of line.matchAll(WORD)) yield text;
  } catch (error) {
    throw new CommandFailure(`${file} can not be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function newestOf(known: ReadonlyMap<string, bigint>): Map<string, bigint> {
  return new Map([...known].sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0)).slice(0, NEWEST));
}
