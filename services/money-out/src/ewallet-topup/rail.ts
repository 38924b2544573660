import { openSnapEwalletTopup, type RailConfig, railFromConfig, railVariables } from '@gerbang/rails';

/** How those who top up e-wallets are reached. */
export const ewalletTopupVariables = railVariables('EWALLET_TOPUP');

export const openEwalletTopup = (config: RailConfig<'EWALLET_TOPUP'>) =>
  openSnapEwalletTopup(railFromConfig(config, 'EWALLET_TOPUP'));
