import { create, toBinary } from '@bufbuild/protobuf';
import type { EventType } from '@gerbang/present';
import {
  AccountChangedSchema,
  type Account as AccountMessage,
  AccountSchema,
  AccountStatus,
} from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { NewEvent } from '@gerbang/store';
import type { Account } from './account.ts';

/** The account as the contract between services shows it. */
export function toMessage(id: string, merchantId: string, version: bigint, account: Account): AccountMessage {
  return create(AccountSchema, {
    accountId: id,
    merchantId,
    name: account.name,
    status: account.frozen ? AccountStatus.FROZEN : account.active ? AccountStatus.ACTIVE : AccountStatus.INACTIVE,
    merchantReffNo: account.merchantReffNo,
    isDefault: account.isDefault,
    createdAtMs: BigInt(account.createdAtMs),
    updatedAtMs: BigInt(account.updatedAtMs),
    version,
  });
}

/** The event of a new or changed account. */
export function toEvent(type: EventType<'merchant'>, account: AccountMessage, nowMs: number): NewEvent<EventType<'merchant'>> {
  return { type, schema: 1, payload: toBinary(AccountChangedSchema, create(AccountChangedSchema, { account })), atMs: nowMs };
}
