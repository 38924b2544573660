import { create, toBinary } from '@bufbuild/protobuf';
import { encodeQris, isRefusal } from '@gerbang/core';
import { PurchaseFinishedSchema, type PurchaseStatus } from '@gerbang/proto/gerbang/biller/v1/biller';
import { type CancelType, CardTransactionEventSchema, PaymentStatus } from '@gerbang/proto/gerbang/cards/v1/cards';
import { ChargebackEventSchema, ChargebackStage, ChargebackStatus } from '@gerbang/proto/gerbang/cards/v1/chargebacks';
import {
  CycleEventSchema,
  type CycleStatus,
  PlanEventSchema,
  PlanInterval,
  type PlanStatus,
} from '@gerbang/proto/gerbang/cards/v1/plans';
import {
  BindingChangedSchema,
  BindingStatus,
  ChargeFinishedSchema,
  ChargeStatus,
  RefundFinishedSchema,
  RefundStatus,
} from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import {
  AmountType,
  EwalletCheckoutEventSchema,
  PayableStatus,
  PaymentLinkEventSchema,
  PaymentLinkHistoryEventSchema,
  QrisEventSchema,
  RetailEventSchema,
  VaTransactionEventSchema,
  VirtualAccountEventSchema,
  VirtualAccountKind,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { CardlessWithdrawalFinishedSchema } from '@gerbang/proto/gerbang/money_out/v1/cardless_withdrawal';
import { EwalletTopupFinishedSchema } from '@gerbang/proto/gerbang/money_out/v1/ewallet_topup';
import { DisbursementFinishedSchema, type TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { QrisPaymentFinishedSchema } from '@gerbang/proto/gerbang/money_out/v1/qris_payment';

/** When the samples occur. */
export const SAMPLE_MS = Date.parse('2026-11-21T08:30:00.123Z');

const CREATED = BigInt(SAMPLE_MS - 90_000);
const EXPIRES = BigInt(SAMPLE_MS + 1_710_000);
const NOW = BigInt(SAMPLE_MS);
const SESSION_MS = 900_000n;
const ACCOUNT = { merchantId: '01KAJ4Q8V0000000000000MERC', accountId: '01KAJ4Q8W5T9Y2B7M3C6D1E0FG' };

/** What a payment of 150,000 comes to with a fee of 4,000 (or `feeSen`), before it settles. */
function figures(amountSen = 15_000_000n, feeSen = 400_000n) {
  return {
    amountSen,
    feeSen,
    netSen: amountSen - feeSen,
    vendorFeeSen: feeSen / 4n,
    ourMarginSen: feeSen - feeSen / 4n,
    basisPoints: 0,
    paidAtMs: NOW,
    settleAtMs: BigInt(Date.parse('2026-11-23T02:00:00Z')),
  };
}

/** A card payment of 150,000; `over` replaces what another status changes. */
export function cardPayment(
  status: PaymentStatus,
  over: { failedCode?: string; failedReason?: string; cancelType?: CancelType } = {},
) {
  const isPaid = status !== PaymentStatus.FAILED;
  const payment = {
    ...ACCOUNT,
    id: '9901KAJ5Z4D5E6F7G8H9J0K1M2N3',
    status,
    amountSen: 15_000_000n,
    maskedCard: '441111******1118',
    brand: 'VISA',
    cardHolderName: 'BUDI SANTOSO',
    installment: 1,
    installmentMonths: 1,
    customer: { name: 'Budi Santoso', email: 'budi@example.com', phone: '081234567890' },
    merchantReffNo: 'INV-2026-000123',
    createdAtMs: CREATED,
    processedAtMs: isPaid && over.cancelType !== undefined ? CREATED : NOW,
    ...(isPaid && { feeSen: 400_000n, netSen: 14_600_000n, mdrBasisPoints: 250 }),
    ...(status === PaymentStatus.REFUNDED && { capturedAtMs: CREATED + 30_000n, settleAtMs: CREATED + 86_400_000n }),
    ...(over.cancelType !== undefined && { cancelledAtMs: NOW }),
    ...over,
  };
  return toBinary(CardTransactionEventSchema, create(CardTransactionEventSchema, { payment }));
}

const transfer = {
  ...ACCOUNT,
  transactionId: '01KAJ5ZQ2M8R4T6V1X3Y5Z7A9B',
  referenceNumber: 'PAYOUT-2026-000123',
  amountSen: 15_000_000n,
  feeSen: 250_000n,
  createdAtMs: CREATED,
  processedAtMs: NOW,
  bankCode: '014',
  bankName: 'Bank Central Asia',
  bankAccountNumber: '1234567890',
  bankAccountName: 'Budi Santoso',
  description: 'Refund order #123 / “café”',
};

/** How a transfer ended. */
type End = { status: TransferStatus; balanceAfterSen?: bigint; failedCode?: string; failedReason?: string };

/** A finished disbursement. */
export function disbursement(more: End) {
  return toBinary(DisbursementFinishedSchema, create(DisbursementFinishedSchema, { transfer: { ...transfer, ...more } }));
}

const purchase = {
  ...ACCOUNT,
  referenceNumber: '01KAJ5ZQ2M8R4T6V1X3Y5Z7A9B',
  transactionId: '01KAJ5ZR4D5E6F7G8H9J0K1M2N',
  command: 'plntok',
  productCode: 'PLN50',
  customerId: '12345678901',
  customerName: 'BUDI SANTOSO',
  amountSen: 5_000_000n,
  adminSen: 250_000n,
  createdAtMs: CREATED,
  processedAtMs: NOW,
};

/** A finished payment of a prepaid product; a sample's token is not sealed. */
export function billerPayment(
  end: { status: PurchaseStatus; serialNumber?: string; failedCode?: string; failedReason?: string },
  token?: string,
) {
  const sealedToken = token ?? '';
  return toBinary(PurchaseFinishedSchema, create(PurchaseFinishedSchema, { purchase: { ...purchase, ...end }, sealedToken }));
}

const topup = {
  ...ACCOUNT,
  transactionId: '8801KAJ5ZR4D5E6F7G8H9J0K1M2N',
  referenceNumber: 'GIFT-2026-000077',
  amountSen: 5_000_000n,
  feeSen: 0n,
  createdAtMs: CREATED,
  processedAtMs: NOW,
  description: 'Hadiah undian',
};

/** A finished e-wallet top-up; `name` where the wallet has told it. */
export function ewalletTopup(more: End & { name?: string }) {
  const { name = '', ...end } = more;
  const transfer = { ...topup, ...end, ewalletTopup: { channel: 'GOPAY', phoneNumber: '081234567890', name } };
  return toBinary(EwalletTopupFinishedSchema, create(EwalletTopupFinishedSchema, { transfer }));
}

/** A finished cardless withdrawal. */
export function cardlessWithdrawal(more: {
  status: TransferStatus;
  balanceAfterSen?: bigint;
  failedCode?: string;
  failedReason?: string;
  expired?: boolean;
}) {
  const { expired = false, ...fields } = more;
  const { transactionId, createdAtMs, processedAtMs } = transfer;
  const cardless = { bankCode: 'BCA', bankName: 'Bank Central Asia', phoneNumber: '081234567890', expiredAtMs: NOW, expired };
  const own = { referenceNumber: 'CASH-2026-000123', amountSen: 20_000_000n, feeSen: 250_000n, cardlessWithdrawal: cardless };
  const whole = { ...ACCOUNT, transactionId, createdAtMs, processedAtMs, ...own, ...fields };
  return toBinary(CardlessWithdrawalFinishedSchema, create(CardlessWithdrawalFinishedSchema, { transfer: whole }));
}

/** The end of the payment of a QRIS code. */
export function qrisPayment(more: {
  status: TransferStatus;
  balanceAfterSen?: bigint;
  failedCode?: string;
  failedReason?: string;
}) {
  const payment = {
    ...ACCOUNT,
    transactionId: '6601KAJ5ZR8N7M6K5J4H3G2F1E0D',
    referenceNumber: 'QR-2026-000042',
    amountSen: 4_200_000n,
    feeSen: 0n,
    createdAtMs: CREATED,
    processedAtMs: NOW,
    qrisPayment: {
      qrData: qrData(4_000_000n),
      type: 'mpm-dynamic',
      merchantName: 'TOKO DEMO',
      merchantCity: 'JAKARTA',
      amountSen: 4_000_000n,
      tipSen: 200_000n,
      tipIndicator: 'percentage',
      tipValue: 500n,
    },
    ...more,
  };
  return toBinary(QrisPaymentFinishedSchema, create(QrisPaymentFinishedSchema, { transfer: payment }));
}

const virtualAccount = {
  ...ACCOUNT,
  id: '01KAJ5Y3B4C5D6E7F8G9H0J1K2',
  number: '7001412345678901',
  bankCode: 'BCA',
  kind: VirtualAccountKind.TEMPORARY,
  amountType: AmountType.CLOSED,
  amountSen: 15_000_000n,
  minAmountSen: 15_000_000n,
  maxAmountSen: 15_000_000n,
  status: PayableStatus.EXPIRED,
  currentUsage: 0,
  maxUsage: 1,
  expiredAtMs: NOW,
  name: 'Toko Demo',
  merchantReffNo: 'ORDER-1001',
  createdAtMs: CREATED,
  updatedAtMs: NOW,
};

/** A payment of the virtual account. */
export function vaPaid() {
  const { id: virtualAccountId, number, bankCode, merchantReffNo } = virtualAccount;
  const vaTransaction = {
    ...ACCOUNT,
    id: '01KAJ5ZV7W8X9Y0Z1A2B3C4D5E',
    virtualAccountId,
    number,
    bankCode,
    merchantReffNo,
    figures: figures(),
  };
  return toBinary(VaTransactionEventSchema, create(VaTransactionEventSchema, { vaTransaction }));
}

function qrData(amountSen: bigint): string {
  const payload = encodeQris({
    type: 'mpm-dynamic',
    accounts: [
      { tag: '26', globallyUniqueId: 'ID.SANDBOX.WWW', pan: '936009990000000018', criteria: 'UMI', others: [] },
      { tag: '51', globallyUniqueId: 'ID.CO.QRIS.WWW', merchantId: 'ID1020000000001', criteria: 'UMI', others: [] },
    ],
    merchantCategoryCode: '5499',
    amountSen,
    merchantName: 'Toko Demo',
    merchantCity: 'JAKARTA',
    postalCode: '10110',
    others: [],
  });
  if (isRefusal(payload)) throw new Error(payload.message);
  return payload;
}

/** A QRIS transaction in this state. */
export function qris(status: PayableStatus) {
  const paid = status === PayableStatus.COMPLETED || status === PayableStatus.REVERSED;
  const qrisTransaction = {
    ...ACCOUNT,
    id: 1_001n,
    reffNo: '6601KAJ5Z0M1N2P3Q4R5S6T7V8W9',
    merchantReffNo: 'ORDER-1002',
    status,
    qrData: qrData(2_550_000n),
    amountSen: 2_550_000n,
    createdAtMs: CREATED,
    updatedAtMs: NOW,
    expiredAtMs: paid ? EXPIRES : NOW,
    isExpired: !paid,
    acquirerName: 'Gerbang Sandbox',
    acquirerNns: '93600999',
    eventsCount: 1,
    ...(paid && {
      figures: { ...figures(2_550_000n, 17_900n), basisPoints: 70 },
      payer: {
        issuerName: 'Bank Sandbox',
        issuerNns: '93600999',
        customerPan: '9360099900000012346',
        customerAccountType: 'SAVING',
        customerName: 'PELANGGAN SANDBOX',
        rrn: '632508300012',
      },
    }),
  };
  return toBinary(QrisEventSchema, create(QrisEventSchema, { qrisTransaction }));
}

/** An e-wallet checkout in this state. */
export function ewallet(status: PayableStatus) {
  const ewalletCheckout = {
    ...ACCOUNT,
    transactionId: '8801KAJ5Z4D5E6F7G8H9J0K1M2N3',
    channel: 'OVO',
    status,
    amountSen: 15_000_000n,
    customerPhone: '081234567890',
    merchantReffNo: 'ORDER-1003',
    successRedirectUrl: 'https://shop.example/thanks',
    checkoutUrl: 'https://pay.example/ewallet/8801KAJ5Z4D5E6F7G8H9J0K1M2N3',
    createdAtMs: CREATED,
    updatedAtMs: NOW,
    expiredAtMs: status === PayableStatus.EXPIRED ? NOW : EXPIRES,
    ...(status === PayableStatus.COMPLETED && { figures: figures(15_000_000n, 225_000n) }),
  };
  return toBinary(EwalletCheckoutEventSchema, create(EwalletCheckoutEventSchema, { ewalletCheckout }));
}

/** A retail transaction in this state. */
export function retail(status: PayableStatus) {
  const retailTransaction = {
    ...ACCOUNT,
    transactionId: '01KAJ5Z8R9S0T1V2W3X4Y5Z6A7',
    paymentCode: '8610380324582288',
    retailCode: 'ALFAMART',
    status,
    amountSen: 15_000_000n,
    customerName: 'Siti Rahma',
    merchantReffNo: 'ORDER-1004',
    createdAtMs: CREATED,
    updatedAtMs: NOW,
    expiredAtMs: status === PayableStatus.EXPIRED ? NOW : EXPIRES,
    ...(status === PayableStatus.COMPLETED && { figures: figures(15_000_000n, 500_000n) }),
  };
  return toBinary(RetailEventSchema, create(RetailEventSchema, { retailTransaction }));
}

function paymentLink(status: PayableStatus, currentUsage: number) {
  return {
    ...ACCOUNT,
    id: 2_001n,
    reffNo: 'PL01KAJ5YA0B1C2D3E4F5G6H7J8K',
    title: 'Kopi Susu Gula Aren',
    description: 'Dua gelas',
    status,
    amountSen: 15_000_000n,
    maxUsage: 1,
    currentUsage,
    paymentUrl: 'https://pay.example/pay/PL01KAJ5YA0B1C2D3E4F5G6H7J8K',
    requiredCustomerDetail: true,
    expiredAtMs: status === PayableStatus.EXPIRED ? NOW : EXPIRES,
    successRedirectUrl: 'https://shop.example/thanks',
    paymentMethods: ['VA_BCA', 'QRIS'],
    createdAtMs: CREATED,
    updatedAtMs: NOW,
  };
}

/** A payment link that has expired. */
export function linkExpired() {
  const event = { paymentLink: paymentLink(PayableStatus.EXPIRED, 0) };
  return toBinary(PaymentLinkEventSchema, create(PaymentLinkEventSchema, event));
}

/** One opening of a payment link, in this state. */
export function history(status: PayableStatus) {
  const paid = status === PayableStatus.COMPLETED;
  const opened = status === PayableStatus.EXPIRED ? NOW - SESSION_MS : CREATED;
  const event = {
    paymentLink: paymentLink(paid ? PayableStatus.COMPLETED : PayableStatus.ACTIVE, paid ? 1 : 0),
    paymentLinkHistory: {
      ...ACCOUNT,
      id: 3_001n,
      paymentLinkId: 2_001n,
      reffNo: 'PH01KAJ5YC2D3E4F5G6H7J8K9M0N',
      status,
      amountSen: 15_000_000n,
      ipAddress: '203.0.113.7',
      createdAtMs: opened,
      updatedAtMs: NOW,
      expiredAtMs: opened + SESSION_MS,
      ...(paid && {
        paymentMethod: 'VA_BCA',
        paymentMethodValue: '7001412345678902',
        customerName: 'Siti Rahma',
        customerEmail: 'siti@example.com',
        customerPhone: '081234567890',
        figures: figures(),
      }),
    },
  };
  return toBinary(PaymentLinkHistoryEventSchema, create(PaymentLinkHistoryEventSchema, event));
}

/** A virtual account that has expired. */
export function vaExpired() {
  return toBinary(VirtualAccountEventSchema, create(VirtualAccountEventSchema, { virtualAccount }));
}

const binding = {
  ...ACCOUNT,
  bindingId: '6f1c7b2e-5a7d-4c36-9d0c-0a4d1a3f9b52',
  bankCode: 'BRI',
  customerId: 'pelanggan-42',
  customerName: 'Ani Lestari',
  customerPhoneEnd: '7890',
  createdAtMs: CREATED,
  expiredAtMs: EXPIRES,
  redirectUrl: 'https://toko.example/terhubung',
};
const boundAccount = { bankAccountEnd: '4321', bankAccountName: 'ANI LESTARI', boundAtMs: NOW };

/** A binding that was made, failed, expired or ended. */
export function directDebitBinding(status: BindingStatus, more: { failedReason?: string; unboundBy?: string } = {}): Uint8Array {
  const hasAccount = status === BindingStatus.ACTIVE || status === BindingStatus.UNBOUND;
  const isOver = status === BindingStatus.UNBOUND;
  const shown = { ...binding, status, ...more, ...(hasAccount && boundAccount), ...(isOver && { unboundAtMs: NOW }) };
  return toBinary(BindingChangedSchema, create(BindingChangedSchema, { binding: shown }));
}

const chargeOfBinding = {
  ...ACCOUNT,
  transactionId: '2c8516c7-e692-8278-81b1-ff28083ba5fb',
  bindingId: binding.bindingId,
  bankCode: 'BRI',
  customerId: 'pelanggan-42',
  referenceNumber: 'tagihan-1',
  amountSen: 15_000_000n,
  description: 'Langganan November',
  createdAtMs: CREATED,
  processedAtMs: NOW,
};
const chargedWell = {
  ...chargeOfBinding,
  status: ChargeStatus.SUCCESS,
  feeSen: 400_000n,
  netSen: 14_600_000n,
  settleAtMs: BigInt(Date.parse('2026-11-23T02:00:00Z')),
};

/** A charge that has come to its end. */
export function directDebitCharge(
  status: ChargeStatus,
  more: { requiresOtp?: boolean; failedCode?: string; failedReason?: string } = {},
): Uint8Array {
  const transaction = { ...(status === ChargeStatus.SUCCESS ? chargedWell : chargeOfBinding), status, ...more };
  return toBinary(ChargeFinishedSchema, create(ChargeFinishedSchema, { transaction }));
}

/** A refund of a part that has come to its end. */
export function directDebitRefund(status: RefundStatus, more: { failedCode?: string; failedReason?: string } = {}): Uint8Array {
  const refund = {
    refundId: '46eddca8-b84f-4381-b884-9911c5f60b90',
    referenceNumber: 'retur-1',
    amountSen: 3_000_000n,
    status,
    createdAtMs: CREATED,
    finishedAtMs: NOW,
    ...more,
  };
  const refundedSen = status === RefundStatus.SUCCESS ? 3_000_000n : 0n;
  const transaction = { ...chargedWell, refundedSen, refunds: [refund] };
  return toBinary(RefundFinishedSchema, create(RefundFinishedSchema, { transaction, refund }));
}

const PLAN_ID = '01KAJ5Z4D5E6F7G8H9J0K1M2N4';

/** A plan of 99,000 a month; `over` replaces what another status changes. */
export function plan(status: PlanStatus, over: { paidCycles?: number; totalCycles?: number; endedReason?: string } = {}) {
  const hasEnded = over.endedReason !== undefined;
  const whole = {
    ...ACCOUNT,
    planId: PLAN_ID,
    name: 'Gym',
    status,
    amountSen: 9_900_000n,
    interval: PlanInterval.MONTH,
    intervalCount: 1,
    paidCycles: 1,
    startAtMs: CREATED,
    ...(!hasEnded && { nextChargeAtMs: CREATED + 30n * 86_400_000n }),
    maskedCard: '441111******1118',
    brand: 'VISA',
    cardHolderName: 'BUDI SANTOSO',
    cardExpiry: '12/39',
    customer: { name: 'Budi Santoso', email: 'budi@example.com', phone: '081234567890' },
    createdAtMs: CREATED,
    ...(hasEnded && { endedAtMs: NOW }),
    ...over,
  };
  return toBinary(PlanEventSchema, create(PlanEventSchema, { plan: whole }));
}

/** The second cycle of that plan. */
export function cycle(status: CycleStatus, over: { failedCode?: string; failedReason?: string; nextRetryAtMs?: bigint } = {}) {
  const whole = {
    planId: PLAN_ID,
    cycle: 2,
    status,
    amountSen: 9_900_000n,
    dueAtMs: CREATED,
    cardTransactionId: '9901KAJ5Z4D5E6F7G8H9J0K1M2N3',
    attempts: 1,
    ...(over.nextRetryAtMs === undefined && { processedAtMs: NOW }),
    ...over,
  };
  return toBinary(CycleEventSchema, create(CycleEventSchema, { cycle: whole }));
}

/** A chargeback of that card payment, in part. */
export function chargeback(status: ChargebackStatus) {
  const whole = {
    ...ACCOUNT,
    id: '01KAJ6M4Q2R8S5T1V3W6X9Y0Z7',
    cardTransactionId: '9901KAJ5Z4D5E6F7G8H9J0K1M2N3',
    status,
    stage: ChargebackStage.CHARGEBACK,
    amountSen: 10_000_000n,
    reservedSen: 10_000_000n,
    feeSen: 0n,
    reasonCode: '10.4',
    reason: 'Other Fraud - Card-Absent Environment',
    respondByMs: CREATED + 14n * 86_400_000n,
    createdAtMs: CREATED,
    merchantReffNo: 'INV-2026-000123',
    ...(status !== ChargebackStatus.OPEN && { endedAtMs: NOW }),
  };
  return toBinary(ChargebackEventSchema, create(ChargebackEventSchema, { chargeback: whole }));
}
