import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { RefusalError, refuse } from '@gerbang/core';
import {
  type Account as AccountMessage,
  type OpenAccountRequest,
  OpenAccountResponseSchema,
} from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { createOnce } from '@gerbang/store';
import type { Context } from '../../context.ts';
import { mustFind } from '../../merchant/change-merchant.ts';
import { newAccount } from '../account.ts';
import { readName, readReffNo } from '../input.ts';
import { toMessage } from '../message.ts';
import type { StoredAccount } from '../store.ts';

type Wanted = { merchantId: string; name: string; merchantReffNo: string };

/**
 * Opens an active account, once for each Idempotency-Key (contract §2). Refusals: validation (name, merchant_reff_no),
 * merchant_not_found, frozen, idempotency_key_reused, idempotency_key_running.
 */
export async function openAccount(context: Context, request: OpenAccountRequest) {
  const wanted = {
    merchantId: request.merchantId,
    name: readName(request.name),
    merchantReffNo: readReffNo(request.merchantReffNo),
  };
  const { answer, replayed } = await createOnce(context.idempotencyKeys, request, {
    allocate: () => context.newId(context.clock.now()),
    create: async (accountId) => shown(await openOnce(context, wanted, accountId)),
    encode: (account) => toBinary(OpenAccountResponseSchema, create(OpenAccountResponseSchema, { account })),
    decode: readAnswer,
  });
  return { account: answer, replayed };
}

function readAnswer(response: Uint8Array): AccountMessage {
  const { account } = fromBinary(OpenAccountResponseSchema, response);
  if (account === undefined) throw new Error('a stored answer has no account');
  return account;
}

/** A request that has died may have opened the account already. */
async function openOnce(context: Context, wanted: Wanted, accountId: string): Promise<StoredAccount> {
  return (await context.accounts.find(accountId, { linearizable: true })) ?? open(context, wanted, accountId);
}

async function open(context: Context, { merchantId, name, merchantReffNo }: Wanted, accountId: string): Promise<StoredAccount> {
  const { merchant } = await mustFind(context, merchantId);
  if (merchant.frozen) throw new RefusalError(refuse('frozen'));
  const nowMs = context.clock.now();
  const opened = await context.accounts.insert(accountId, merchantId, newAccount(name, false, nowMs, merchantReffNo), nowMs);
  if (opened === undefined) {
    // Only another request with the same Idempotency-Key knows this id, and was faster.
    const known = await context.accounts.find(accountId, { linearizable: true });
    if (known === undefined) throw new Error(`account ${accountId} is taken and not there`);
    return known;
  }
  context.metrics.accountOpened();
  return opened;
}

function shown({ id, merchantId, version, account }: StoredAccount) {
  return toMessage(id, merchantId, version, account);
}
