import type { AmountType, QrisPayer, TipIndicator, VirtualAccountKind } from '@gerbang/proto/gerbang/money_in/v1/money_in';

/** The products' names in documents, in the ledger, and in merchants' lists of products, fees and limits. */
export const VIRTUAL_ACCOUNT = 'virtual-account';
export const QRIS = 'qris';
export const EWALLET_CHECKOUT = 'ewallet-checkout';
export const RETAIL = 'retail';
export const PAYMENT_LINK = 'payment-link';
/** An opening of a payment link is a payable of its own; its product is the link's. */
export const PAYMENT_LINK_HISTORY = 'payment-link-history';

/** What only one kind of payable has, as it is stored. */
export type Details =
  | {
      kind: typeof VIRTUAL_ACCOUNT;
      number: string;
      bank_code: string;
      va_kind: VirtualAccountKind;
      amount_type: AmountType;
      name: string;
    }
  | {
      kind: typeof QRIS;
      qr_data: string;
      tip_indicator: TipIndicator;
      /** Sen of a fixed tip, hundredths of a percent of a percentage. */
      tip_value: bigint;
      acquirer_name: string;
      acquirer_nns: string;
    }
  | {
      kind: typeof EWALLET_CHECKOUT;
      channel: string;
      customer_phone: string;
      success_redirect_url: string;
      /** Our page, from which the customer goes on. */
      checkout_url: string;
      /** The wallet's own page or app; absent where it asks the customer by itself. */
      wallet_url?: string;
    }
  | { kind: typeof RETAIL; retail_code: string; payment_code: string; customer_name: string }
  | {
      kind: typeof PAYMENT_LINK;
      title: string;
      description: string;
      required_customer_detail: boolean;
      success_redirect_url: string;
      /** Codes of the methods it offers. */
      payment_methods: string[];
      payment_url: string;
    }
  | {
      kind: typeof PAYMENT_LINK_HISTORY;
      /** The link's id among payables. */
      link: string;
      link_number: bigint;
      ip_address: string;
      payment_method: string;
      payment_method_value: string;
      /** What has been issued in this session: all of it can be paid, once. */
      issued: { method: string; value: string }[];
      /** Codes of the methods that the customer has declined, or that have failed; absent in what older versions have stored. */
      declined?: string[];
      customer_name: string;
      customer_email: string;
      customer_phone: string;
    };

export type Kind = Details['kind'];
export type DetailsOf<K extends Kind> = Extract<Details, { kind: K }>;

/** What a rail tells of who has paid, as it is stored. */
export type Payer = Omit<QrisPayer, '$typeName' | '$unknown'>;

/** The product that merchants have, pay fees for and see in settlements. */
export function productOf(kind: Kind): Exclude<Kind, typeof PAYMENT_LINK_HISTORY> {
  return kind === PAYMENT_LINK_HISTORY ? PAYMENT_LINK : kind;
}

/** Of a document's details, those of the kind that the caller has asked for. */
export function detailsOf<K extends Kind>(details: Details, kind: K): DetailsOf<K> {
  if (!isKind(details, kind)) throw new Error(`a payable is of ${details.kind} where ${kind} was expected`);
  return details;
}

function isKind<K extends Kind>(details: Details, kind: K): details is DetailsOf<K> {
  return details.kind === kind;
}
