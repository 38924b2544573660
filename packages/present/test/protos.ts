import { create, type DescMessage, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';
import { BANKS, EWALLET_CHANNELS, PAYMENT_METHODS, RETAIL_CODES, ulidFrom, VA_BANK_CODES } from '@gerbang/core';
import { InquirySchema, ProductSchema, PurchaseSchema, PurchaseStatus } from '@gerbang/proto/gerbang/biller/v1/biller';
import { EntrySchema, EntryType, GetBalanceResponseSchema, SettlementSchema } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import {
  AccountSchema,
  AccountStatus,
  CallbackSettingsSchema,
  IssueTokenResponseSchema,
} from '@gerbang/proto/gerbang/merchant/v1/merchant';
import {
  AmountType,
  EwalletCheckoutSchema,
  PayableStatus,
  PaymentLinkHistorySchema,
  PaymentLinkSchema,
  QrisTransactionSchema,
  RetailTransactionSchema,
  TipIndicator,
  VaTransactionSchema,
  VirtualAccountKind,
  VirtualAccountSchema,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { CheckWalletResponseSchema } from '@gerbang/proto/gerbang/money_out/v1/ewallet_topup';
import {
  AccountTransferSchema,
  CardlessWithdrawalDetailsSchema,
  CheckBeneficiaryResponseSchema,
  EwalletTopupSchema,
  GetFeeResponseSchema,
  TransferSchema,
  TransferStatus,
} from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { DeliverySchema, DeliveryStatus } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import fc from 'fast-check';

// Messages between services as they can be: every status, and every optional field there and absent.

export const PAYABLE_STATUSES = [
  PayableStatus.ACTIVE,
  PayableStatus.COMPLETED,
  PayableStatus.EXPIRED,
  PayableStatus.INACTIVE,
  PayableStatus.FAILED,
  PayableStatus.REVERSED,
] as const;

export const TRANSFER_STATUSES = [
  TransferStatus.SUCCESS,
  TransferStatus.INITIATED,
  TransferStatus.PAYING,
  TransferStatus.PENDING,
  TransferStatus.REFUNDED,
  TransferStatus.CANCELED,
  TransferStatus.FAILED,
] as const;

/** A message of these fields; one that is undefined is absent. */
function message<Schema extends DescMessage>(schema: Schema, fields: fc.Arbitrary<MessageInitShape<Schema>>) {
  return fields.map((init): MessageShape<Schema> => create(schema, init));
}

const ms = fc.integer({ min: 1_600_000_000_000, max: 4_000_000_000_000 });
export const at = ms.map(BigInt);
export const maybe = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: undefined });
export const ulid = fc.tuple(ms, fc.string()).map(([time, name]) => ulidFrom(time, name));
const prefixed = (prefix: string) => ulid.map((id) => `${prefix}${id}`);
export const sen = fc.bigInt({ min: 1n, max: 99_999_999_999_999n });
const number = fc.bigInt({ min: 1n, max: 2n ** 53n - 1n });
const count = fc.integer({ min: 0, max: 255 });
export const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength });
export const reference = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 64 });
const url = fc.webUrl();
export const text = fc.string({ unit: 'grapheme' });
const method = fc.constantFrom(...PAYMENT_METHODS.map(({ code }) => code));
const bankCode = fc.constantFrom(...BANKS.flatMap(({ nationalCode, swiftCode }) => [nationalCode, swiftCode]));

const figures = fc
  .record({
    net: sen,
    vendor: fc.bigInt({ min: 0n, max: 999n }),
    margin: fc.bigInt({ min: 0n, max: 999n }),
    at,
    settledAtMs: maybe(at),
  })
  .map(({ net, vendor, margin, at, settledAtMs }) => ({
    amountSen: net + vendor + margin,
    feeSen: vendor + margin,
    netSen: net,
    vendorFeeSen: vendor,
    ourMarginSen: margin,
    basisPoints: 70,
    paidAtMs: at,
    settleAtMs: at + 5_000n,
    ...(settledAtMs !== undefined && { settledAtMs }),
  }));

/** The figures of a request that is paid, or was. */
const figuresOf = (status: PayableStatus) =>
  status === PayableStatus.COMPLETED || status === PayableStatus.REVERSED ? figures : fc.constant(undefined);

const request = { accountId: ulid, amountSen: sen, merchantReffNo: text, createdAtMs: at, updatedAtMs: at };

export const virtualAccount = (status: PayableStatus) =>
  message(
    VirtualAccountSchema,
    fc.record({
      ...request,
      id: ulid,
      number: digits(16, 18),
      bankCode: fc.constantFrom(...VA_BANK_CODES),
      kind: fc.constantFrom(VirtualAccountKind.TEMPORARY, VirtualAccountKind.PERMANENT),
      amountType: fc.constantFrom(AmountType.OPEN, AmountType.CLOSED),
      minAmountSen: sen,
      maxAmountSen: sen,
      status: fc.constant(status),
      currentUsage: count,
      maxUsage: maybe(fc.integer({ min: 1, max: 255 })),
      expiredAtMs: maybe(at),
      name: text,
    }),
  );

export const vaTransaction = message(
  VaTransactionSchema,
  fc.record({
    id: ulid,
    accountId: ulid,
    virtualAccountId: ulid,
    number: digits(16, 18),
    bankCode: fc.constantFrom(...VA_BANK_CODES),
    merchantReffNo: text,
    figures,
  }),
);

const payer = fc.record({
  issuerName: text,
  issuerNns: digits(0, 8),
  customerPan: digits(0, 19),
  customerName: text,
  customerAccountType: fc.constantFrom('', 'SAVING'),
  onUs: fc.boolean(),
  rrn: digits(0, 12),
});

export const qrisTransaction = (status: PayableStatus) =>
  message(
    QrisTransactionSchema,
    fc.record({
      ...request,
      id: number,
      reffNo: prefixed('66'),
      status: fc.constant(status),
      qrData: text,
      tipIndicator: fc.constantFrom(TipIndicator.UNSPECIFIED, TipIndicator.FIXED, TipIndicator.PERCENTAGE, TipIndicator.INPUT),
      tipValue: fc.bigInt({ min: 0n, max: 9_999n }),
      tipSen: fc.bigInt({ min: 0n, max: 9_999n }),
      expiredAtMs: at,
      figures: figuresOf(status),
      payer: maybe(payer),
      acquirerName: text,
      acquirerNns: digits(0, 8),
      eventsCount: count,
      isExpired: fc.boolean(),
    }),
  );

export const ewalletCheckout = (status: PayableStatus) =>
  message(
    EwalletCheckoutSchema,
    fc.record({
      ...request,
      transactionId: prefixed('88'),
      channel: fc.constantFrom(...EWALLET_CHANNELS),
      status: fc.constant(status),
      customerPhone: digits(0, 15),
      successRedirectUrl: fc.oneof(url, fc.constant('')),
      checkoutUrl: url,
      expiredAtMs: at,
      figures: figuresOf(status),
    }),
  );

export const retailTransaction = (status: PayableStatus) =>
  message(
    RetailTransactionSchema,
    fc.record({
      ...request,
      transactionId: ulid,
      paymentCode: digits(16, 16),
      retailCode: fc.constantFrom(...RETAIL_CODES),
      status: fc.constant(status),
      customerName: text,
      expiredAtMs: at,
      figures: figuresOf(status),
    }),
  );

export const paymentLink = (status: PayableStatus) =>
  message(
    PaymentLinkSchema,
    fc.record({
      accountId: ulid,
      id: number,
      reffNo: prefixed('PL'),
      title: text,
      description: text,
      status: fc.constant(status),
      amountSen: sen,
      maxUsage: maybe(fc.integer({ min: 1, max: 255 })),
      currentUsage: count,
      paymentUrl: url,
      requiredCustomerDetail: fc.boolean(),
      expiredAtMs: maybe(at),
      successRedirectUrl: fc.oneof(url, fc.constant('')),
      paymentMethods: fc.array(method, { minLength: 1 }),
      createdAtMs: at,
      updatedAtMs: at,
    }),
  );

export const history = (status: PayableStatus) =>
  message(
    PaymentLinkHistorySchema,
    fc.record({
      accountId: ulid,
      id: number,
      paymentLinkId: number,
      reffNo: prefixed('PH'),
      status: fc.constant(status),
      amountSen: sen,
      paymentMethod: fc.oneof(method, fc.constant('')),
      paymentMethodValue: text,
      customerName: text,
      customerEmail: text,
      customerPhone: text,
      ipAddress: fc.oneof(fc.ipV4(), fc.ipV6()),
      expiredAtMs: at,
      createdAtMs: at,
      updatedAtMs: at,
      figures: figuresOf(status),
    }),
  );

export const transfer = (status: TransferStatus) =>
  message(
    TransferSchema,
    fc.record({
      transactionId: ulid,
      referenceNumber: reference,
      accountId: ulid,
      status: fc.constant(status),
      amountSen: sen,
      feeSen: fc.bigInt({ min: 0n, max: 999_999n }),
      balanceAfterSen: maybe(fc.bigInt({ min: -999n, max: 99_999_999_999_999n })),
      createdAtMs: at,
      processedAtMs: maybe(at),
      failedCode: text,
      failedReason: text,
      bankCode,
      bankName: text,
      bankAccountNumber: digits(6, 30),
      bankAccountName: text,
      description: text,
    }),
  );

/** Of a transfer, with a top-up's own part and id. */
export const ewalletTopup = (status: TransferStatus) =>
  fc
    .record({
      transfer: transfer(status),
      transactionId: prefixed('88'),
      channel: fc.constantFrom(...EWALLET_CHANNELS),
      phoneNumber: digits(10, 14),
      name: text,
    })
    .map(({ transfer: made, transactionId, ...own }) =>
      create(TransferSchema, { ...made, transactionId, ewalletTopup: create(EwalletTopupSchema, own) }),
    );

export const wallet = message(
  CheckWalletResponseSchema,
  fc.record({ channel: fc.constantFrom(...EWALLET_CHANNELS), phoneNumber: digits(10, 14), name: text }),
);

export const cardlessWithdrawal = (status: TransferStatus) =>
  fc
    .tuple(
      transfer(status),
      fc.record({
        bankCode: fc.constantFrom(...VA_BANK_CODES),
        bankName: text,
        phoneNumber: digits(8, 15),
        expiredAtMs: at,
        expired: fc.boolean(),
      }),
    )
    .map(([common, own]) =>
      create(TransferSchema, { ...common, cardlessWithdrawal: create(CardlessWithdrawalDetailsSchema, own) }),
    );
export const qrisPayment = (status: TransferStatus) =>
  message(
    TransferSchema,
    fc.record({
      transactionId: prefixed('66'),
      referenceNumber: reference,
      accountId: ulid,
      status: fc.constant(status),
      amountSen: fc.oneof(fc.constant(0n), sen),
      feeSen: fc.bigInt({ min: 0n, max: 999_999n }),
      balanceAfterSen: maybe(fc.bigInt({ min: -999n, max: 99_999_999_999_999n })),
      createdAtMs: at,
      processedAtMs: maybe(at),
      failedCode: text,
      failedReason: text,
      qrisPayment: fc.record({
        qrData: text,
        type: fc.constantFrom('mpm-dynamic', 'mpm-static'),
        merchantName: text,
        merchantCity: text,
        amountSen: sen,
        tipSen: fc.bigInt({ min: 0n, max: 999_999n }),
        tipIndicator: fc.constantFrom('', 'fixed', 'percentage', 'input'),
        tipValue: fc.bigInt({ min: 0n, max: 9_999n }),
        rrn: text,
      }),
    }),
  );

export const accountTransfer = (status: TransferStatus) =>
  message(
    AccountTransferSchema,
    fc.record({
      transactionId: ulid,
      referenceNumber: reference,
      sourceAccountId: ulid,
      destinationAccountId: ulid,
      status: fc.constant(status),
      amountSen: sen,
      balanceAfterSen: maybe(sen),
      createdAtMs: at,
      processedAtMs: maybe(at),
      note: text,
    }),
  );

export const PURCHASE_STATUSES = [PurchaseStatus.PENDING, PurchaseStatus.SUCCESS, PurchaseStatus.FAILED] as const;

/** Prepaid products cost whole rupiah. */
const rupiahSen = fc.bigInt({ min: 0n, max: 999_999_999n }).map((rupiah) => rupiah * 100n);
const ofCustomer = { referenceNumber: ulid, productCode: text, customerId: digits(6, 13), customerName: text };
const costs = { amountSen: rupiahSen, adminSen: rupiahSen };

export const prepaidInquiry = message(InquirySchema, fc.record({ ...ofCustomer, ...costs, createdAtMs: at }));

export const prepaidPurchase = (status: PurchaseStatus) =>
  message(
    PurchaseSchema,
    fc.record({
      ...ofCustomer,
      ...costs,
      transactionId: ulid,
      accountId: ulid,
      status: fc.constant(status),
      createdAtMs: at,
      processedAtMs: maybe(at),
      serialNumber: text,
      failedReason: text,
    }),
  );

const length = fc.integer({ min: 1, max: 20 });
export const prepaidProduct = message(
  ProductSchema,
  fc.record({
    code: text,
    command: text,
    name: text,
    ...costs,
    customerDigitsMin: length,
    customerDigitsMax: length,
    customerPrefix: digits(0, 4),
  }),
);

export const account = message(
  AccountSchema,
  fc.record({
    accountId: ulid,
    name: text,
    status: fc.constantFrom(AccountStatus.ACTIVE, AccountStatus.INACTIVE, AccountStatus.FROZEN),
    merchantReffNo: text,
    isDefault: fc.boolean(),
    createdAtMs: at,
    updatedAtMs: at,
  }),
);

export const callbackSettings = message(
  CallbackSettingsSchema,
  fc.record({
    transactionNotifUrl: maybe(url),
    disbursementNotifUrl: maybe(url),
    directDebitNotifUrl: maybe(url),
    paymentLinkInquiryNotifUrl: maybe(url),
    signatureEnabled: fc.boolean(),
  }),
);

export const issuedToken = message(
  IssueTokenResponseSchema,
  fc.record({
    accessToken: fc.constant('eyJhbGciOi.eyJpc3M-Ii_9.c2lnbmF0dXJl'),
    expiresAtMs: at,
    expiresInSeconds: fc.constant(900),
  }),
);

export const balance = message(
  GetBalanceResponseSchema,
  fc.record({ availableSen: fc.bigInt({ min: -9_999n, max: 9_999n }), heldSen: sen, pendingSen: sen }),
);

const posted = { id: fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 }), accountId: ulid };
const names = { product: text, transactionId: text, referenceNumber: text };

export const entry = message(
  EntrySchema,
  fc.record({
    ...posted,
    ...names,
    type: fc.constantFrom(EntryType.CREDIT, EntryType.DEBIT),
    amountSen: sen,
    feeSen: fc.bigInt({ min: 0n, max: 9_999n }),
    balanceAfterSen: fc.bigInt({ min: -9_999n, max: 9_999n }),
    description: text,
    postedAtMs: at,
  }),
);

export const settlement = message(
  SettlementSchema,
  fc.record({ ...posted, ...names, amountSen: sen, feeSen: sen, netAmountSen: sen, settledAtMs: at }),
);

export const delivery = message(
  DeliverySchema,
  fc.record({
    id: ulid,
    eventId: ulid,
    event: text,
    url,
    status: fc.constantFrom(DeliveryStatus.PENDING, DeliveryStatus.DELIVERED, DeliveryStatus.FAILED),
    attempts: fc.array(
      fc.record({ atMs: at, httpStatus: fc.constantFrom(0, 200, 503), durationMs: count, answer: text, error: text }),
    ),
    createdAtMs: at,
    nextAttemptAtMs: maybe(at),
    redeliveries: fc.array(fc.record({ atMs: at, clientId: text })),
  }),
);

export const beneficiary = message(
  CheckBeneficiaryResponseSchema,
  fc.record({ bankCode, bankName: text, bankAccountNumber: digits(6, 30), bankAccountName: text }),
);

export const fee = message(GetFeeResponseSchema, fc.record({ bankCode, feeSen: fc.bigInt({ min: 0n, max: 999_999n }) }));
