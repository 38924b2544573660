import { isUlid, newUlid } from '@gerbang/core';
import { DeliveryStatus, type RedeliveryService } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import type { RpcClient } from '@gerbang/rpc';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandFailure } from '../failure.ts';
import { type GlobalOptions, withSession } from '../session.ts';
import { moment } from '../values.ts';

const LIMIT_DEFAULT = 1_000;
const LIMIT_MAX = 100_000;
const PART = 500;
/** A part may examine thousands of webhooks. */
const PART_MS = 60_000;

const statuses = {
  failed: DeliveryStatus.FAILED,
  delivered: DeliveryStatus.DELIVERED,
  pending: DeliveryStatus.PENDING,
  any: DeliveryStatus.UNSPECIFIED,
} as const;

type Options = GlobalOptions & {
  id?: string;
  from?: bigint;
  to?: bigint;
  event?: string;
  merchant?: string;
  status?: keyof typeof statuses;
  limit: number;
  yes?: boolean;
  run?: string;
};

/** events redeliver */
export function redeliverCommand(events: Command): void {
  events
    .command('redeliver')
    .description('send webhooks once more, with the same event ids and bodies; without --yes only count them')
    .option('--id <event>', 'the one with this event id')
    .option('--from <time>', 'those of events from this time on', moment)
    .option('--to <time>', 'to this time; by default now', moment)
    .option('--event <name>', 'of this event, such as disbursement')
    .option('--merchant <id>', 'of this merchant')
    .addOption(
      new Option('--status <status>', 'of this status; by default failed (with --id: any)').choices(Object.keys(statuses)),
    )
    .option('--limit <count>', `at most so many, the oldest first, up to ${LIMIT_MAX}`, limit, LIMIT_DEFAULT)
    .option('--yes', 'do it')
    .option('--run <id>', 'continue an interrupted run; it leaves out what it has sent already', runId)
    .action((_, command: Command) => redeliver(command.optsWithGlobals()));
}

function redeliver(options: Options): Promise<void> {
  return withSession(options, async (session) => {
    if (options.id === undefined && options.from === undefined) throw new CommandFailure('give --from and --to, or --id');
    const service = await session.redeliveryService();
    const run = options.run ?? newUlid(Date.now());
    const dryRun = options.yes !== true;
    try {
      const { matched, more } = await runThrough(service, { ...toRequest(options), run, dryRun }, options.limit);
      const what = `${matched} webhook${matched === 1 ? '' : 's'}`;
      const rest = more ? ', and there are more than --limit' : '';
      session.show({ run: dryRun ? null : run, matched, more, dry_run: dryRun }, [
        dryRun ? `${what} would be sent again${rest}; add --yes to do it` : `${what} will be sent again${rest} (run ${run})`,
      ]);
    } catch (error) {
      if (!dryRun) process.stderr.write(`gerbang: interrupted; continue with the same command and --run ${run}\n`);
      throw error;
    }
  });
}

type Request = ReturnType<typeof toRequest> & { run: string; dryRun: boolean };

function toRequest({ id = '', from = 0n, to = BigInt(Date.now()), event = '', merchant = '', status }: Options) {
  const wanted = status ?? (id === '' ? 'failed' : 'any');
  return { id, fromMs: from, toMs: to, event, merchantId: merchant, status: statuses[wanted] };
}

/** Sends part after part, until there are no more or the limit is reached. */
async function runThrough(service: RpcClient<typeof RedeliveryService>, request: Request, limitOfAll: number) {
  let matched = 0;
  let after = '';
  do {
    const part = Math.min(PART, limitOfAll - matched);
    const done = await service.redeliverMany({ ...request, after, limit: part }, { timeoutMs: PART_MS });
    matched += done.matched;
    after = done.after;
  } while (after !== '' && matched < limitOfAll);
  return { matched, more: after !== '' };
}

function limit(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > LIMIT_MAX)
    throw new InvalidArgumentError(`Expected a number from 1 to ${LIMIT_MAX}.`);
  return value;
}

function runId(text: string): string {
  if (!isUlid(text)) throw new InvalidArgumentError('Expected the id of a run, as it was printed.');
  return text;
}
