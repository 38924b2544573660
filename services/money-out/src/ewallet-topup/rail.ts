import { type RailConfig, railFromConfig, railVariables } from '@gerbang/rails';
import { openSnapEwalletTopup } from '@gerbang/rails/ewallet-topup';
import type { ToldHistory } from '../reconciliation/rails.ts';
import { descriptionIn, phoneKeys } from '../reconciliation/remark.ts';
import { readDetails } from './document.ts';

/** How those who top up e-wallets are reached. */
export const ewalletTopupVariables = railVariables('EWALLET_TOPUP');

export const openEwalletTopup = (config: RailConfig<'EWALLET_TOPUP'>) =>
  openSnapEwalletTopup(railFromConfig(config, 'EWALLET_TOPUP'));

/** Their history names the customer's phone. */
export const ewalletTopupHistory: ToldHistory = {
  name: 'ewallet-topup',
  style: 'transaction-history',
  idPrefix: '88',
  cluesOf: (document) => ({ keys: phoneKeys(readDetails(document).railPhoneNumber), text: descriptionIn(document) }),
};
