import type { FeeRule } from '@gerbang/core';
import { formatSealed, parseSealed, type SealedDocument } from '@gerbang/keys';
import type { AggregateDocument, Upcaster } from '@gerbang/store';
import type { CallbackChange, CallbackHistory } from '../callback-settings/callback-settings.ts';
import { type Credential, type Limit, type Merchant, STANDARD_QRIS_FEE } from './merchant.ts';

/** The document's own fields: snake_case, bigint sen, dates. Field names here and only here. */
export type MerchantDocument = {
  name: string;
  partner_id: string;
  frozen: boolean;
  partition: string;
  default_account_id: string;
  products: string[];
  ip_whitelist: string[];
  credentials: CredentialDocument[];
  fees: FeeDocument[];
  /** Absent in documents of earlier versions: `fees`. */
  approved_fees?: FeeDocument[];
  limits: LimitDocument[];
  callbacks: CallbackDocument[];
  created_at: Date;
};

type CredentialDocument = {
  client_id: string;
  secret: SealedDocument;
  active: boolean;
  generation: number;
  ip_whitelist: string[];
  created_at: Date;
};

type FeeDocument = {
  product: string;
  channel: string;
  fixed_sen: bigint;
  basis_points: number;
  minimum_sen: bigint;
  maximum_sen: bigint;
  vendor_fixed_sen: bigint;
  vendor_basis_points: number;
  effective_from: Date;
  /** Absent: no end. */
  effective_until?: Date;
};

type LimitDocument = {
  product: string;
  minimum_sen: bigint;
  maximum_sen: bigint;
  /** Absent in documents of earlier versions: none. */
  daily_maximum_sen?: bigint;
  monthly_maximum_sen?: bigint;
};

type CallbackDocument = {
  since: Date;
  transaction_notif_url?: string;
  disbursement_notif_url?: string;
  direct_debit_notif_url?: string;
  payment_link_inquiry_notif_url?: string;
  signature_enabled: boolean;
};

/** A merchant's document as it is stored. */
export type StoredMerchantDocument = AggregateDocument<MerchantDocument>;

/** The state as the database holds it. */
export function toDocument(merchant: Merchant): MerchantDocument {
  return {
    name: merchant.name,
    partner_id: merchant.partnerId,
    frozen: merchant.frozen,
    partition: merchant.partition,
    default_account_id: merchant.defaultAccountId,
    products: [...merchant.products],
    ip_whitelist: [...merchant.ipWhitelist],
    credentials: merchant.credentials.map(toCredentialDocument),
    fees: merchant.fees.map(toFeeDocument),
    approved_fees: merchant.approvedFees.map(toFeeDocument),
    limits: merchant.limits.map(toLimitDocument),
    callbacks: merchant.callbacks.map(toCallbackDocument),
    created_at: new Date(merchant.createdAtMs),
  };
}

/** The version of the document's shape; a change of it adds an upcaster (architecture §3). */
export const SCHEMA = 2;

/** From each earlier schema to the next one. */
export const UPCASTERS: readonly Upcaster[] = [
  // Fees had no vendor's part, and merchants no fee of QRIS, since there was no QRIS.
  ({ fees, ...state }) => {
    const known: Omit<FeeDocument, 'vendor_fixed_sen' | 'vendor_basis_points'>[] = fees;
    const lifted = known.map((fee) => ({ ...fee, vendor_fixed_sen: 0n, vendor_basis_points: 0 }));
    const hasQris = known.some(({ product }) => product === STANDARD_QRIS_FEE.product);
    return { ...state, fees: hasQris ? lifted : [...lifted, toFeeDocument(STANDARD_QRIS_FEE)] };
  },
];

/** The state in a document of the current schema. */
export function fromDocument(document: MerchantDocument & { _id: string }): Merchant {
  return {
    name: document.name,
    partnerId: document.partner_id,
    frozen: document.frozen,
    partition: document.partition,
    defaultAccountId: document.default_account_id,
    products: document.products,
    ipWhitelist: document.ip_whitelist,
    credentials: document.credentials.map(fromCredentialDocument),
    fees: document.fees.map(fromFeeDocument),
    approvedFees: (document.approved_fees ?? document.fees).map(fromFeeDocument),
    limits: document.limits.map(fromLimitDocument),
    callbacks: fromCallbackDocuments(document),
    createdAtMs: document.created_at.getTime(),
  };
}

function toCredentialDocument(credential: Credential): CredentialDocument {
  return {
    client_id: credential.clientId,
    secret: parseSealed(credential.secret),
    active: credential.active,
    generation: credential.generation,
    ip_whitelist: [...credential.ipWhitelist],
    created_at: new Date(credential.createdAtMs),
  };
}

function fromCredentialDocument(document: CredentialDocument): Credential {
  return {
    clientId: document.client_id,
    secret: formatSealed(document.secret),
    active: document.active,
    generation: document.generation,
    ipWhitelist: document.ip_whitelist,
    createdAtMs: document.created_at.getTime(),
  };
}

function toFeeDocument(fee: FeeRule): FeeDocument {
  return {
    product: fee.product,
    channel: fee.channel,
    fixed_sen: fee.fixedSen,
    basis_points: fee.basisPoints,
    minimum_sen: fee.minimumSen,
    maximum_sen: fee.maximumSen,
    vendor_fixed_sen: fee.vendorFixedSen,
    vendor_basis_points: fee.vendorBasisPoints,
    effective_from: new Date(fee.effectiveFromMs),
    ...(fee.effectiveUntilMs !== 0 && { effective_until: new Date(fee.effectiveUntilMs) }),
  };
}

function fromFeeDocument(document: FeeDocument): FeeRule {
  return {
    product: document.product,
    channel: document.channel,
    fixedSen: document.fixed_sen,
    basisPoints: document.basis_points,
    minimumSen: document.minimum_sen,
    maximumSen: document.maximum_sen,
    vendorFixedSen: document.vendor_fixed_sen,
    vendorBasisPoints: document.vendor_basis_points,
    effectiveFromMs: document.effective_from.getTime(),
    effectiveUntilMs: document.effective_until?.getTime() ?? 0,
  };
}

function toLimitDocument(limit: Limit): LimitDocument {
  return {
    product: limit.product,
    minimum_sen: limit.minimumSen,
    maximum_sen: limit.maximumSen,
    daily_maximum_sen: limit.dailyMaximumSen,
    monthly_maximum_sen: limit.monthlyMaximumSen,
  };
}

function fromLimitDocument(document: LimitDocument): Limit {
  return {
    product: document.product,
    minimumSen: document.minimum_sen,
    maximumSen: document.maximum_sen,
    dailyMaximumSen: document.daily_maximum_sen ?? 0n,
    monthlyMaximumSen: document.monthly_maximum_sen ?? 0n,
  };
}

function toCallbackDocument({ sinceMs, settings }: CallbackChange): CallbackDocument {
  return {
    since: new Date(sinceMs),
    ...(settings.transactionNotifUrl !== undefined && { transaction_notif_url: settings.transactionNotifUrl }),
    ...(settings.disbursementNotifUrl !== undefined && { disbursement_notif_url: settings.disbursementNotifUrl }),
    ...(settings.directDebitNotifUrl !== undefined && { direct_debit_notif_url: settings.directDebitNotifUrl }),
    ...(settings.paymentLinkInquiryNotifUrl !== undefined && {
      payment_link_inquiry_notif_url: settings.paymentLinkInquiryNotifUrl,
    }),
    signature_enabled: settings.signatureEnabled,
  };
}

function fromCallbackDocuments(document: MerchantDocument & { _id: string }): CallbackHistory {
  const [first, ...rest] = document.callbacks.map(fromCallbackDocument);
  if (first === undefined) throw new Error(`merchant ${document._id} has no callback settings`);
  return [first, ...rest];
}

function fromCallbackDocument(document: CallbackDocument): CallbackChange {
  return {
    sinceMs: document.since.getTime(),
    settings: {
      transactionNotifUrl: document.transaction_notif_url,
      disbursementNotifUrl: document.disbursement_notif_url,
      directDebitNotifUrl: document.direct_debit_notif_url,
      paymentLinkInquiryNotifUrl: document.payment_link_inquiry_notif_url,
      signatureEnabled: document.signature_enabled,
    },
  };
}
