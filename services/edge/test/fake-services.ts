import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { newUlid, RefusalError, refuse } from '@gerbang/core';
import { PrepaidService } from '@gerbang/proto/gerbang/biller/v1/biller';
import { LedgerService, StatementService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { AccountService, AccountStatus, MerchantService } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import {
  PaymentLinkService,
  QrisService,
  RetailService,
  VirtualAccountService,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { CardlessWithdrawalService } from '@gerbang/proto/gerbang/money_out/v1/cardless_withdrawal';
import { EwalletTopupService } from '@gerbang/proto/gerbang/money_out/v1/ewallet_topup';
import { AccountTransferService, DisbursementService } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { QrisPaymentService } from '@gerbang/proto/gerbang/money_out/v1/qris_payment';
import { DeliveryService } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { type Handlers, implement, startRpcServer } from '@gerbang/rpc';
import type { Closeable } from '@gerbang/runtime';
import { testLog } from '@gerbang/testkit';

type AccountHandlers = Handlers<typeof AccountService>;
type MerchantHandlers = Handlers<typeof MerchantService>;
type DisbursementHandlers = Handlers<typeof DisbursementService>;
type StatementHandlers = Handlers<typeof StatementService>;
type AccountTransferHandlers = Handlers<typeof AccountTransferService>;
type EwalletTopupHandlers = Handlers<typeof EwalletTopupService>;
type CardlessWithdrawalHandlers = Handlers<typeof CardlessWithdrawalService>;
type QrisPaymentHandlers = Handlers<typeof QrisPaymentService>;
type VirtualAccountHandlers = Handlers<typeof VirtualAccountService>;
type QrisHandlers = Handlers<typeof QrisService>;
type RetailHandlers = Handlers<typeof RetailService>;
type PaymentLinkHandlers = Handlers<typeof PaymentLinkService>;
type PrepaidHandlers = Handlers<typeof PrepaidService>;
type DeliveryHandlers = Handlers<typeof DeliveryService>;

export type FakeMerchant = {
  merchantId: string;
  partnerId: string;
  clientId: string;
  clientSecret: string;
  active: boolean;
  generation: bigint;
  version: bigint;
  merchantWhitelist: string[];
  credentialWhitelist: string[];
  accountIds: string[];
};

/** Real gRPC servers with scripted answers; a test replaces the handlers it is about and sees every request in `calls`. */
export type FakeServices = Closeable & {
  address: string;
  merchants: FakeMerchant[];
  calls: { method: string; request: unknown }[];
  disbursement: Partial<DisbursementHandlers>;
  accountTransfer: Partial<AccountTransferHandlers>;
  ewalletTopup: Partial<EwalletTopupHandlers>;
  cardlessWithdrawal: Partial<CardlessWithdrawalHandlers>;
  qrisPayments: Partial<QrisPaymentHandlers>;
  deliveries: Partial<DeliveryHandlers>;
  prepaid: Partial<PrepaidHandlers>;
  virtualAccounts: Partial<VirtualAccountHandlers>;
  qris: Partial<QrisHandlers>;
  retail: Partial<RetailHandlers>;
  paymentLinks: Partial<PaymentLinkHandlers>;
  account: Partial<AccountHandlers>;
  merchant: Partial<MerchantHandlers>;
  ledger: Partial<Handlers<typeof LedgerService>>;
  statement: Partial<StatementHandlers>;
  /** A token as the merchant service signs it; header and claims can be replaced. */
  token(merchant: FakeMerchant, over?: { header?: object; claims?: object; key?: KeyObject }): string;
};

export function newMerchant(over: Partial<FakeMerchant> = {}): FakeMerchant {
  const id = newUlid(Date.now());
  return {
    merchantId: `m-${id}`,
    partnerId: `p-${id}`,
    clientId: `c-${id}`,
    clientSecret: `s-${id}`,
    active: true,
    generation: 1n,
    version: 1n,
    merchantWhitelist: ['127.0.0.1'],
    credentialWhitelist: [],
    accountIds: [newUlid(Date.now()), newUlid(Date.now())],
    ...over,
  };
}

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Starts all services behind the edge on one port. */
export async function startFakeServices(realNow: () => number = Date.now): Promise<FakeServices> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const unscripted = () => Promise.reject(new Error('not scripted'));
  const fakes: Omit<FakeServices, 'close' | 'address'> = {
    merchants: [],
    calls: [],
    disbursement: {},
    accountTransfer: {},
    ewalletTopup: {},
    cardlessWithdrawal: {},
    qrisPayments: {},
    deliveries: {},
    prepaid: {},
    virtualAccounts: {},
    qris: {},
    retail: {},
    paymentLinks: {},
    account: {},
    merchant: {},
    ledger: {},
    statement: {},
    token(merchant, { header = {}, claims = {}, key = privateKey } = {}) {
      const iat = Math.floor(realNow() / 1_000);
      const content = `${base64url({ alg: 'EdDSA', typ: 'JWT', kid: 'k1', ...header })}.${base64url({
        iss: 'gerbang',
        sub: merchant.merchantId,
        cid: merchant.clientId,
        gen: Number(merchant.generation),
        jti: newUlid(Date.now()),
        iat,
        exp: iat + 900,
        ...claims,
      })}`;
      return `${content}.${sign(null, Buffer.from(content), key).toString('base64url')}`;
    },
  };
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  const find = (matches: (merchant: FakeMerchant) => boolean): FakeMerchant => {
    const found = fakes.merchants.find(matches);
    if (found === undefined) throw new RefusalError(refuse('merchant_not_found'));
    return found;
  };
  const merchantDefaults: MerchantHandlers = {
    getAccess: async ({ by }) => {
      const found = find((merchant) => (by.case === 'clientId' ? merchant.clientId : merchant.merchantId) === by.value);
      const { merchantId, partnerId, version, clientId, clientSecret, active, generation } = found;
      const credential = { clientId, clientSecret, active, generation, ipWhitelist: found.credentialWhitelist };
      return { access: { merchantId, partnerId, version, credentials: [credential], ipWhitelist: found.merchantWhitelist } };
    },
    getProfile: async ({ merchantId }) => {
      const { version } = find((merchant) => merchant.merchantId === merchantId);
      return { profile: { merchantId, version, partition: 'p7', products: ['disbursement'] } };
    },
    getAccount: async ({ merchantId, accountId }) => {
      const owner = fakes.merchants.find((merchant) => merchant.accountIds.includes(accountId));
      if (owner === undefined) throw new RefusalError(refuse('account_not_found'));
      if (owner.merchantId !== merchantId) throw new RefusalError(refuse('account_of_other_merchant'));
      return { account: { accountId, merchantId, name: 'Main', status: AccountStatus.ACTIVE, version: 1n } };
    },
    checkVersions: async ({ merchants }) => ({
      changedMerchantIds: merchants
        .filter(({ id, version }) => fakes.merchants.find((merchant) => merchant.merchantId === id)?.version !== version)
        .map(({ id }) => id),
    }),
    issueToken: async ({ merchantId }) => ({
      accessToken: fakes.token(find((merchant) => merchant.merchantId === merchantId)),
      expiresAtMs: 1_800_000_000_000n,
      expiresInSeconds: 900,
    }),
    listVerificationKeys: async () => ({ keys: [{ kid: 'k1', publicKey: spki }] }),
    getCallbackSettings: unscripted,
    updateCallbackSettings: unscripted,
    listWebhookSettings: unscripted,
  };
  const accountDefaults: AccountHandlers = { listAccounts: unscripted, openAccount: unscripted, updateAccount: unscripted };
  const disbursementDefaults: DisbursementHandlers = {
    transfer: unscripted,
    checkBeneficiary: unscripted,
    getFee: unscripted,
    getTransfer: unscripted,
    listTransfers: unscripted,
  };
  const accountTransferDefaults: AccountTransferHandlers = {
    createAccountTransfer: unscripted,
    getAccountTransfer: unscripted,
    listAccountTransfers: unscripted,
  };
  const ewalletTopupDefaults: EwalletTopupHandlers = { triggerTopup: unscripted, checkWallet: unscripted, getTopup: unscripted };
  const cardlessWithdrawalDefaults: CardlessWithdrawalHandlers = {
    createCardlessWithdrawal: unscripted,
    getCardlessWithdrawal: unscripted,
    listCardlessWithdrawals: unscripted,
    cancelCardlessWithdrawal: unscripted,
  };
  const qrisPaymentDefaults: QrisPaymentHandlers = {
    inquireQrisPayment: unscripted,
    creditQrisPayment: unscripted,
    getQrisPayment: unscripted,
  };
  const virtualAccountDefaults: VirtualAccountHandlers = {
    createVirtualAccount: unscripted,
    getVirtualAccount: unscripted,
    listVirtualAccounts: unscripted,
    updateVirtualAccount: unscripted,
    deleteVirtualAccount: unscripted,
    getVaTransaction: unscripted,
    listVaTransactions: unscripted,
  };
  const qrisDefaults: QrisHandlers = { generateQris: unscripted, getQris: unscripted, listQris: unscripted };
  const paymentLinkDefaults: PaymentLinkHandlers = {
    createPaymentLink: unscripted,
    getPaymentLink: unscripted,
    listPaymentLinks: unscripted,
    updatePaymentLink: unscripted,
    deletePaymentLink: unscripted,
    getPaymentLinkHistory: unscripted,
    listPaymentLinkHistories: unscripted,
    listPayableMethods: unscripted,
  };
  const retailDefaults: RetailHandlers = { createRetailTransaction: unscripted, getRetailTransaction: unscripted };
  const deliveryDefaults: DeliveryHandlers = { listDeliveries: unscripted, getDelivery: unscripted, redeliver: unscripted };
  const prepaidDefaults: PrepaidHandlers = {
    inquirePrepaid: unscripted,
    payPrepaid: unscripted,
    listPrepaidProducts: unscripted,
  };
  const statementDefaults: StatementHandlers = { listEntries: unscripted, listSettlements: unscripted };
  const ledgerDefaults: Handlers<typeof LedgerService> = { post: unscripted, getBalance: unscripted, verify: unscripted };

  /** Looks at every call which handler the test has scripted by then. */
  const scripted = <H extends object>(defaults: H, replaced: () => Partial<H>): H =>
    new Proxy(defaults, {
      get(target, method, receiver) {
        return (request: unknown, call: unknown) => {
          fakes.calls.push({ method: String(method), request });
          const handler: unknown = Reflect.get(replaced(), method) ?? Reflect.get(target, method, receiver);
          if (typeof handler !== 'function') throw new Error(`${String(method)} is no method`);
          return handler(request, call);
        };
      },
    });

  const server = await startRpcServer({
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    log: testLog('fakes'),
    implementations: [
      implement(
        MerchantService,
        scripted(merchantDefaults, () => fakes.merchant),
        [],
      ),
      implement(
        AccountService,
        scripted(accountDefaults, () => fakes.account),
        [],
      ),
      implement(
        LedgerService,
        scripted(ledgerDefaults, () => fakes.ledger),
        [],
      ),
      implement(
        StatementService,
        scripted(statementDefaults, () => fakes.statement),
        [],
      ),
      implement(
        DisbursementService,
        scripted(disbursementDefaults, () => fakes.disbursement),
        [],
      ),
      implement(
        AccountTransferService,
        scripted(accountTransferDefaults, () => fakes.accountTransfer),
        [],
      ),
      implement(
        EwalletTopupService,
        scripted(ewalletTopupDefaults, () => fakes.ewalletTopup),
        [],
      ),
      implement(
        CardlessWithdrawalService,
        scripted(cardlessWithdrawalDefaults, () => fakes.cardlessWithdrawal),
        [],
      ),
      implement(
        QrisPaymentService,
        scripted(qrisPaymentDefaults, () => fakes.qrisPayments),
        [],
      ),
      implement(
        VirtualAccountService,
        scripted(virtualAccountDefaults, () => fakes.virtualAccounts),
        [],
      ),
      implement(
        QrisService,
        scripted(qrisDefaults, () => fakes.qris),
        [],
      ),
      implement(
        RetailService,
        scripted(retailDefaults, () => fakes.retail),
        [],
      ),
      implement(
        PaymentLinkService,
        scripted(paymentLinkDefaults, () => fakes.paymentLinks),
        [],
      ),
      implement(
        DeliveryService,
        scripted(deliveryDefaults, () => fakes.deliveries),
        [],
      ),
      implement(
        PrepaidService,
        scripted(prepaidDefaults, () => fakes.prepaid),
        [],
      ),
    ],
    ready: () => true,
  });
  return Object.assign(fakes, { address: `127.0.0.1:${server.port}`, close: () => server.close() });
}
