import { RETAIL_CODES } from './retail.ts';
import { VA_BANK_CODES, vaBank } from './virtual-account.ts';

/** E-wallets with a checkout (contract §5). */
export const EWALLET_CHANNELS = ['OVO', 'DANA', 'SHOPEEPAY', 'LINKAJA', 'GOPAY'] as const;

/** A way to pay a payment link, as merchants choose among them (merchant-api.md, payment method catalog entry). */
export type PaymentMethod = { code: string; name: string; group: string; desc: string };

const EWALLET_NAMES: Record<(typeof EWALLET_CHANNELS)[number], string> = {
  OVO: 'OVO',
  DANA: 'DANA',
  SHOPEEPAY: 'ShopeePay',
  LINKAJA: 'LinkAja',
  GOPAY: 'GoPay',
};

/** Every method there is; codes as contract §5 has them. */
export const PAYMENT_METHODS: readonly PaymentMethod[] = [
  ...VA_BANK_CODES.map((code) => ({
    code: `VA_${code}`,
    name: `${code} Virtual Account`,
    group: 'virtual_account',
    desc: `Transfer to a virtual account number at ${vaBank(code).name}`,
  })),
  { code: 'QRIS', name: 'QRIS', group: 'qris', desc: 'Scan with any bank or e-wallet app' },
  ...EWALLET_CHANNELS.map((code) => ({
    code: `EWALLET_${code}`,
    name: EWALLET_NAMES[code],
    group: 'ewallet',
    desc: `Confirm in the ${EWALLET_NAMES[code]} app`,
  })),
  { code: 'CARD', name: 'Card', group: 'card', desc: 'Credit or debit card' },
  ...RETAIL_CODES.map((code) => ({
    code: `RETAIL_${code}`,
    name: code === 'ALFAMART' ? 'Alfamart' : 'Indomaret',
    group: 'retail',
    desc: 'Pay in cash at the till with a payment code',
  })),
];

/** Their codes, in the same order. */
export const PAYMENT_METHOD_CODES: readonly string[] = PAYMENT_METHODS.map(({ code }) => code);

/** Whether the text is the code of a method. */
export function isPaymentMethod(code: string): boolean {
  return PAYMENT_METHODS.some((method) => method.code === code);
}
