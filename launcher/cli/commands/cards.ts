import { formatSen } from '@gerbang/core';
import { PaymentStatus } from '@gerbang/proto/gerbang/cards/v1/cards';
import {
  type Attention,
  AttentionKind,
  CardOperatorService,
  ContestedDecision,
  Outcome,
  type ShowPaymentResponse,
} from '@gerbang/proto/gerbang/cards/v1/operators';
import { Argument, type Command, Option } from 'commander';
import { type GlobalOptions, type Session, withSession } from '../session.ts';
import { count, toIso, toRupiah } from '../values.ts';

const KINDS = {
  unresolved: AttentionKind.UNRESOLVED,
  contested: AttentionKind.CONTESTED,
  all: AttentionKind.UNSPECIFIED,
} as const;
const OUTCOMES = {
  authorised: Outcome.AUTHORISED,
  captured: Outcome.CAPTURED,
  voided: Outcome.VOIDED,
  refunded: Outcome.REFUNDED,
  failed: Outcome.FAILED,
} as const;
const DECISIONS = {
  withdraw: { decision: ContestedDecision.WITHDRAW, done: 'is taken from its account' },
  'write-off': { decision: ContestedDecision.WRITE_OFF, done: 'is written off: the account keeps the money, suspense bears it' },
  dismiss: { decision: ContestedDecision.DISMISS, done: 'stands' },
} as const;

type ListOptions = GlobalOptions & { kind: keyof typeof KINDS; olderThan: number; limit: number };
type ResolveOptions = GlobalOptions & { evidence: string; acquirerReference: string };

const MINUTE_MS = 60_000;

/** cards list | show | inquire | resolve | contested */
export function cardCommands(program: Command): void {
  const cards = program.command('cards').description('card payments that the acquirer owes an answer about, or has taken back');
  cards
    .command('list')
    .description('list payments without an outcome, and contested ones, those that have waited longest first')
    .addOption(new Option('--kind <kind>', 'which of them').choices(Object.keys(KINDS)).default('all'))
    .option('--older-than <minutes>', 'only what has waited for so long', count, 5)
    .option('--limit <count>', 'payments to show', count, 100)
    .action((_, command: Command) => list(command.optsWithGlobals()));
  cards
    .command('show')
    .description('show a payment with its history, and what the acquirer says of it now')
    .argument('<payment>', 'its id')
    .action((id: string, _, command: Command) => show(command.optsWithGlobals(), id));
  cards
    .command('inquire')
    .description('ask the acquirer now, and follow what it says')
    .argument('<payment>', 'its id')
    .action((id: string, _, command: Command) => inquire(command.optsWithGlobals(), id));
  decisionCommands(cards);
}

function decisionCommands(cards: Command): void {
  const evidence = ['--evidence <text>', 'how you know it: for instance the mail of the acquirer; never a card number'] as const;
  cards
    .command('resolve')
    .description('say how a payment stands at the acquirer, which has not told for a day; needs two operators')
    .argument('<payment>', 'its id')
    .addArgument(new Argument('<outcome>', 'how it stands at the acquirer').choices(Object.keys(OUTCOMES)))
    .requiredOption(...evidence)
    .option('--acquirer-reference <reference>', 'what the acquirer calls the authorisation', '')
    .action((id: string, outcome: keyof typeof OUTCOMES, _, command: Command) => resolve(command.optsWithGlobals(), id, outcome));
  cards
    .command('contested')
    .description('end a contested payment: take it from the account now, write it off, or dismiss; needs two operators')
    .argument('<payment>', 'its id')
    .addArgument(new Argument('<decision>').choices(Object.keys(DECISIONS)))
    .requiredOption(...evidence)
    .action((id: string, decision: keyof typeof DECISIONS, _, command: Command) =>
      decideContested(command.optsWithGlobals(), id, decision),
    );
}

function clientOf(session: Session) {
  return session.signedClient('cards', CardOperatorService);
}

function list(options: ListOptions): Promise<void> {
  return withSession(options, async (session) => {
    const { items } = await (await clientOf(session)).listAttention({
      kind: KINDS[options.kind],
      olderThanMs: BigInt(options.olderThan * MINUTE_MS),
      limit: options.limit,
    });
    session.show(items.map(toJson), items.length === 0 ? ['no card payment waits'] : items.map(toLine));
  });
}

function show(options: GlobalOptions, id: string): Promise<void> {
  return withSession(options, async (session) => {
    const shown = await (await clientOf(session)).showPayment({ id });
    session.show(toShownJson(shown), toShownLines(id, shown));
  });
}

function inquire(options: GlobalOptions, id: string): Promise<void> {
  return withSession(options, async (session) => {
    const { stateBefore, state, acquirerSays, acquirerReason } = await (await clientOf(session)).inquirePayment({ id });
    const said = { state_before: stateBefore, state, acquirer: acquirerSays, reason: acquirerReason };
    const change = stateBefore === state ? `stays ${state}` : `was ${stateBefore}, and is ${state}`;
    session.show({ id, ...said }, [`${id} ${change}; the acquirer says ${saidText(acquirerSays, acquirerReason)}`]);
  });
}

function resolve({ evidence, acquirerReference, ...options }: ResolveOptions, id: string, outcome: keyof typeof OUTCOMES) {
  return withSession(options, async (session) => {
    const request = { id, outcome: OUTCOMES[outcome], evidence, acquirerReference };
    const { state } = await (await clientOf(session)).resolvePayment(request);
    session.show({ id, outcome, state }, [`${id} is ${outcome} at the acquirer; it is ${state} now`]);
  });
}

function decideContested(
  { evidence, ...options }: GlobalOptions & { evidence: string },
  id: string,
  name: keyof typeof DECISIONS,
): Promise<void> {
  return withSession(options, async (session) => {
    const { decision, done } = DECISIONS[name];
    const { state } = await (await clientOf(session)).decideContested({ id, decision, evidence });
    session.show({ id, decision: name, state }, [`${id} ${done}`]);
  });
}

function toJson({ kind, payment, state, sinceMs, tries, reason }: Attention) {
  return {
    id: payment?.id ?? '',
    kind: kind === AttentionKind.CONTESTED ? 'contested' : 'unresolved',
    state,
    amount: formatSen(payment?.amountSen ?? 0n),
    merchant_id: payment?.merchantId ?? '',
    account_id: payment?.accountId ?? '',
    since: toIso(sinceMs),
    tries,
    reason,
  };
}

/** For instance "99…  refunding  IDR 50000.00  of <merchant> <account>  since 2026-11-21T08:00:00.000Z  12 questions: no answer". */
function toLine(item: Attention): string {
  const { id, state, merchant_id, account_id, since, tries, reason } = toJson(item);
  const amount = toRupiah(item.payment?.amountSen ?? 0n);
  const questions = tries === 0 ? '' : `${tries} questions: `;
  return `${id}  ${state}  ${amount}  of ${merchant_id} ${account_id}  since ${since}  ${questions}${reason}`;
}

function toShownJson(shown: ShowPaymentResponse) {
  const { payment, sinceMs, dueAtMs } = shown;
  return {
    id: payment?.id ?? '',
    status: PaymentStatus[payment?.status ?? PaymentStatus.UNSPECIFIED].toLowerCase(),
    state: shown.state,
    amount: formatSen(payment?.amountSen ?? 0n),
    masked_card: payment?.maskedCard ?? '',
    merchant_id: payment?.merchantId ?? '',
    account_id: payment?.accountId ?? '',
    merchant_reff_no: payment?.merchantReffNo ?? '',
    acquirer_reference: shown.acquirerReference,
    acquirer: { says: shown.acquirerSays, reason: shown.acquirerReason },
    waiting: sinceMs === undefined ? null : { since: toIso(sinceMs), tries: shown.tries, for: shown.waitingFor },
    due_at: dueAtMs === undefined ? null : toIso(dueAtMs),
    created_at: toIso(payment?.createdAtMs ?? 0n),
    history: shown.history.map(({ atMs, state }) => ({ at: toIso(atMs), state })),
    decisions: shown.decisions.map(({ atMs, outcome, evidence, proposer, approver }) => {
      return { at: toIso(atMs), outcome, evidence, proposer, approver };
    }),
  };
}

function toShownLines(id: string, shown: ShowPaymentResponse): string[] {
  const { state, masked_card, merchant_id, account_id, created_at, waiting, due_at, history, decisions } = toShownJson(shown);
  return [
    `${id}  ${state}  ${toRupiah(shown.payment?.amountSen ?? 0n)}  ${masked_card}  of ${merchant_id} ${account_id}`,
    `${created_at}  ordered`,
    ...history.map((entry) => `${entry.at}  ${entry.state}`),
    ...decisions.map(
      ({ at, outcome, proposer, approver, evidence }) =>
        `${at}  decided as ${outcome} by ${proposer} and ${approver}: ${evidence}`,
    ),
    `the acquirer says ${saidText(shown.acquirerSays, shown.acquirerReason)}`,
    ...(waiting === null ? [] : [`waits since ${waiting.since}, ${waiting.tries} questions: ${waiting.for}`]),
    ...(due_at === null ? [] : [`goes on by itself at ${due_at}`]),
  ];
}

function saidText(says: string, reason: string): string {
  return reason === '' ? says : `${says} (${reason})`;
}
