import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { DescMethod } from '@bufbuild/protobuf';
import { checkpointText, keyedChain, NO_LINK, RefusalError, refuse } from '@gerbang/core';
import { claimedSubject } from '@gerbang/neighbours';
import {
  AttentionKind,
  CardOperatorService,
  Outcome as CardOutcome,
  ContestedDecision,
} from '@gerbang/proto/gerbang/cards/v1/operators';
import { DiscrepancyDecision, DiscrepancyKind, SupportService } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { TimelineService } from '@gerbang/proto/gerbang/events/v1/events';
import { KeyService } from '@gerbang/proto/gerbang/keys/v1/keys';
import { LedgerService, RoutingService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { ReversalDecision, ReversalService, SuspenseService } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { LimitService, ResolutionService } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { DeliveryStatus, EventService, RedeliveryService } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { Outcome as CommandOutcome, OperatorGateService, Role } from '@gerbang/proto/gerbang/operator/v1/operator';
import { type CallContext, implement, openChannel, type RpcServer, startRpcServer } from '@gerbang/rpc';
import { createLogger } from '@gerbang/runtime';
import { startTestMongo, type TestMongo } from '@gerbang/testkit';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const CLI = path.join(import.meta.dirname, 'main.ts');
const MERCHANT = path.join(import.meta.dirname, '../../services/merchant/src/main.ts');
/** Where the operators' keys are, and the services' logs. */
const data = mkdtempSync(path.join(tmpdir(), 'gerbang-cli-'));
const SECRET = /[A-Za-z0-9_-]{43}/;
/** Many processes one after the other, on a machine that does other things too. */
const TOGETHER_MS = 60_000;

/** What the ledger and money-out answer; they are other services, and theirs is tested there. */
const answers = {
  differences: [] as string[],
  unlinked: [] as { firstSeq: bigint; lastSeq: bigint }[],
  /** Those that the ledger was given with the first question about a partition. */
  checkpoints: 0n,
  proposals: [] as string[],
};

/** Whose token comes with a call; the services' gates are tested there. */
function operatorOf({ authorization }: CallContext): string {
  const claimed = claimedSubject(authorization.replace(/^Bearer /, ''));
  if (claimed === undefined) throw new RefusalError(refuse('unauthorized'));
  return claimed.subject;
}

/** What another service keeps sealed. */
const keeper = { old: ['a', 'b', 'c'], overtaken: ['b'], failed: 0n, asked: [] as string[] };

let mongo: TestMongo;
let others: RpcServer;
let merchant: ChildProcess;
let merchantLog = '';
const logFolder = mkdtempSync(path.join(tmpdir(), 'gerbang-cli-'));
let environment: Record<string, string>;

beforeAll(async () => {
  mongo = await startTestMongo();
  others = await startRpcServer({
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    log: createLogger({ service: 'test', level: 'silent' }),
    ready: () => true,
    implementations: [
      implement(
        KeyService,
        {
          listPlaces: async () => ({ places: [{ name: 'deliveries', purpose: 'prepaid-token', newestKid: 'v2:file:k2' }] }),
          countSealed: async ({ after }) => ({
            counts: after === '' ? [{ kid: 'v2:file:k1', count: BigInt(keeper.old.length) }] : [{ kid: 'v2:file:k2', count: 5n }],
            next: after === '' ? 'page 2' : '',
          }),
          // One thing a page is sealed again; another writer brings the second one back, once.
          reseal: async ({ after }) => {
            keeper.asked.push(after);
            const overtaken = keeper.overtaken.splice(0, 1).length;
            const resealed = overtaken > 0 ? 0 : keeper.old.splice(0, 1).length;
            return {
              resealed: BigInt(resealed),
              overtaken: BigInt(overtaken),
              failed: keeper.failed,
              next: after === '' ? 'page 2' : '',
            };
          },
        },
        [],
      ),
      implement(
        LedgerService,
        {
          post: async ({ amountSen }) => ({ availableAfterSen: amountSen }),
          getBalance: async () => ({}),
          // The balances come on the first page, what differs on the last one.
          verify: async ({ cursor, checkpoints }, call) => {
            operatorOf(call);
            if (cursor === '') answers.checkpoints = BigInt(checkpoints.length);
            return cursor === ''
              ? { balances: [{ merchantId: 'm', accountId: 'a', availableSen: 5_000n }], nextCursor: 'c' }
              : { postings: 3n, differences: answers.differences, unlinked: answers.unlinked, checkpoints: answers.checkpoints };
          },
        },
        [],
      ),
      implement(
        RoutingService,
        {
          locate: async () => ({ address: `127.0.0.1:${others.port}` }),
          async listPartitions(_, call) {
            operatorOf(call);
            return {
              partitions: [
                { name: 'p0', owner: 'ledger-0', epoch: 7n },
                { name: 'p1', owner: 'ledger-1', epoch: 2n },
              ],
              instances: [{ id: 'ledger-0', address: 'ledger-0:9102' }],
            };
          },
        },
        [],
      ),
      implement(
        LimitService,
        {
          listLimits: async () => ({
            limits: [
              { product: 'disbursement', maximumSen: 5_000_000n, dailyMaximumSen: 9_000_000n, usedTodaySen: 1_200_000n },
              { product: 'qris', minimumSen: 100_000n },
            ],
          }),
        },
        [],
      ),
      implement(
        RedeliveryService,
        {
          redeliverMany: async ({ run, after, limit, dryRun, event, status }, call) => {
            const operator = operatorOf(call);
            if (!dryRun)
              answers.proposals.push(`${operator} ${limit} ${DeliveryStatus[status].toLowerCase()} of ${event} in ${run}`);
            const left = after === '' ? 700 : 200;
            return { matched: Math.min(limit, left), after: limit < left ? 'more' : '' };
          },
        },
        [],
      ),
      implement(
        SuspenseService,
        {
          listSuspense: async () => ({
            items: [
              { id: 'va:bank:r 1', rail: 'va', railReference: 'r 1', paidTo: '70014', amountSen: 5_000_000n, reason: 'expired' },
            ],
          }),
          creditSuspense: async ({ id, accountId }, call) => {
            const operator = await approvedBy('money-in', SuspenseService.method.creditSuspense, call);
            answers.proposals.push(`${operator} credits ${accountId} with ${id}`);
            return { figures: { netSen: 4_600_000n, feeSen: 400_000n } };
          },
          refundSuspense: async ({ id }, call) => {
            const operator = await approvedBy('money-in', SuspenseService.method.refundSuspense, call);
            answers.proposals.push(`${operator} refunds ${id}`);
            return {};
          },
        },
        [],
      ),
      implement(
        CardOperatorService,
        {
          listAttention: async ({ kind, olderThanMs }) => ({
            items: [
              {
                payment: { id: '99A', merchantId: 'm', accountId: 'a', amountSen: 5_000_000n },
                kind: AttentionKind.UNRESOLVED,
                state: 'refunding',
                tries: 7,
                reason: `${AttentionKind[kind]} ${olderThanMs}`,
              },
            ],
          }),
          showPayment: async ({ id }) => ({
            payment: { id, merchantId: 'm', accountId: 'a', amountSen: 5_000_000n, maskedCard: '481111******1114' },
            state: 'settled',
            history: [{ atMs: 1_000n, state: 'authorising' }],
            decisions: [{ atMs: 2_000n, outcome: 'captured', evidence: 'a mail', proposer: 'ani', approver: 'budi' }],
            acquirerSays: 'unknown',
            acquirerReason: 'timeout',
          }),
          inquirePayment: async () => ({ stateBefore: 'refunding', state: 'refunded', acquirerSays: 'refunded' }),
          async resolvePayment({ id, outcome, evidence }, call) {
            const operator = await approvedBy('cards', CardOperatorService.method.resolvePayment, call);
            answers.proposals.push(`${operator} says ${id} is ${CardOutcome[outcome]}: ${evidence}`);
            return { state: 'crediting' };
          },
          async decideContested({ id, decision }, call) {
            const operator = await approvedBy('cards', CardOperatorService.method.decideContested, call);
            answers.proposals.push(`${operator} decides ${id}: ${ContestedDecision[decision]}`);
            return { state: 'written-off' };
          },
        },
        [],
      ),
      implement(
        SupportService,
        {
          listCustomerBindings: async () => ({}),
          listUnresolved: async () => ({
            items: [
              {
                merchantId: 'm',
                transactionId: 't 1',
                refundId: 'r 1',
                referenceNumber: 'INV-1',
                amountSen: 5_000_000n,
                reason: 'timeout',
                proposedBy: 'ani',
                proposedOutcome: 'failed',
              },
            ],
          }),
          resolve: async ({ transactionId, refundId, outcome }, call) => {
            const operator = operatorOf(call);
            answers.proposals.push(`${operator} says ${refundId} of ${transactionId} has ${outcome}`);
            return { decided: operator === 'budi' };
          },
          listDiscrepancies: async () => ({
            items: [
              {
                id: 't 2',
                merchantId: 'm',
                accountId: 'a',
                transactionId: 't 2',
                referenceNumber: 'INV-2',
                amountSen: 5_000_000n,
                kind: DiscrepancyKind.SHORTFALL,
                refusals: 1,
              },
            ],
          }),
          decideDiscrepancy: async ({ id, decision }, call) => {
            answers.proposals.push(`${operatorOf(call)} decides ${id}: ${DiscrepancyDecision[decision]}`);
            return { netSen: 4_600_000n, feeSen: 400_000n };
          },
        },
        [],
      ),
      implement(
        ReversalService,
        {
          listReversals: async () => ({
            items: [
              {
                id: 'qris:acquirer:r 2',
                amountSen: 5_000_000n,
                netSen: 4_965_000n,
                problem: 'short-balance',
                merchantId: 'm',
                accountId: 'a',
              },
            ],
          }),
          decideReversal: async ({ id, decision }, call) => {
            const operator = await approvedBy('money-in', ReversalService.method.decideReversal, call);
            answers.proposals.push(`${operator} decides ${id}: ${ReversalDecision[decision]}`);
            return {};
          },
        },
        [],
      ),
      implement(
        TimelineService,
        {
          async listEvents({ aggregateId, afterSeq }, call) {
            operatorOf(call);
            if (aggregateId === 'nothing') return {};
            const event = { seq: afterSeq + 1n, type: 'disbursement.succeeded', atMs: 0n };
            return { events: [{ event, merchantId: 'm', confirmed: true }], more: afterSeq === 0n };
          },
        },
        [],
      ),
      implement(
        EventService,
        {
          async listUnreadable({ filter }, call) {
            operatorOf(call);
            const aggregate = 'money-out:transfers:a:INV-1';
            const type = filter?.type ?? '';
            return { events: [{ id: '01E', service: 'money-out', aggregate, seq: 2n, type, reason: 'too new' }] };
          },
          replayEvents: async ({ filter, cursor }, call) => {
            answers.proposals.push(`${operatorOf(call)} replays ${filter?.id} from ${filter?.fromMs} ${cursor}`);
            if (cursor === '') return { events: [{ id: '01E', fate: 'webhook' }], nextCursor: 'next' };
            return filter?.id === '01F' ? { events: [{ id: '01F', fate: 'unreadable', reason: 'too new' }] } : {};
          },
          async listFates({ service, events }, call) {
            operatorOf(call);
            return {
              fates: [{ seq: events[0]?.seq ?? 0n, eventId: '01E', status: 'unreadable', reason: `unknown to ${service}` }],
            };
          },
        },
        [],
      ),
      implement(
        ResolutionService,
        {
          listUnresolved: async () => ({
            items: [{ transfer: { referenceNumber: 'INV-1', amountSen: 15_000_050n }, sinceMs: 0n, reason: 'timeout' }],
          }),
          resolve: async ({ outcome }, call) => {
            answers.proposals.push(`${operatorOf(call)}: ${outcome}`);
            return { decided: new Set(answers.proposals).size > 1 };
          },
        },
        [],
      ),
    ],
  });
  const othersAddress = `127.0.0.1:${others.port}`;
  merchant = spawn(process.execPath, [MERCHANT], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      GERBANG_ENV: 'sandbox',
      LOG_LEVEL: 'trace',
      MONGODB_URI: mongo.uri,
      MONGODB_DB_PREFIX: mongo.databasePrefix,
      // Nothing listens there: the service works without NATS.
      NATS_URL: 'nats://127.0.0.1:1',
      RPC_PORT: '0',
      ADMIN_PORT: '0',
      LEDGER_RPC: othersAddress,
      GERBANG_KEKS: `k1:${Buffer.alloc(32, 'k').toString('base64')}`,
      CHAIN_KEYS: `c1:${Buffer.alloc(32, 'c').toString('base64')}`,
    },
  });
  const port = await servicePort(merchant);
  environment = {
    GERBANG_DATA: data,
    GERBANG_OPERATOR: 'ani',
    MERCHANT_RPC: `127.0.0.1:${port}`,
    LEDGER_RPC: othersAddress,
    MONEY_OUT_RPC: othersAddress,
    MONEY_IN_RPC: othersAddress,
    NOTIFIER_RPC: othersAddress,
    DIRECT_DEBIT_RPC: othersAddress,
    BILLER_RPC: othersAddress,
    CARDS_RPC: othersAddress,
  };
  await setUp();
}, TOGETHER_MS);

afterAll(async () => {
  merchant.kill('SIGTERM');
  const [code] = await once(merchant, 'exit');
  await others.close();
  await mongo.stop();
  rmSync(logFolder, { recursive: true });
  rmSync(data, { recursive: true });
  expect(code).toBe(0);
}, TOGETHER_MS);

/** Enrols ani and budi as the first admins, and keeps their keys as a sandbox does. */
async function setUp(): Promise<void> {
  const enrolments: string[] = [];
  for (const id of ['ani', 'budi']) {
    const file = path.join(data, 'operators', `${id}.json`);
    const { public_key } = JSON.parse((await gerbang(['--json', 'operators', 'new-key', id, '--out', file])).stdout);
    enrolments.push(`${id}=${public_key}`);
  }
  const { code, stderr } = await gerbang(['operators', 'set-up', ...enrolments]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}

/** Reads the service's log until it tells its port, and keeps all of it. */
function servicePort(child: ChildProcess): Promise<number> {
  if (child.stdout === null) throw new Error('the service has no output');
  const lines = createInterface(child.stdout);
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}: ${merchantLog}`)));
    lines.on('line', (line) => {
      merchantLog += `${line}\n`;
      const entry: { msg?: string; port?: number } = JSON.parse(line);
      if (entry.msg === 'ready' && entry.port !== undefined) resolve(entry.port);
    });
  });
}

/** The second of the two operators who have given a command, as a service hears it from the merchant service's gate. */
async function approvedBy(service: string, method: DescMethod, { authorization, request, peer }: CallContext): Promise<string> {
  const channel = openChannel({ address: environment.MERCHANT_RPC ?? '', tls: undefined });
  try {
    const gate = channel.client(OperatorGateService);
    const { commandId, operator } = await gate.begin({
      token: authorization.replace('Bearer ', ''),
      service,
      method: `/${method.parent.typeName}/${method.name}`,
      requestHash: createHash('sha256').update(request).digest(),
      request,
      roles: [Role.FINANCE, Role.ADMIN],
      needsApproval: true,
      source: peer,
    });
    await gate.finish({ commandId, outcome: CommandOutcome.DONE, before: 'null', after: 'null' });
    return operator?.id ?? '';
  } finally {
    await channel.close();
  }
}

/** A log of the ledger with one checkpoint, of the partition p0. */
function checkpointLog(): string {
  const chain = keyedChain({ currentKid: 'k1', keys: new Map([['k1', Buffer.alloc(32, 1)]]) }, 'journal:p0');
  const file = path.join(logFolder, 'ledger.log');
  writeFileSync(file, `${JSON.stringify({ checkpoint: checkpointText(chain.checkpoint(4n, NO_LINK, new Date(0))) })}\n`);
  return file;
}

type Outcome = { code: number; stdout: string; stderr: string };

function gerbang(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...environment, ...env } };
    execFile(process.execPath, [CLI, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** Runs a command that must succeed, and gives its JSON. */
async function json(...args: string[]) {
  const { code, stdout, stderr } = await gerbang(['--json', '--operator', 'ani', ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** As `json`, of a command that ani proposes and budi approves; gives the service's answer. */
async function approved(...args: string[]) {
  const { code, stderr } = await gerbang(['--operator', 'ani', ...args]);
  expect(code).toBe(1);
  const [, id = ''] = /gerbang approvals approve ([0-9a-f]{64})$/m.exec(stderr) ?? [];
  const second = await gerbang(['--json', 'approvals', 'approve', id, '--operator', 'budi']);
  expect(second).toMatchObject({ code: 0, stderr: '' });
  const { answer, approval } = JSON.parse(second.stdout);
  expect(approval).toMatchObject({ id, state: 'open', proposer: 'ani' });
  return answer;
}

test('a merchant from its creation to its freeze', { timeout: 3 * TOGETHER_MS }, async () => {
  const made = await json(
    ...['merchant', 'create', '--name', 'Toko Maju', '--product', 'disbursement', 'qris', '--ip', '127.0.0.1', '::1'],
    ...['--account', 'Main', 'Kas Kecil'],
  );
  const [first, second] = made.account_ids;
  expect(made).toEqual({
    merchant_id: expect.stringMatching(/^[0-9A-Z]{26}$/),
    partner_id: expect.stringMatching(/^pk_/),
    client_id: expect.stringMatching(/^ck_/),
    client_secret: expect.stringMatching(SECRET),
    account_ids: [first, second],
  });
  const id = made.merchant_id;
  const rotated = await approved('credential', 'rotate', id, made.client_id);
  const added = await approved('credential', 'add', id);
  expect(new Set([made.client_secret, rotated.client_secret, added.client_secret]).size).toBe(3);
  await json('credential', 'disable', id, added.client_id);
  await json('whitelist', 'set', id, '10.0.0.0/8');
  await json('products', 'set', id, 'disbursement');
  const vendor = ['--vendor-fixed', '500', '--vendor-percent', '0.3', '--from', '2027-01-01', '--until', '2027-02-01'];
  await approved(
    'fee',
    'set',
    id,
    'qris',
    '--channel',
    '014',
    '--fixed',
    '1500.50',
    '--percent',
    '0.7',
    '--max',
    '5000',
    ...vendor,
  );
  const qrisFee = {
    channel: '014',
    fixed: '1500.50',
    basis_points: 70,
    maximum: '5000.00',
    vendor_fixed: '500.00',
    vendor_basis_points: 30,
    effective_from: '2027-01-01T00:00:00.000Z',
    effective_until: '2027-02-01T00:00:00.000Z',
  };
  expect((await json('fee', 'list', id)).fees).toMatchObject([
    { product: 'disbursement', fixed: '2500.00' },
    { product: 'qris' },
    qrisFee,
  ]);
  expect((await gerbang(['fee', 'list', id, '--operator', 'ani'])).stdout.split('\n')).toEqual([
    'disbursement, all channels: IDR 2500.00 + 0 %',
    'qris, all channels: IDR 0.00 + 0.7 %',
    'qris, channel 014: IDR 1500.50 + 0.7 %, at most IDR 5000.00, of which the vendor gets IDR 500.00 + 0.3 %, from 2027-01-01T00:00:00.000Z, until 2027-02-01T00:00:00.000Z',
    '',
  ]);
  await json('limit', 'set', id, 'disbursement', '--min', '10000', '--max', '50000000', '--daily', '90000000');
  const none = {
    minimum: null,
    maximum: null,
    daily_maximum: null,
    monthly_maximum: null,
    used_today: null,
    used_this_month: null,
  };
  const used = { maximum: '50000.00', daily_maximum: '90000.00', used_today: '12000.00', used_this_month: '0.00' };
  expect((await json('limit', 'list', id)).limits).toEqual([
    { ...none, product: 'disbursement', ...used },
    { ...none, product: 'qris', minimum: '1000.00' },
  ]);
  expect(await approved('fund', id, first, '150000.50')).toEqual({ available_sen: '15000050' });
  const opened = await json('account', 'create', id, 'Ketiga');
  await json('account', 'freeze', id, opened.account_id);
  await json('merchant', 'freeze', id);
  expect(await json('merchant', 'list')).toMatchObject([
    {
      merchant_id: id,
      status: 'frozen',
      client_ids: [made.client_id],
      accounts: [
        { account_id: first, name: 'Main', status: 'active', is_default: true },
        { account_id: second, is_default: false },
        { account_id: opened.account_id, status: 'frozen' },
      ],
    },
  ]);
  const audit = await json('audit', 'list', '--limit', '100');
  type Entry = {
    command: string;
    outcome: string;
    operator: string;
    proposer: string;
    after: { fees?: object[]; limits?: object[] };
  };
  const done: Entry[] = audit.entries.filter(({ outcome }: Entry) => outcome === 'done').reverse();
  expect(done.map(({ command }) => command.split('/').at(-1))).toEqual([
    ...['SetUp', 'CreateMerchant', 'RotateSecret', 'AddCredential', 'DisableCredential', 'SetWhitelist', 'SetProducts'],
    ...['SetFees', 'SetLimits', 'Fund', 'CreateAccount', 'SetFrozen', 'SetFrozen'],
  ]);
  expect(done[2]).toMatchObject({ operator: 'budi', proposer: 'ani' });
  expect(audit.entries.filter(({ outcome }: Entry) => outcome === 'proposed')).toHaveLength(4);
  expect(done[7]?.after.fees?.[2]).toMatchObject(qrisFee);
  const limit = { minimum: '10000.00', maximum: '50000000.00', daily_maximum: '90000000.00', monthly_maximum: '0.00' };
  expect(done[8]?.after.limits).toEqual([{ product: 'disbursement', ...limit }]);
  for (const secret of [made.client_secret, rotated.client_secret, added.client_secret]) {
    expect(merchantLog.includes(secret)).toBe(false);
    expect(JSON.stringify(audit).includes(secret)).toBe(false);
  }
});

describe('for people', () => {
  test('a secret is shown by the command that makes it', { timeout: TOGETHER_MS }, async () => {
    const { code, stdout } = await gerbang(['merchant', 'create', '--name', 'Toko Kedua', '--operator', 'ani']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^client secret {2}[A-Za-z0-9_-]{43} {3}\(shown this once\)$/m);
    const list = await gerbang(['merchant', 'list', '--operator', 'ani']);
    expect(list.stdout).toContain('Toko Kedua  active  partner pk_');
    expect(list.stdout).not.toMatch(SECRET);
  });

  test('the operator is taken from the environment', { timeout: TOGETHER_MS }, async () => {
    const created = await gerbang(['merchant', 'create', '--name', 'Toko Ketiga'], { GERBANG_OPERATOR: 'budi' });
    expect(created.code).toBe(0);
    const { stdout } = await gerbang(['audit', 'list', '--limit', '1', '--operator', 'ani']);
    expect(stdout).toMatch(
      / {2}budi {2}merchant CreateMerchant {2}merchant:[0-9A-Z]{26} {2}done {2}.* {2}from 127\.0\.0\.1:\d+$/m,
    );
  });

  test('unresolved transfers are listed and decided by two', { timeout: TOGETHER_MS }, async () => {
    expect((await gerbang(['transfers', 'unresolved', '--operator', 'ani'])).stdout).toContain(
      'INV-1  IDR 150000.50  since 1970-01-01',
    );
    const resolve = (operator: string) => gerbang(['transfers', 'resolve', 'm', 'a', 'INV-1', 'failed', '--operator', operator]);
    expect((await resolve('ani')).stdout).toContain('a second operator approves it');
    expect((await resolve('budi')).stdout).toBe('INV-1 has failed\n');
    const refund = await gerbang(['transfers', 'refund', 'm', 'a', 'INV-1', '--operator', 'ani']);
    expect(refund.stdout).toBe('the rail is asked to refund INV-1\n');
    expect(answers.proposals).toEqual(['ani: failed', 'budi: failed', 'ani: refund']);
  });

  test('unreadable events are listed and replayed, page after page; what stays unreadable fails', {
    timeout: TOGETHER_MS,
  }, async () => {
    answers.proposals = [];
    const list = await gerbang(['events', 'list', '--unreadable', '--event', 'disbursement.failed']);
    expect(list.stdout).toBe(
      '01E  1970-01-01T00:00:00.000Z  disbursement.failed  money-out:transfers:a:INV-1#2  merchant   too new\n',
    );
    const replay = (...args: string[]) => gerbang(['events', 'replay', '--operator', 'ani', ...args]);
    expect(await replay('--from', '1970-01-02')).toMatchObject({
      code: 0,
      stdout: '1 replayed: 1 are delivered, 0 are still unreadable\n',
    });
    expect(answers.proposals).toEqual(['ani replays  from 86400000 ', 'ani replays  from 86400000 next']);
    expect(await replay('01F')).toMatchObject({ code: 1, stderr: 'gerbang: 1 of 2 are still unreadable\n' });
    expect(await replay()).toMatchObject({ code: 1, stderr: expect.stringContaining('or --all') });
    expect(answers.proposals).toHaveLength(4);
  });

  test('what has happened to an aggregate is shown, with what became of its webhooks', { timeout: TOGETHER_MS }, async () => {
    expect((await gerbang(['events', 'show', 'transfers:a:INV-1'])).stdout).toBe(
      '1  1970-01-01T00:00:00.000Z  disbursement.succeeded  unreadable: unknown to money-out\n' +
        '2  1970-01-01T00:00:00.000Z  disbursement.succeeded  not stored yet\n',
    );
    expect(await gerbang(['events', 'show', 'transfers:nothing'])).toMatchObject({
      code: 1,
      stderr: 'gerbang: there are no events of transfers:nothing\n',
    });
    expect((await gerbang(['events', 'show', 'invoices:1'])).stderr).toContain('expected <type>:<id>');
  });

  test('the ledger is verified; any difference fails', { timeout: TOGETHER_MS }, async () => {
    expect(await gerbang(['ledger', 'verify'])).toEqual({
      code: 0,
      stdout: '6 postings, 2 accounts, sum of all accounts IDR 0.00\n',
      stderr: '',
    });
    const { stdout: json } = await gerbang(['ledger', 'verify', '--json']);
    expect(JSON.parse(json)).toMatchObject({ postings: '6', differences: [], balances: [{ available: '50.00' }, {}] });
    answers.differences = ['account x: 1 instead of 2'];
    const { code, stdout, stderr } = await gerbang(['ledger', 'verify']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'gerbang: the ledger has differences: 2\n' });
    expect(stdout).toContain('difference: account x: 1 instead of 2');
    answers.differences = [];
    answers.unlinked = [{ firstSeq: 5n, lastSeq: 9n }];
    const unlinked = await gerbang(['ledger', 'verify', '--accept-unlinked', 'p0:5-9']);
    expect(unlinked.stdout).toContain('without a link of the chain, accepted: p0:5-9\n');
    expect(unlinked.stdout).toContain('difference: p1: batches 5 to 9 carry no link of the chain\n');
    expect([unlinked.code, unlinked.stderr]).toEqual([1, 'gerbang: the ledger has differences: 1\n']);
    answers.unlinked = [];
    const compared = await gerbang(['ledger', 'verify', '--checkpoints', checkpointLog()]);
    expect(compared).toMatchObject({ code: 0, stdout: expect.stringContaining(', 1 checkpoints agree\n') });
    expect((await gerbang(['ledger', 'partitions'])).stdout).toBe(
      'p0  ledger-0  ledger-0:9102  epoch 7\np1  ledger-1  gone  epoch 2\n',
    );
  });
});

test('reversals: what could not be taken back is listed and decided by operators', { timeout: TOGETHER_MS }, async () => {
  const listed = await gerbang(['reversals', 'list', '--operator', 'ani']);
  expect(listed.stdout).toMatch(/^qris:acquirer:r 2 {2}IDR 50000\.00 {2}reversed at .* {2}short-balance {2}of m a$/m);
  const decide = (operator: string) => gerbang(['reversals', 'decide', 'qris:acquirer:r 2', 'bear', '--operator', operator]);
  expect((await decide('ani')).stderr).toContain('a second operator must approve this command');
  expect(answers.proposals).not.toContain('ani decides qris:acquirer:r 2: BEAR');
  // The same command of another operator approves it too.
  expect((await decide('budi')).stdout).toContain('the account keeps the money');
  expect(answers.proposals).toContain('budi decides qris:acquirer:r 2: BEAR');
  const unknown = await gerbang(['reversals', 'decide', 'qris:acquirer:r 2', 'forget']);
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('withdraw, bear, dismiss')]);
});

test('suspense: what fits nothing is listed, credited and refunded by operators', { timeout: TOGETHER_MS }, async () => {
  expect((await gerbang(['suspense', 'list', '--operator', 'ani'])).stdout).toContain(
    'va:bank:r 1  IDR 50000.00  paid to 70014 at',
  );
  const credit = (operator: string) => gerbang(['suspense', 'credit', 'va:bank:r 1', 'm', 'a', '--operator', operator]);
  expect((await credit('ani')).code).toBe(1);
  expect((await credit('budi')).stdout).toContain('a is credited with IDR 46000.00 (fee IDR 4000.00)');
  await approved('suspense', 'refund', 'va:bank:r 1');
  const done = answers.proposals.filter((proposal) => proposal.includes('va:bank:r 1'));
  expect(done).toEqual(['budi credits a with va:bank:r 1', 'budi refunds va:bank:r 1']);
});

test('cards: what the acquirer does not tell is listed, shown, inquired and decided by two', {
  timeout: TOGETHER_MS,
}, async () => {
  const listed = await gerbang(['cards', 'list', '--kind', 'unresolved', '--older-than', '2', '--operator', 'ani']);
  expect(listed.stdout).toBe(
    '99A  refunding  IDR 50000.00  of m a  since 1970-01-01T00:00:00.000Z  7 questions: UNRESOLVED 120000\n',
  );
  const shown = await gerbang(['cards', 'show', '99A', '--operator', 'ani']);
  expect(shown.stdout.split('\n')).toEqual([
    '99A  settled  IDR 50000.00  481111******1114  of m a',
    '1970-01-01T00:00:00.000Z  ordered',
    '1970-01-01T00:00:01.000Z  authorising',
    '1970-01-01T00:00:02.000Z  decided as captured by ani and budi: a mail',
    'the acquirer says unknown (timeout)',
    '',
  ]);
  const inquired = await gerbang(['cards', 'inquire', '99A', '--operator', 'ani']);
  expect(inquired.stdout).toBe('99A was refunding, and is refunded; the acquirer says refunded\n');
  expect(await approved('cards', 'resolve', '99A', 'captured', '--evidence', 'a mail')).toEqual({ state: 'crediting' });
  expect(await approved('cards', 'contested', '99B', 'write-off', '--evidence', 'a call')).toEqual({ state: 'written-off' });
  expect(answers.proposals).toEqual(expect.arrayContaining(['budi says 99A is CAPTURED: a mail', 'budi decides 99B: WRITE_OFF']));
  expect((await gerbang(['cards', 'resolve', '99A', 'captured'])).stderr).toContain('--evidence');
});

test('direct debit: outcomes that the bank does not tell, and those that it tells otherwise, are decided', {
  timeout: TOGETHER_MS,
}, async () => {
  const { stdout } = await gerbang(['direct-debit', 'unresolved', '--operator', 'ani']);
  expect(stdout).toContain(
    'm  refund r 1 of t 1  INV-1  IDR 50000.00  since 1970-01-01T00:00:00.000Z  timeout  ani proposes failed',
  );
  const resolve = (operator: string) =>
    gerbang(['direct-debit', 'resolve', 'm', 't 1', 'failed', '--refund', 'r 1', '--operator', operator]);
  expect((await resolve('ani')).stdout).toContain('proposed that refund r 1 has failed; a second operator approves it');
  expect((await resolve('budi')).stdout).toBe('refund r 1 has failed\n');
  const listed = await gerbang(['direct-debit', 'discrepancies', '--operator', 'ani']);
  expect(listed.stdout).toContain('t 2  shortfall of IDR 50000.00  of m a  charge t 2  INV-2');
  const decided = await gerbang(['direct-debit', 'decide', 't 2', 'withdraw', '--operator', 'ani']);
  expect(decided.stdout).toBe('t 2 is taken from its account: IDR 46000.00 (fee IDR 4000.00)\n');
  expect(answers.proposals).toEqual(
    expect.arrayContaining(['ani says r 1 of t 1 has failed', 'budi says r 1 of t 1 has failed', 'ani decides t 2: WITHDRAW']),
  );
});

test('events redeliver: tells how many, and does it with --yes, part after part', { timeout: TOGETHER_MS }, async () => {
  const range = ['events', 'redeliver', '--from', '2026-01-01', '--event', 'disbursement'];
  expect((await gerbang(range)).stdout).toBe('700 webhooks would be sent again; add --yes to do it\n');
  expect((await gerbang([...range, '--limit', '600'])).stdout).toContain('600 webhooks would be sent again, and there are more');
  answers.proposals.length = 0;
  const { stdout } = await gerbang([...range, '--yes', '--operator', 'budi']);
  const [, run] = /^700 webhooks will be sent again \(run ([0-9A-Z]{26})\)\n$/.exec(stdout) ?? [];
  expect(answers.proposals).toEqual([`budi 500 failed of disbursement in ${run}`, `budi 500 failed of disbursement in ${run}`]);
  expect((await gerbang(['events', 'redeliver'])).stderr).toContain('give --from and --to, or --id');
});

describe('what goes wrong is one line and exit code 1', () => {
  const nowhere = { MERCHANT_RPC: '127.0.0.1:1' };
  const asAni = { GERBANG_OPERATOR: 'ani' };
  const unknown = '01J00000000000000000000000';
  test.each<[string, string[], Record<string, string>, string]>([
    [
      'not running',
      ['merchant', 'list'],
      nowhere,
      'Gerbang is not running: nothing answers at 127.0.0.1:1 (MERCHANT_RPC); start it with npm start',
    ],
    ['a wrong address', ['merchant', 'list'], { MERCHANT_RPC: 'x' }, 'MERCHANT_RPC is not valid: expected host:port'],
    ['a wrong value', ['merchant', 'create', '--name', 'x', '--product', 'loans'], {}, 'products: is not a list of products'],
    ['no such merchant', ['merchant', 'freeze', unknown], {}, 'merchant_id: there is no such merchant'],
    [
      'half of TLS',
      ['merchant', 'list'],
      { RPC_TLS_CA: 'ca.pem' },
      'RPC_TLS_CA, RPC_TLS_CERT and RPC_TLS_KEY go together: set all three or none',
    ],
  ])('%s', { timeout: TOGETHER_MS }, async (_, args, env, line) => {
    const { code, stdout, stderr } = await gerbang(args, { ...asAni, ...env });
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: `gerbang: ${line}\n` });
  });

  test('an amount that is none', { timeout: TOGETHER_MS }, async () => {
    const { code, stderr } = await gerbang(['fund', unknown, unknown, '12.345']);
    expect(code).toBe(1);
    expect(stderr).toContain('Expected rupiah');
  });
});

describe('operators', () => {
  test('a key of one’s own is readable by oneself only, and must be', { timeout: TOGETHER_MS }, async () => {
    const file = path.join(data, 'operators', 'ani.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o644);
    expect((await gerbang(['operators', 'whoami', '--operator', 'ani'])).stderr).toContain('others can read');
    chmodSync(file, 0o600);
    const { stderr } = await gerbang(['operators', 'whoami'], { GERBANG_OPERATOR: 'budi', GERBANG_OPERATOR_KEY: file });
    expect(stderr).toContain('is the key of ani, not of budi');
    expect((await gerbang(['merchant', 'list', '--operator', 'nobody'])).stderr).toContain(
      'there is no key of the operator nobody',
    );
  });

  test('are enrolled, get roles, and are disabled', { timeout: TOGETHER_MS }, async () => {
    const { public_key } = await json('operators', 'new-key', 'dewi', '--out', path.join(data, 'operators', 'dewi.json'));
    expect(await json('operators', 'enrol', `dewi=${public_key}`, 'viewer', '--name', 'Dewi')).toMatchObject({ role: 'viewer' });
    const freeze = ['merchant', 'freeze', '01J00000000000000000000000', '--operator', 'dewi'];
    expect((await gerbang(freeze)).stderr).toBe('gerbang: the role viewer may not do this\n');
    expect((await gerbang(['operators', 'whoami', '--operator', 'dewi'])).stdout).toMatch(
      /^dewi {2}Dewi {2}viewer {2}enrolled .* by ani$/m,
    );
    const { stderr: needed } = await gerbang(['operators', 'role', 'dewi', 'finance', '--operator', 'ani']);
    const [, approval = ''] = /approve ([0-9a-f]{64})$/m.exec(needed) ?? [];
    const alone = await gerbang(['approvals', 'approve', approval, '--operator', 'ani']);
    expect(alone.stderr).toContain('ani has proposed this command; another operator must approve it');
    expect(await approved('operators', 'role', 'dewi', 'finance')).toMatchObject({ operator: { role: 'ROLE_FINANCE' } });
    const again = await gerbang(['approvals', 'approve', approval, '--operator', 'budi']);
    expect(again).toMatchObject({ code: 1, stderr: 'gerbang: this approval is used; nothing was done\n' });
    await json('operators', 'disable', 'dewi');
    expect((await gerbang(['operators', 'list', '--operator', 'ani'])).stdout).toContain('dewi  Dewi  finance, disabled');
    const { stderr } = await gerbang(['operators', 'set-up', `x=${public_key}`, `y=${public_key}`]);
    expect(stderr).toContain('must be two persons');
  });

  test('the audit log is verified with the checkpoints of the log stream', { timeout: TOGETHER_MS }, async () => {
    const verify = (...args: string[]) => gerbang(['audit', 'verify', '--operator', 'ani', ...args]);
    const log = path.join(data, 'merchant.log');
    writeFileSync(log, merchantLog);
    expect(merchantLog).toContain('"checkpoint":"');
    const { code, stdout } = await verify('--checkpoints', log);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^[1-9]\d* entries, 0 of the earlier log, [1-9]\d* checkpoints\n$/),
    ]);
    const without = await verify();
    expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('no checkpoint says where the log ends') });
    expect(await verify('--no-checkpoints')).toMatchObject({ code: 0, stdout: expect.stringContaining(' 0 checkpoints\n') });
    const client = await new MongoClient(mongo.uri, { useBigInt64: true }).connect();
    const entries = client.db(`${mongo.databasePrefix}merchant`).collection<{ _id: bigint }>('operator_log');
    await entries.updateOne({ _id: 2n }, { $set: { subject: 'budi' } });
    await client.close();
    expect(await verify()).toMatchObject({ code: 1, stdout: expect.stringContaining('problem: entry 2 was changed') });
  });
});

test.each([
  [[]],
  [['merchant']],
  [['merchant', 'create']],
  [['account', 'create']],
  [['credential', 'rotate']],
  [['whitelist', 'set']],
  [['products', 'set']],
  [['fee', 'set']],
  [['fee', 'list']],
  [['limit', 'set']],
  [['fund']],
  [['audit', 'list']],
  [['audit', 'verify']],
  [['operators', 'enrol']],
  [['approvals', 'approve']],
  [['ledger', 'verify']],
  [['transfers', 'resolve']],
  [['biller', 'products', 'set']],
  [['biller', 'resolve']],
  [['direct-debit', 'resolve']],
  [['direct-debit', 'decide']],
  [['cards', 'resolve']],
  [['suspense', 'credit']],
  [['reversals', 'decide']],
  [['events', 'redeliver']],
  [['signature', 'explain']],
])('%j --help tells how it is used', { timeout: TOGETHER_MS }, async (command) => {
  const { code, stdout, stderr } = await gerbang([...command, '--help']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('Usage: gerbang');
});

describe('keys', () => {
  test('status counts what lies under each key, over all pages', { timeout: TOGETHER_MS }, async () => {
    const { under_old_keys, keys } = await json('keys', 'status', '--purpose', 'prepaid-token');
    expect(under_old_keys).toBe('12');
    const place = { service: 'notifier', place: 'deliveries', purpose: 'prepaid-token' };
    expect(keys).toContainEqual({ ...place, kid: 'v2:file:k1', newest: false, count: '3' });
    expect(keys).toContainEqual({ ...place, kid: 'v2:file:k2', newest: true, count: '5' });
    const own = await json('keys', 'status', '--service', 'merchant', '--purpose', 'signing-key');
    expect(own.keys).toMatchObject([{ place: 'signing_keys', kid: 'v2:env:k1', newest: true, count: '1' }]);
  });

  test('reseal walks through every page, until a walk finds nothing to do', { timeout: TOGETHER_MS }, async () => {
    const done = await json('keys', 'reseal', '--service', 'notifier');
    const place = { service: 'notifier', place: 'deliveries', purpose: 'prepaid-token' };
    expect(done).toEqual([{ ...place, resealed: '3', left: '0', failed: '0' }]);
    expect(keeper.asked).toEqual(['', 'page 2', '', 'page 2', '', 'page 2']);
    const own = await json('keys', 'reseal', '--service', 'merchant');
    expect(own).toMatchObject([
      { place: 'merchants', resealed: '0' },
      { place: 'signing_keys', resealed: '0' },
    ]);
  });

  test('reseal fails where no key opens something, and for a purpose that there is not', { timeout: TOGETHER_MS }, async () => {
    keeper.failed = 1n;
    const { code, stderr } = await gerbang(['keys', 'reseal', '--service', 'notifier', '--operator', 'ani']);
    expect([code, stderr]).toEqual([1, 'gerbang: no key opens 2 of them; the log of their service names each\n']);
    const unknown = await gerbang(['keys', 'status', '--service', 'merchant', '--purpose', 'x', '--operator', 'ani']);
    expect(unknown.stderr).toContain('nothing is sealed');
  });
});
