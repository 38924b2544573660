import { toMoney } from '@gerbang/core';
import type { GetBalanceResponse } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { z } from 'zod';
import { Money } from './schemas.ts';

export const balanceSchema = z
  .strictObject({
    balance: Money.meta({ description: 'available_balance, held_balance and pending_balance together.' }),
    available_balance: Money.meta({ description: 'What can be spent now.' }),
    held_balance: Money.meta({ description: 'Money out in flight.' }),
    pending_balance: Money.meta({ description: 'Money in that has not settled yet.' }),
  })
  .meta({ id: 'Balance', description: 'The balance of the merchant or of one account.' });

export type BalanceJson = z.output<typeof balanceSchema>;

/** A balance snapshot (merchant-api.md, merchant balance snapshot; contract §4). */
export function presentBalance({
  availableSen,
  heldSen,
  pendingSen,
}: Pick<GetBalanceResponse, 'availableSen' | 'heldSen' | 'pendingSen'>): BalanceJson {
  return {
    balance: toMoney(availableSen + heldSen + pendingSen),
    available_balance: toMoney(availableSen),
    held_balance: toMoney(heldSen),
    pending_balance: toMoney(pendingSen),
  };
}
