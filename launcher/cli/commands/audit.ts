import { type AuditLine, Outcome } from '@gerbang/proto/gerbang/operator/v1/operator';
import { type Command, Option } from 'commander';
import { readAuditCheckpoints, sandboxLogs } from '../checkpoints.ts';
import { CommandFailure } from '../failure.ts';
import { type GlobalOptions, withSession } from '../session.ts';
import { count, moment, toIso } from '../values.ts';

const CHAIN_MS = 60_000;
/** The service takes no more at once. */
const CHECKPOINTS_AT_ONCE = 1_000;

type ListOptions = GlobalOptions & {
  limit: number;
  by: string;
  service: string;
  target: string;
  from: bigint;
  until: bigint;
  before: string;
};

/** audit list | verify */
export function auditCommands(program: Command): void {
  const audit = program.command('audit').description("the log of operators' commands, over all services");
  audit
    .command('list')
    .description('show the newest commands, also those that were refused or have failed')
    .option('--limit <count>', 'commands to show', count, 20)
    .option('--by <operator>', 'only those of this operator', '')
    .option('--service <name>', 'only those of this service', '')
    .option('--target <target>', 'only those on this, for instance merchant:<id>', '')
    .addOption(new Option('--from <time>', 'only those since then').argParser(moment).default(0n, 'the beginning'))
    .addOption(new Option('--until <time>', 'only those before then').argParser(moment).default(0n, 'now'))
    .option('--before <number>', 'the next page: only those before this one', '0')
    .action((_, command: Command) => list(command.optsWithGlobals()));
  audit
    .command('verify')
    .description('check that no entry was changed or removed; fails where one was')
    .option('--checkpoints <files...>', "log files of the merchant service; the sandbox's unless given")
    .option('--no-checkpoints', 'compare with no checkpoints: entries that were removed from the end are not found')
    .action((_, command: Command) => verify(command.optsWithGlobals()));
}

function list(options: ListOptions): Promise<void> {
  return withSession(options, async (session) => {
    const { limit, by: operator, service, target, from: fromMs, until: untilMs } = options;
    if (!/^-?\d+$/.test(options.before)) throw new CommandFailure('--before: expected a number');
    const request = { limit, operator, service, target, fromMs, untilMs, beforeSeq: BigInt(options.before) };
    const { lines, nextBefore } = await (await session.adminService()).listAudit(request);
    const more = nextBefore === 0n ? [] : [`there are more: --before ${nextBefore}`];
    session.show({ entries: lines.map(toJson), next_before: nextBefore === 0n ? null : String(nextBefore) }, [
      ...lines.map(toLine),
      ...more,
    ]);
  });
}

function verify(options: GlobalOptions & { checkpoints?: string[] | boolean }): Promise<void> {
  return withSession(options, async (session) => {
    const checkpoints = await readAuditCheckpoints(logsOf(options));
    const admins = await session.adminService();
    const whole = await admins.verifyAudit({}, { timeoutMs: CHAIN_MS });
    const problems = [...whole.problems];
    let genuine = 0;
    for (let at = 0; at < checkpoints.length; at += CHECKPOINTS_AT_ONCE) {
      const some = checkpoints.slice(at, at + CHECKPOINTS_AT_ONCE);
      const found = await admins.verifyAudit({ checkpoints: some, checkpointsOnly: true }, { timeoutMs: CHAIN_MS });
      problems.push(...found.problems);
      genuine += found.genuineCheckpoints;
    }
    const { entries, legacyEntries } = whole;
    const foreign = checkpoints.length - genuine;
    session.show({ entries: String(entries), earlier_entries: String(legacyEntries), checkpoints: genuine, foreign, problems }, [
      ...problems.map((problem) => `problem: ${problem}`),
      `${entries} entries, ${legacyEntries} of the earlier log, ${genuine} checkpoints${foreign === 0 ? '' : `, ${foreign} not signed with these keys`}`,
    ]);
    if (problems.length > 0) throw new CommandFailure(`the audit log has problems: ${problems.length}`);
    // Without one a log that was cut off at its end, or begun anew, looks whole.
    if (genuine === 0 && options.checkpoints !== false)
      throw new CommandFailure('no checkpoint says where the log ends: give --checkpoints <files>, or --no-checkpoints');
  });
}

function logsOf({ checkpoints }: { checkpoints?: string[] | boolean }): string[] {
  if (checkpoints === false) return [];
  return Array.isArray(checkpoints) ? checkpoints : sandboxLogs('merchant', process.env);
}

function toJson(line: AuditLine) {
  return {
    seq: String(line.seq),
    at: toIso(line.atMs),
    command_id: line.commandId,
    operator: line.operator,
    role: line.role,
    service: line.service,
    command: line.method,
    source: line.source,
    outcome: outcomeOf(line),
    refusal: line.refusal,
    reason: line.reason,
    proposer: line.proposer,
    target: line.target,
    before: JSON.parse(line.before),
    after: JSON.parse(line.after),
    earlier: line.legacy,
  };
}

/** For instance "12  2027-01-01T00:00:00.000Z  sari  merchant SetFees  merchant:01J…  done  {…} → {…}  from 127.0.0.1:5000". */
function toLine(line: AuditLine): string {
  const by = line.proposer === '' ? '' : `, proposed by ${line.proposer}`;
  const why = line.refusal === '' ? '' : ` (${[line.refusal, line.reason].filter((part) => part !== '').join(': ')})`;
  return [
    line.legacy ? `earlier ${line.seq}` : `${line.seq}`,
    toIso(line.atMs),
    `${line.operator === '' ? '?' : line.operator}${by}`,
    `${line.service} ${line.method.split('/').at(-1)}`,
    line.target === '' ? '-' : line.target,
    `${outcomeOf(line)}${why}`,
    `${line.before} → ${line.after}`,
    ...(line.source === '' ? [] : [`from ${line.source}`]),
  ].join('  ');
}

function outcomeOf({ outcome }: AuditLine): string {
  return Outcome[outcome]?.toLowerCase() ?? 'unknown';
}
