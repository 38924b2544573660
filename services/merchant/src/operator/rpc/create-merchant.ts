import type { CreateMerchantRequest } from '@gerbang/proto/gerbang/merchant/v1/operator';
import type { OperatorCall } from '@gerbang/service/operators';
import { type Account, newAccount } from '../../account/account.ts';
import type { Context } from '../../context.ts';
import { newClientSecret, sealSecret } from '../../merchant/client-secret.ts';
import { newMerchant } from '../../merchant/merchant.ts';
import { newClientId, newPartnerId } from '../../merchant/names.ts';
import { partitionFor } from '../../merchant/partition.ts';
import { describeAccount, describeMerchant } from '../describe.ts';
import { field, parse } from '../input.ts';

/**
 * A new merchant with a credential and its accounts, the first of which is the default one. Its own document is written last: a
 * crash before that leaves claims and accounts that no request can reach, and no merchant. Refusals: validation.
 */
export async function createMerchant(context: Context, request: CreateMerchantRequest, call: OperatorCall) {
  const { name, products, ipWhitelist, accountNames } = parse(
    {
      name: field.name,
      products: field.products,
      ipWhitelist: field.whitelist,
      accountNames: field.accountNames,
    },
    request,
  );
  const { merchants, accounts, keys, newId } = context;
  const nowMs = context.clock.now();
  const merchantId = newId(nowMs);
  const partnerId = await claimed(newPartnerId, (id) => merchants.claims.claimPartnerId(id, merchantId));
  const clientId = await claimed(newClientId, (id) => merchants.claims.claimClientId(id, merchantId));
  const clientSecret = newClientSecret();
  const opened = accountNames.map((accountName, i) => ({
    id: newId(nowMs + i),
    account: newAccount(accountName, i === 0, nowMs),
  }));
  const [defaultAccount] = opened;
  if (defaultAccount === undefined) throw new Error('a merchant without an account');
  const merchant = newMerchant(
    {
      name,
      partnerId,
      partition: partitionFor(merchantId, context.partitions),
      defaultAccountId: defaultAccount.id,
      products,
      ipWhitelist,
      clientId,
      secret: await sealSecret(keys, merchantId, clientId, clientSecret),
    },
    nowMs,
  );
  const after = { ...describeMerchant(merchant), accounts: Object.fromEntries(opened.map(describeOpened)) };
  call.record({ target: `merchant:${merchantId}`, after });
  for (const { id, account } of opened) {
    if ((await accounts.insert(id, merchantId, account, nowMs)) === undefined) throw new Error(`account id ${id} is taken`);
  }
  if ((await merchants.insert(merchantId, merchant, nowMs)) === undefined) throw new Error(`merchant id ${merchantId} is taken`);
  context.metrics.commanded('merchant.create');
  return { merchantId, partnerId, clientId, clientSecret, accountIds: opened.map(({ id }) => id) };
}

/** Draws names until one is free. */
export async function claimed(draw: () => string, claim: (value: string) => Promise<boolean>): Promise<string> {
  for (;;) {
    const value = draw();
    if (await claim(value)) return value;
  }
}

function describeOpened({ id, account }: { id: string; account: Account }) {
  return [id, describeAccount(account)] as const;
}
