import { setTimeout as sleep } from 'node:timers/promises';
import { formatSen } from '@gerbang/core';
import {
  type Difference,
  type Reconciliation,
  ReconciliationService,
} from '@gerbang/proto/gerbang/reconciliation/v1/reconciliation';
import type { RpcClient } from '@gerbang/rpc';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { RpcServiceName } from '../../services.ts';
import { CommandFailure } from '../failure.ts';
import { type GlobalOptions, type Session, withSession } from '../session.ts';
import { count, toIso, toRupiah } from '../values.ts';
import { toCsv } from './reconcile-csv.ts';

/** The services that compare rails with their payments. */
const SERVICES = ['money-out', 'money-in', 'cards'] as const satisfies readonly RpcServiceName[];

const PAGE = 1_000;
const POLL_MS = 500;
/** A day of a million rows takes minutes; longer, an operator looks again by himself. */
const WAIT_MAX_MS = 30 * 60_000;

type Filter = { rail?: string; day?: string };
type Client = RpcClient<typeof ReconciliationService>;

/** reconcile run | list | differences | explain */
export function reconcileCommands(program: Command): void {
  const reconcile = program.command('reconcile').description("rails' books compared with our payments, day by day");
  reconcile
    .command('run')
    .description('compare a day now, again where it was before, and wait for the result; fails while anything differs')
    .requiredOption('--rail <rail>', 'as reconcile list shows it')
    .requiredOption('--day <day>', 'YYYY-MM-DD, of Asia/Jakarta; compared from 01:00 of the next day on', day)
    .action((_, command: Command) => run(command.optsWithGlobals()));
  filtered(reconcile.command('list'))
    .description('list the days and how they came out, the newest first')
    .option('--limit <count>', 'days to show', count, 100)
    .action((_, command: Command) => list(command.optsWithGlobals()));
  filtered(reconcile.command('differences'))
    .description('list what differs, with both sides')
    .addOption(new Option('--state <state>', 'open or explained').choices(['open', 'explained', 'all']).default('open'))
    .option('--csv', 'print it as CSV')
    .action((_, command: Command) => differences(command.optsWithGlobals()));
  reconcile
    .command('explain')
    .description('write down why it differs; it is open no more')
    .argument('<difference>', 'its id, as reconcile differences shows it')
    .requiredOption('--note <text>', 'why it differs, and what was done')
    .action((id: string, _, command: Command) => explain(command.optsWithGlobals(), id));
}

function filtered(command: Command): Command {
  return command.option('--rail <rail>', 'only of this rail').option('--day <day>', 'only of this day, YYYY-MM-DD', day);
}

function day(text: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) throw new InvalidArgumentError('Expected a day, such as 2027-01-31.');
  return text;
}

function run(options: GlobalOptions & { rail: string; day: string }): Promise<void> {
  return withSession(options, async (session) => {
    const client = await ownerOf(session, options.rail);
    const { reconciliation: asked } = await client.runReconciliation({ rail: options.rail, day: options.day });
    const found = await finished(client, options, asked);
    session.show(toJson(found), [toLine(found)]);
    if (found.status === 'failed') throw new CommandFailure(`${found.problem}; it is tried again by itself`);
    if (found.differences > 0n)
      throw new CommandFailure(
        `${found.differences} differences are open: reconcile differences --rail ${found.rail} --day ${found.day}`,
      );
  });
}

/** Waits until the run that was asked for is over. */
async function finished(client: Client, { rail, day }: { rail: string; day: string }, asked: Reconciliation | undefined) {
  const deadlineMs = Date.now() + WAIT_MAX_MS;
  while (Date.now() < deadlineMs) {
    const { items } = await client.listReconciliations({ rail, day, limit: 1 });
    const found = items[0];
    const isAnswered = found !== undefined && found.finishedRequests >= (asked?.requests ?? 0);
    const hasFailed = found?.status === 'failed' && found.runs > (asked?.runs ?? 0);
    if (found !== undefined && (isAnswered || hasFailed)) return found;
    await sleep(POLL_MS);
  }
  throw new CommandFailure('it still goes on; reconcile list shows how it comes out');
}

function list(options: GlobalOptions & Filter & { limit: number }): Promise<void> {
  return withSession(options, async (session) => {
    const items: Reconciliation[] = [];
    for (const client of await clientsOf(session, options.rail)) {
      const found = await client.listReconciliations({ rail: options.rail ?? '', day: options.day ?? '', limit: options.limit });
      items.push(...found.items);
    }
    const newest = items.sort((a, b) => b.day.localeCompare(a.day) || a.rail.localeCompare(b.rail)).slice(0, options.limit);
    session.show(newest.map(toJson), newest.length === 0 ? ['no day is planned'] : newest.map(toLine));
  });
}

function differences(options: GlobalOptions & Filter & { state: string; csv?: boolean }): Promise<void> {
  return withSession(options, async (session) => {
    const items: Difference[] = [];
    for (const client of await clientsOf(session, options.rail)) items.push(...(await allDifferences(client, options)));
    const lines = options.csv ? toCsv(items) : items.map(toDifferenceLine);
    session.show(items.map(toDifferenceJson), lines.length === 0 ? ['nothing differs'] : lines);
  });
}

async function allDifferences(client: Client, { rail = '', day = '', state }: Filter & { state: string }): Promise<Difference[]> {
  const found: Difference[] = [];
  let cursor = '';
  do {
    const page = await client.listDifferences({ rail, day, state: state === 'all' ? '' : state, limit: PAGE, cursor });
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== '');
  return found;
}

function explain(options: GlobalOptions & { note: string }, id: string): Promise<void> {
  return withSession(options, async (session) => {
    const client = await ownerOf(session, id.split(':', 1)[0] ?? '');
    const { difference } = await client.explainDifference({ id, note: options.note });
    session.show(difference === undefined ? null : toDifferenceJson(difference), [`${id} is explained`]);
  });
}

async function clientsOf(session: Session, rail: string | undefined): Promise<Client[]> {
  if (rail !== undefined) return [await ownerOf(session, rail)];
  return Promise.all(SERVICES.map((service) => session.signedClient(service, ReconciliationService)));
}

/** The service that compares a rail. */
async function ownerOf(session: Session, rail: string): Promise<Client> {
  const known: string[] = [];
  for (const service of SERVICES) {
    const client = await session.signedClient(service, ReconciliationService);
    const { rails } = await client.listRails({});
    if (rails.includes(rail)) return client;
    known.push(...rails);
  }
  throw new CommandFailure(`${rail} is no rail that is compared; there are ${known.join(', ')}`);
}

function toJson(item: Reconciliation) {
  return {
    rail: item.rail,
    day: item.day,
    status: item.status,
    by: item.by,
    runs: item.runs,
    started_at: isoOrNull(item.startedAtMs),
    finished_at: isoOrNull(item.finishedAtMs),
    due_at: isoOrNull(item.dueAtMs),
    problem: item.problem,
    ours: { count: Number(item.oursCount), amount: formatSen(item.oursSen) },
    at_rail: { count: Number(item.railCount), amount: formatSen(item.railSen) },
    matched: Number(item.matched),
    open: Number(item.open),
    differences: Number(item.differences),
  };
}

/**
 * For instance "2026-11-21  va  done by timer  ours 12 (IDR 500000.00)  rail 12 (IDR 500000.00)  12 matched  0 open  0 differences".
 */
function toLine(item: Reconciliation): string {
  const { status, by, problem, oursCount, oursSen, railCount, railSen, matched, open } = item;
  if (status === 'failed') return `${item.day}  ${item.rail}  failed: ${problem}`;
  if (item.finishedAtMs === undefined) return `${item.day}  ${item.rail}  ${status}, due at ${isoOrNull(item.dueAtMs)}`;
  const sides = `ours ${oursCount} (${toRupiah(oursSen)})  rail ${railCount} (${toRupiah(railSen)})`;
  return `${item.day}  ${item.rail}  ${status} by ${by}  ${sides}  ${matched} matched  ${open} open  ${item.differences} differences`;
}

function toDifferenceJson(item: Difference) {
  const { ours, row } = item;
  return {
    id: item.id,
    rail: item.rail,
    day: item.day,
    kind: item.kind,
    reason: item.reason,
    state: item.state,
    found_at: toIso(item.foundAtMs),
    ours:
      ours === undefined
        ? null
        : {
            ...sideOf(ours),
            payment_id: ours.paymentId,
            merchant_id: ours.merchantId,
            account_id: ours.accountId,
            reference: ours.reference,
            rail_reference: ours.railReference,
          },
    at_rail: row === undefined ? null : { ...sideOf(row), remark: row.remark, rail_transaction_id: row.railTransactionId },
    explained_by: item.explainedBy,
    explained_at: isoOrNull(item.explainedAtMs),
    note: item.note,
  };
}

function sideOf({ atMs, direction, amountSen, status }: { atMs: bigint; direction: string; amountSen: bigint; status: string }) {
  return { at: toIso(atMs), direction, amount: formatSen(amountSen), status };
}

/** Both sides, each on a line of its own below the id. */
function toDifferenceLine(item: Difference): string {
  const { ours, row } = item;
  const note = item.note === '' ? '' : `\n  ${item.explainedBy}: ${item.note}`;
  const here =
    ours &&
    `${toRupiah(ours.amountSen)} ${ours.direction} at ${toIso(ours.atMs)}, ${ours.status}, ${ours.reference} of ${ours.merchantId} ${ours.accountId}`;
  const there =
    row &&
    `${toRupiah(row.amountSen)} ${row.direction} at ${toIso(row.atMs)}, ${row.status}, “${row.remark}” ${row.railTransactionId}`;
  return `${item.id}\n  ${item.kind}: ${item.reason}\n  ours: ${here ?? 'nothing'}\n  rail: ${there ?? 'nothing'}${note}`;
}

function isoOrNull(ms: bigint | undefined): string | null {
  return ms === undefined ? null : toIso(ms);
}
