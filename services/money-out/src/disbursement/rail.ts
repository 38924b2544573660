import { type RailConfig, railFromConfig, railVariables } from '@gerbang/rails';
import { type BankTransferRail, openSnapBankTransfer } from '@gerbang/rails/bank-transfer';
import { z } from 'zod';
import type { ToldHistory } from '../reconciliation/rails.ts';
import { descriptionIn } from '../reconciliation/remark.ts';
import { readDetails } from './document.ts';

/** How the bank that executes disbursements is reached, and our account there where it wants that named. */
export const bankTransferVariables = {
  ...railVariables('BANK_TRANSFER'),
  RAIL_BANK_TRANSFER_SOURCE_ACCOUNT: z
    .string()
    .regex(/^\d{1,19}$/, 'expected at most 19 digits')
    .optional(),
};

type Config = RailConfig<'BANK_TRANSFER'> & { RAIL_BANK_TRANSFER_SOURCE_ACCOUNT?: string | undefined };

export function openBankTransfer(config: Config): BankTransferRail {
  const { RAIL_BANK_TRANSFER_SOURCE_ACCOUNT: sourceAccountNumber } = config;
  return openSnapBankTransfer({
    ...railFromConfig(config, 'BANK_TRANSFER'),
    ...(sourceAccountNumber !== undefined && { sourceAccountNumber }),
  });
}

/** The bank's statement names the beneficiary's account. */
export const bankTransferHistory: ToldHistory = {
  name: 'bank-transfer',
  style: 'bank-statement',
  idPrefix: '',
  cluesOf: (document) => ({ keys: [readDetails(document).bankAccountNumber], text: descriptionIn(document) }),
};
