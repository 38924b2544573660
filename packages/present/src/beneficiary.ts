import { toMoney } from '@gerbang/core';
import type { CheckBeneficiaryResponse, GetFeeResponse } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { z } from 'zod';
import { BankAccountNumber, BankCode, Money } from './schemas.ts';

export const beneficiarySchema = z
  .strictObject({
    bank_code: BankCode,
    bank_account_number: BankAccountNumber,
    status: z.literal('valid').meta({ description: 'The bank knows the account; one that it does not know is an error.' }),
    bank_account_name: z.string().meta({ description: "The holder's name at the bank." }),
    bank_name: z.string(),
  })
  .meta({ id: 'Beneficiary', description: 'A bank account that its bank has verified.' });

export type BeneficiaryJson = z.output<typeof beneficiarySchema>;

/** A verified beneficiary (merchant-api.md, beneficiary check result). */
export function presentBeneficiary(found: CheckBeneficiaryResponse): BeneficiaryJson {
  return {
    bank_code: found.bankCode,
    bank_account_number: found.bankAccountNumber,
    status: 'valid',
    bank_account_name: found.bankAccountName,
    bank_name: found.bankName,
  };
}

export const disbursementFeeSchema = z
  .strictObject({ bank_code: BankCode, fee: Money })
  .meta({ id: 'DisbursementFee', description: 'What a disbursement to the bank costs.' });

export type DisbursementFeeJson = z.output<typeof disbursementFeeSchema>;

/** The fee of a disbursement to a bank (contract §6). */
export function presentDisbursementFee({ bankCode, feeSen }: GetFeeResponse): DisbursementFeeJson {
  return { bank_code: bankCode, fee: toMoney(feeSen) };
}
