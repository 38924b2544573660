import type { EntryDocument } from './entry.ts';
import type { LegacyDocument } from './legacy.ts';
import type { OperatorLog } from './log.ts';

/** Which commands to list; an empty text and 0 mean all. */
export type AuditFilter = { operator: string; service: string; target: string; fromMs: number; untilMs: number };

/** A command with its end, where the log has one; or one of the earlier log. */
export type AuditLine = { begun: EntryDocument; ended: EntryDocument | undefined } | { legacy: LegacyDocument };

/**
 * A page of commands, newest first, before the entry `before` (undefined: from the newest). Those of the earlier log come after
 * all others, and have negative numbers in `next`. `next` is undefined on the last page.
 */
export async function listCommands(
  log: OperatorLog,
  filter: AuditFilter,
  page: { before: bigint | undefined; limit: number },
): Promise<{ lines: AuditLine[]; next: bigint | undefined }> {
  const { before, limit } = page;
  const begun = before !== undefined && before < 0n ? [] : await findBegun(log, filter, before, limit + 1);
  const shown = begun.slice(0, limit);
  const lines: AuditLine[] = await withEnds(log, shown);
  if (begun.length > limit) return { lines, next: shown.at(-1)?._id };
  const { lines: earlier, more } = await findLegacy(log, filter, before, limit - lines.length);
  const last = earlier.at(-1)?._id;
  const next = more ? (last === undefined ? -LEGACY_END : -last) : undefined;
  return { lines: [...lines, ...earlier.map((legacy) => ({ legacy }))], next };
}

/** Above every number of the earlier log. */
const LEGACY_END = 2n ** 53n;

async function findBegun(log: OperatorLog, filter: AuditFilter, before: bigint | undefined, limit: number) {
  const conditions: object[] = [{ kind: { $in: ['begin', 'single'] } }];
  if (before !== undefined) conditions.push({ _id: { $lt: before } });
  if (filter.operator !== '') conditions.push({ subject: filter.operator });
  if (filter.service !== '') conditions.push({ service: filter.service });
  if (filter.fromMs > 0) conditions.push({ at: { $gte: new Date(filter.fromMs) } });
  if (filter.untilMs > 0) conditions.push({ at: { $lt: new Date(filter.untilMs) } });
  if (filter.target !== '') conditions.push({ command: { $in: await commandsOn(log, filter.target) } });
  return log.entries.find({ $and: conditions }, { sort: { _id: -1 }, limit }).toArray();
}

const COMMANDS_MAX = 10_000;

/** Only the end of a command says what it has changed. */
async function commandsOn({ entries }: OperatorLog, target: string): Promise<string[]> {
  const ends = await entries.find({ target }, { sort: { _id: -1 }, limit: COMMANDS_MAX, projection: { command: 1 } }).toArray();
  return ends.map(({ command }) => command);
}

async function withEnds({ entries }: OperatorLog, begun: EntryDocument[]): Promise<AuditLine[]> {
  const commands = begun.filter(({ kind }) => kind === 'begin').map(({ command }) => command);
  const ends = commands.length === 0 ? [] : await entries.find({ kind: 'end', command: { $in: commands } }).toArray();
  const byCommand = new Map(ends.toSorted((a, b) => Number(b._id - a._id)).map((end) => [end.command, end]));
  return begun.map((one) => ({ begun: one, ended: one.kind === 'single' ? one : byCommand.get(one.command) }));
}

async function findLegacy({ legacy }: OperatorLog, filter: AuditFilter, before: bigint | undefined, limit: number) {
  if (filter.service !== '' && filter.service !== 'merchant') return { lines: [], more: false };
  const read = await legacy.list(filter, before !== undefined && before < 0n ? -before : undefined, limit + 1);
  return { lines: read.slice(0, limit), more: read.length > limit };
}
