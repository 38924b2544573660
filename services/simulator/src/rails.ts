import { bankTransferRail } from './bank-transfer/rail.ts';
import { cardRail } from './card/rail.ts';
import { cardlessRail } from './cardless-withdrawal/rail.ts';
import { directDebitRail } from './direct-debit/rail.ts';
import { ewalletTopupRail } from './ewallet-topup/rail.ts';
import { moneyInRails } from './money-in/rails.ts';
import { prepaidRail } from './prepaid/rail.ts';
import { qrisPaymentRail } from './qris-payment/rail.ts';
import type { SimulatedRail } from './simulated-rail.ts';

/** Every rail of the sandbox. A further one takes a line here. */
export const RAILS: readonly SimulatedRail[] = [
  bankTransferRail,
  ewalletTopupRail,
  cardlessRail,
  ...moneyInRails,
  qrisPaymentRail,
  directDebitRail,
  prepaidRail,
  cardRail,
];
