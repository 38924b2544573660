import { KeyService, type Place } from '@gerbang/proto/gerbang/keys/v1/keys';
import type { RpcClient } from '@gerbang/rpc';
import { type Command, Option } from 'commander';
import type { RpcServiceName } from '../../services.ts';
import { CommandFailure } from '../failure.ts';
import { type GlobalOptions, type Session, withSession } from '../session.ts';

/** The services that keep sealed things. */
const KEEPERS = ['merchant', 'money-out', 'direct-debit', 'biller', 'notifier'] as const satisfies readonly RpcServiceName[];

/** A walk finds what writers have brought back meanwhile; after that many something is wrong. */
const WALKS_MAX = 10;
/** A page of 500 documents is sealed again in one call. */
const PAGE_MS = 60_000;

type Filter = { service?: (typeof KEEPERS)[number]; purpose?: string };
type Keeper = { service: string; keys: RpcClient<typeof KeyService>; place: Place };

/** keys status, keys reseal */
export function keyCommands(program: Command): void {
  const keys = program.command('keys').description('the keys under which secrets are stored');
  filtered(keys.command('status'))
    .description('count what is stored under each key; a key that is not listed any more may go (docs/keys.md)')
    .action((_, command: Command) => status(command.optsWithGlobals()));
  filtered(keys.command('reseal'))
    .description('seal again, under the newest keys, what is stored under others; may be stopped and given again')
    .action((_, command: Command) => reseal(command.optsWithGlobals()));
}

function filtered(command: Command): Command {
  return command
    .addOption(new Option('--service <name>', 'only what this service stores').choices(KEEPERS))
    .option('--purpose <purpose>', 'only what is sealed for this, for instance client-secret');
}

function status(options: GlobalOptions & Filter): Promise<void> {
  return withSession(options, async (session) => {
    const rows = [];
    for (const keeper of await keepersOf(session, options)) {
      const { service, place } = keeper;
      const counts = await countOf(keeper);
      const { name, purpose, newestKid } = place;
      if (!counts.has(newestKid)) counts.set(newestKid, 0n);
      for (const [kid, count] of counts)
        rows.push({ service, place: name, purpose, kid, newest: kid === newestKid, count: String(count) });
    }
    const old = rows.filter(({ newest }) => !newest).reduce((sum, { count }) => sum + BigInt(count), 0n);
    session.show({ under_old_keys: String(old), keys: rows }, [
      ...rows.map(({ service, place, purpose, kid, newest, count }) =>
        [service, place, purpose, kid, newest ? 'newest' : 'old', count].join('  '),
      ),
      `${old} under old keys`,
    ]);
  });
}

function reseal(options: GlobalOptions & Filter): Promise<void> {
  return withSession(options, async (session) => {
    const rows = [];
    for (const keeper of await keepersOf(session, options)) {
      const found = await resealPlace(keeper);
      rows.push({ service: keeper.service, place: keeper.place.name, purpose: keeper.place.purpose, ...found });
    }
    session.show(
      rows.map(({ resealed, left, failed, ...row }) => ({
        ...row,
        resealed: String(resealed),
        left: String(left),
        failed: String(failed),
      })),
      rows.map(({ service, place, resealed }) => `${service}  ${place}  ${resealed} sealed again`),
    );
    const failed = rows.reduce((sum, row) => sum + row.failed, 0n);
    if (failed > 0n) throw new CommandFailure(`no key opens ${failed} of them; the log of their service names each`);
    if (rows.some(({ left }) => left > 0n)) throw new CommandFailure('some are written all the time; give the command again');
  });
}

/** Walks through a place until a walk finds nothing to do. */
async function resealPlace({ keys, place }: Keeper) {
  let resealed = 0n;
  for (let walk = 1; ; walk++) {
    const found = { resealed: 0n, left: 0n, failed: 0n };
    let after = '';
    do {
      const page = await keys.reseal({ place: place.name, after }, { timeoutMs: PAGE_MS });
      found.resealed += page.resealed;
      found.left += page.overtaken;
      found.failed += page.failed;
      after = page.next;
    } while (after !== '');
    resealed += found.resealed;
    const isDone = found.resealed + found.left === 0n;
    if (isDone || walk === WALKS_MAX) return { resealed, left: found.left, failed: found.failed };
  }
}

async function countOf({ keys, place }: Keeper): Promise<Map<string, bigint>> {
  const counts = new Map<string, bigint>();
  let after = '';
  do {
    const page = await keys.countSealed({ place: place.name, after }, { timeoutMs: PAGE_MS });
    for (const { kid, count } of page.counts) counts.set(kid, (counts.get(kid) ?? 0n) + count);
    after = page.next;
  } while (after !== '');
  return counts;
}

async function keepersOf(session: Session, { service, purpose }: Filter): Promise<Keeper[]> {
  const keepers: Keeper[] = [];
  for (const name of service === undefined ? KEEPERS : [service]) {
    const keys = await session.signedClient(name, KeyService);
    const { places } = await keys.listPlaces({});
    for (const place of places)
      if (purpose === undefined || place.purpose === purpose) keepers.push({ service: name, keys, place });
  }
  if (keepers.length === 0) throw new CommandFailure('nothing is sealed for that purpose');
  return keepers;
}
