import { formatSen } from '@gerbang/core';
import {
  type Case,
  ChargebackOperatorService,
  ChargebackOutcome,
  ChargebackStage,
} from '@gerbang/proto/gerbang/cards/v1/chargebacks';
import type { Command } from 'commander';
import { type GlobalOptions, withSession } from '../session.ts';
import { count, toIso, toRupiah } from '../values.ts';

/** card-chargebacks list | show | won | lost */
export function cardChargebackCommands(program: Command): void {
  const chargebacks = program.command('card-chargebacks').description('payments by card that card holders dispute');
  chargebacks
    .command('list')
    .description('list those that are open, the oldest first; step unmatched: the payment is not known')
    .option('--all', 'those that have ended too')
    .option('--limit <count>', 'chargebacks to show', count, 100)
    .action((_, command: Command) => list(command.optsWithGlobals()));
  chargebacks
    .command('show')
    .description('show a chargeback')
    .argument('<id>', 'as card-chargebacks list shows it')
    .action((id: string, _, command: Command) => show(command.optsWithGlobals(), id));
  chargebacks
    .command('won')
    .description('the acquirer has decided for the merchant: the reserve goes back to the account; needs two operators')
    .argument('<id>', 'of the chargeback')
    .action((id: string, _, command: Command) => end(command.optsWithGlobals(), id, ChargebackOutcome.WON));
  chargebacks
    .command('lost')
    .description('the acquirer has decided for the card holder: the reserve goes to the acquirer; needs two operators')
    .argument('<id>', 'of the chargeback')
    .action((id: string, _, command: Command) => end(command.optsWithGlobals(), id, ChargebackOutcome.LOST));
}

function list(options: GlobalOptions & { limit: number; all?: boolean }): Promise<void> {
  return withSession(options, async (session) => {
    const cards = await session.signedClient('cards', ChargebackOperatorService);
    const { cases } = await cards.listCases({ limit: options.limit, all: options.all === true });
    session.show(cases.map(toJson), cases.length === 0 ? ['no chargeback is open'] : cases.map(toLine));
  });
}

function show(options: GlobalOptions, id: string): Promise<void> {
  return withSession(options, async (session) => {
    const cards = await session.signedClient('cards', ChargebackOperatorService);
    const { case: found } = await cards.showCase({ id });
    if (found === undefined) throw new Error('cards answered no chargeback');
    const fields = toJson(found);
    session.show(
      fields,
      Object.entries(fields).map(([name, value]) => `${name}: ${value ?? ''}`),
    );
  });
}

function end(options: GlobalOptions, id: string, outcome: ChargebackOutcome): Promise<void> {
  return withSession(options, async (session) => {
    const cards = await session.signedClient('cards', ChargebackOperatorService);
    const { case: ended } = await cards.endCase({ id, outcome });
    session.show({ id, step: ended?.step ?? '' }, [`${id}: ${ended?.step ?? ''}`]);
  });
}

function toJson({ chargeback, caseId, reference, step, waitingFor }: Case) {
  return {
    id: chargeback?.id ?? '',
    step,
    stage: chargeback?.stage === ChargebackStage.PRE_ARBITRATION ? 'pre-arbitration' : 'chargeback',
    case_id: caseId,
    reference,
    amount: formatSen(chargeback?.amountSen ?? 0n),
    reserved_amount: formatSen(chargeback?.reservedSen ?? 0n),
    fee: formatSen(chargeback?.feeSen ?? 0n),
    reason_code: chargeback?.reasonCode ?? '',
    reason: chargeback?.reason ?? '',
    merchant_id: chargeback?.merchantId ?? '',
    account_id: chargeback?.accountId ?? '',
    respond_by: chargeback?.respondByMs === undefined ? null : toIso(chargeback.respondByMs),
    opened_at: chargeback === undefined ? null : toIso(chargeback.createdAtMs),
    ended_at: chargeback?.endedAtMs === undefined ? null : toIso(chargeback.endedAtMs),
    waiting_for: waitingFor,
  };
}

/** For instance "01K…  IDR 50000.00  reserved  10.4  of <merchant> <account>, payment 99…, case C-1, respond by 2026-…". */
function toLine(found: Case): string {
  const { id, step, reason_code, merchant_id, account_id, reference, case_id, respond_by } = toJson(found);
  const owner = merchant_id === '' ? 'of an unknown payment' : `of ${merchant_id} ${account_id}, payment`;
  const until = respond_by === null ? '' : `, respond by ${respond_by}`;
  const amount = toRupiah(found.chargeback?.amountSen ?? 0n);
  return `${id}  ${amount}  ${step}  ${reason_code}  ${owner} ${reference}, case ${case_id}${until}`;
}
