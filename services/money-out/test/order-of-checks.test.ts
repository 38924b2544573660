import { create } from '@bufbuild/protobuf';
import { createClock, RefusalError, refuse } from '@gerbang/core';
import {
  CreateCardlessWithdrawalRequestSchema,
  ListCardlessWithdrawalsRequestSchema,
} from '@gerbang/proto/gerbang/money_out/v1/cardless_withdrawal';
import { CheckWalletRequestSchema, TriggerTopupRequestSchema } from '@gerbang/proto/gerbang/money_out/v1/ewallet_topup';
import {
  CheckBeneficiaryRequestSchema,
  GetFeeRequestSchema,
  ListTransfersRequestSchema,
  TransferRequestSchema,
} from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { BackgroundWork } from '@gerbang/runtime';
import { connectStore, openIdempotencyKeys, type Store } from '@gerbang/store';
import { startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openAccountTransferStore } from '../src/account-transfer/store.ts';
import { createCardlessWithdrawal } from '../src/cardless-withdrawal/rpc/create.ts';
import { listCardlessWithdrawals } from '../src/cardless-withdrawal/rpc/list.ts';
import type { Context } from '../src/context.ts';
import { checkBeneficiary } from '../src/disbursement/rpc/check-beneficiary.ts';
import { getFee } from '../src/disbursement/rpc/get-fee.ts';
import { listTransfers } from '../src/disbursement/rpc/list-transfers.ts';
import { transfer } from '../src/disbursement/rpc/transfer.ts';
import { checkWallet } from '../src/ewallet-topup/rpc/check-wallet.ts';
import { triggerTopup } from '../src/ewallet-topup/rpc/trigger-topup.ts';
import { createProducts } from '../src/products.ts';
import { openInquiries } from '../src/qris-payment/inquiry.ts';
import { openTransferStore } from '../src/transfer/store.ts';
import { keysOf } from './cardless-world.ts';
import { countingMetrics } from './saga-world.ts';

let mongo: TestMongo;
let store: Store;
let context: Context;

const unused = async () => {
  throw new Error('not part of this test');
};
const noProduct = async () => {
  throw new RefusalError(refuse('product_not_allowed'));
};

beforeAll(async () => {
  mongo = await startTestMongo();
  store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}order_of_checks`, appName: 'test' });
  const clock = createClock();
  const close = async () => {};
  const rails = {
    bankTransfer: { inquireAccount: unused, transfer: unused, inquireTransfer: unused, close },
    ewalletTopup: { inquireWallet: unused, topUp: unused, inquireTopup: unused, close },
    cardless: { createCode: unused, inquire: unused, cancel: unused, close },
    qrisPayment: { decode: unused, pay: unused, query: unused, cancel: unused, refund: unused, close },
  };
  const products = createProducts(rails, { keys: keysOf('k1') });
  context = {
    rails,
    products,
    transfers: await openTransferStore(store, Object.values(products), () => {}),
    accountTransfers: await openAccountTransferStore(store, () => {}),
    inquiries: await openInquiries(store),
    ledger: { post: unused, getBalance: unused, verify: unused },
    clock,
    log: testLog(),
    metrics: countingMetrics().metrics,
    railTimeoutMs: 1_000,
    merchants: { profile: unused, account: noProduct, admit: noProduct, admitProduct: noProduct, close: async () => {} },
    idempotencyKeys: await openIdempotencyKeys(store, clock),
    inProgress: new Set(),
    background: new BackgroundWork(),
  };
});

afterAll(async () => {
  await store?.close();
  await mongo?.stop();
});

const PHONE = '081234567890';
const TOPUP = { channel: 'OVO', phoneNumber: PHONE, amountSen: 1_000_000n };
/** An order of cash, with one field wrong. */
function drawing(field: string, wrong: boolean) {
  return {
    bankCode: wrong && field === 'bank_code' ? 'JAGO' : 'BCA',
    amountSen: wrong && field === 'amount' ? 70_000_00n : 100_000_00n,
    ...(wrong && field === 'expired_at' && { expiredAtMs: BigInt(Date.now() - 1) }),
  };
}

/** Contract §2: body and parameters come before the product and the account. */
const rows: { name: string; field: string; call: (wrong: boolean) => Promise<unknown> }[] = [
  {
    name: 'transfer',
    field: 'bank_code',
    call: (wrong) => transfer(context, create(TransferRequestSchema, { bankCode: wrong ? '999' : '014', amountSen: 1n })),
  },
  ...['bank_code', 'amount', 'expired_at'].map((field) => ({
    name: 'cardless withdrawal',
    field,
    call: (wrong: boolean) =>
      createCardlessWithdrawal(context, create(CreateCardlessWithdrawalRequestSchema, drawing(field, wrong))),
  })),
  {
    name: 'list of cardless withdrawals',
    field: 'cursor',
    call: (wrong) =>
      listCardlessWithdrawals(context, create(ListCardlessWithdrawalsRequestSchema, { cursor: wrong ? 'zz' : '' })),
  },
  {
    name: 'check-beneficiary',
    field: 'bank_code',
    call: (wrong) => checkBeneficiary(context, create(CheckBeneficiaryRequestSchema, { bankCode: wrong ? '999' : '014' })),
  },
  {
    name: 'fee',
    field: 'bank_code',
    call: (wrong) => getFee(context, create(GetFeeRequestSchema, { bankCode: wrong ? '999' : '014' })),
  },
  {
    name: 'list',
    field: 'cursor',
    call: (wrong) => listTransfers(context, create(ListTransfersRequestSchema, { cursor: wrong ? 'zz' : '' })),
  },
  {
    name: 'trigger-topup',
    field: 'phone_number',
    call: (wrong) => triggerTopup(context, create(TriggerTopupRequestSchema, { ...TOPUP, phoneNumber: wrong ? '021' : PHONE })),
  },
  {
    name: 'trigger-topup of too little',
    field: 'amount',
    call: (wrong) => triggerTopup(context, create(TriggerTopupRequestSchema, { ...TOPUP, amountSen: wrong ? 1n : 1_000_000n })),
  },
  {
    name: 'check-wallet',
    field: 'channel',
    call: (wrong) => checkWallet(context, create(CheckWalletRequestSchema, { ...TOPUP, channel: wrong ? 'BCA' : 'OVO' })),
  },
];

test.each(rows)('$name: a wrong $field is refused before the product is checked', async ({ field, call }) => {
  await expect(call(true)).rejects.toMatchObject({
    refusal: { refused: 'validation', errors: { [field]: [expect.any(String)] } },
  });
  await expect(call(false)).rejects.toMatchObject({ refusal: { refused: 'product_not_allowed' } });
});
