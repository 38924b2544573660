import { isRefusal, RefusalError, refuse } from '@gerbang/core';
import type { SetFrozenRequest } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { z } from 'zod';
import { decide, evolve } from '../../account/account.ts';
import { ownAccount } from '../../account/rpc/get-account.ts';
import type { Context } from '../../context.ts';
import { commandMerchant } from '../command-merchant.ts';
import { describeAccount, describeChange } from '../describe.ts';
import { field, parse } from '../input.ts';

const ATTEMPTS_MAX = 20;

/** Freezes or unfreezes a merchant, or one account of it. Refusals: validation, merchant_not_found, account_not_found, account_of_other_merchant. */
export async function setFrozen(context: Context, request: SetFrozenRequest) {
  const { operator, merchantId, accountId, frozen } = parse(
    {
      operator: field.operator,
      merchantId: field.merchantId,
      accountId: z.union([z.literal(''), field.accountId]),
      frozen: z.boolean(),
    },
    request,
  );
  const verb = frozen ? 'freeze' : 'unfreeze';
  if (accountId === '') {
    await commandMerchant(context, { operator, command: `merchant.${verb}`, merchantId }, { type: 'set-frozen', frozen });
  } else {
    await setAccountFrozen(context, { operator, command: `account.${verb}`, merchantId, accountId, frozen });
  }
  return {};
}

type AccountOrder = { operator: string; command: string; merchantId: string; accountId: string; frozen: boolean };

async function setAccountFrozen(context: Context, order: AccountOrder): Promise<void> {
  const { operator, command, merchantId, accountId, frozen } = order;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const stored = await ownAccount(context, merchantId, accountId);
    const nowMs = context.clock.now();
    const events = decide(stored.account, { type: 'set-frozen', frozen }, nowMs);
    if (isRefusal(events)) throw new RefusalError(events);
    if (events.length === 0) return;
    const after = events.reduce(evolve, stored.account);
    const change = describeChange(stored.version, describeAccount(stored.account), describeAccount(after));
    await context.audit.append({ operator, command, target: `account:${accountId}`, ...change }, context.realNow());
    if ((await context.accounts.apply(stored, events, nowMs)) !== undefined) return context.metrics.commanded(command);
  }
  throw new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }));
}
