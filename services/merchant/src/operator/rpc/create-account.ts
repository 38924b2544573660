import type { CreateAccountRequest } from '@gerbang/proto/gerbang/merchant/v1/operator';
import type { OperatorCall } from '@gerbang/service/operators';
import { newAccount } from '../../account/account.ts';
import { toMessage } from '../../account/message.ts';
import type { Context } from '../../context.ts';
import { mustFind } from '../../merchant/change-merchant.ts';
import { describeAccount } from '../describe.ts';
import { field, parse } from '../input.ts';

/** One more account of a merchant. Refusals: validation, merchant_not_found. */
export async function createAccount(context: Context, request: CreateAccountRequest, call: OperatorCall) {
  const { merchantId, name } = parse({ merchantId: field.merchantId, name: field.name }, request);
  await mustFind(context, merchantId);
  const nowMs = context.clock.now();
  const id = context.newId(nowMs);
  const account = newAccount(name, false, nowMs);
  call.record({ target: `account:${id}`, after: { merchant_id: merchantId, ...describeAccount(account) } });
  const stored = await context.accounts.insert(id, merchantId, account, nowMs);
  if (stored === undefined) throw new Error(`account id ${id} is taken`);
  context.metrics.commanded('account.create');
  return { account: toMessage(id, merchantId, stored.version, stored.account) };
}
