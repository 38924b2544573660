import { AmountType, VirtualAccountKind } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Kind } from '../payment-request/kind.ts';
import { narrowTo } from '../payment-request/request.ts';
import { asVirtualAccount, VIRTUAL_ACCOUNT, type VirtualAccountDetails } from './virtual-account.ts';

/** The details as they are stored; kind and amount type are the numbers of the contract between services. */
type VirtualAccountDocument = {
  kind: typeof VIRTUAL_ACCOUNT;
  number: string;
  bank_code: string;
  va_kind: VirtualAccountKind;
  amount_type: AmountType;
  name: string;
};

const asStored = narrowTo<VirtualAccountDocument>(VIRTUAL_ACCOUNT);

export const codec: Kind['codec'] = {
  toDocument(details): VirtualAccountDocument {
    const { kind, number, bankCode, lifetime, amountType, name } = asVirtualAccount(details);
    return {
      kind,
      number,
      bank_code: bankCode,
      va_kind: lifetime === 'temporary' ? VirtualAccountKind.TEMPORARY : VirtualAccountKind.PERMANENT,
      amount_type: amountType === 'open' ? AmountType.OPEN : AmountType.CLOSED,
      name,
    };
  },
  fromDocument(document): VirtualAccountDetails {
    const { kind, number, bank_code: bankCode, va_kind, amount_type, name } = asStored(document);
    const lifetime = va_kind === VirtualAccountKind.TEMPORARY ? 'temporary' : 'permanent';
    const amountType = amount_type === AmountType.OPEN ? 'open' : 'closed';
    return { kind, number, bankCode, lifetime, amountType, name };
  },
};
