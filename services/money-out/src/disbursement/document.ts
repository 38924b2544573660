import { z } from 'zod';
import type { DetailFields } from '../transfer/document.ts';
import type { FailureCause } from '../transfer/state.ts';
import type { DisbursementDetails } from './content.ts';

const schema = z.object({
  bank_code: z.string(),
  rail_bank_code: z.string(),
  bank_name: z.string(),
  bank_account_number: z.string(),
  bank_account_name: z.string(),
});

/** The disbursement's own fields of a transfer's document. */
export function toDetailFields(details: DisbursementDetails): DetailFields {
  return {
    bank_code: details.bankCode,
    rail_bank_code: details.railBankCode,
    bank_name: details.bankName,
    bank_account_number: details.bankAccountNumber,
    bank_account_name: details.bankAccountName,
  };
}

/** The details in a document or in its own fields; throws when there are none. */
export function readDetails(document: object): DisbursementDetails {
  const fields = schema.parse(document);
  return {
    bankCode: fields.bank_code,
    railBankCode: fields.rail_bank_code,
    bankName: fields.bank_name,
    bankAccountNumber: fields.bank_account_number,
    bankAccountName: fields.bank_account_name,
  };
}

/**
 * Earlier versions have written why a disbursement failed to a field of its own, which knows one cause, and to no other. It is
 * written still: they read it.
 */
export const storedCause = {
  write: (cause: FailureCause) => ({ beneficiary_unknown: cause === 'recipient_unknown' }),
  read: (document: object): FailureCause =>
    'beneficiary_unknown' in document && document.beneficiary_unknown === true ? 'recipient_unknown' : 'other',
};
