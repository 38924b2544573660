import { create, toBinary } from '@bufbuild/protobuf';
import { vaBank } from '@gerbang/core';
import type { EventType } from '@gerbang/present';
import {
  CardlessWithdrawalAcceptedSchema,
  CardlessWithdrawalFinishedSchema,
  CardlessWithdrawalStatus,
} from '@gerbang/proto/gerbang/money_out/v1/cardless_withdrawal';
import { type Transfer, TransferSchema, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { commonFields } from '../transfer/message.ts';
import type { PublishedKind, TransferOrder } from '../transfer/product.ts';
import { isHeld, type TransferState } from '../transfer/state.ts';
import type { StateFilter } from '../transfer/store.ts';
import { readDetails } from './document.ts';

/** A withdrawal as the contract between services shows it, without its code. */
export function toMessage(order: TransferOrder, document: object, state: TransferState): Transfer {
  const { bankCode, phoneNumber, expiresAtMs } = readDetails(document);
  return create(TransferSchema, {
    ...commonFields(order, state),
    ...(isWithoutCode(state) && { status: TransferStatus.PAYING }),
    cardlessWithdrawal: {
      bankCode,
      bankName: vaBank(bankCode).name,
      phoneNumber,
      expiredAtMs: BigInt(expiresAtMs),
      expired: state.status === 'canceled' && state.cancelReason === 'expired',
    },
  });
}

function isWithoutCode(state: TransferState): boolean {
  return state.status === 'created' || (isHeld(state) && state.receipt.withdrawal_code === undefined);
}

const { UNSPECIFIED, PENDING, ACTIVE, WITHDRAWN, EXPIRED, CANCELED, FAILED } = CardlessWithdrawalStatus;

/** The stored states behind a filter. */
export function stateFilterOf(status: CardlessWithdrawalStatus): StateFilter | undefined {
  switch (status) {
    case UNSPECIFIED:
      return undefined;
    case PENDING:
      return { status: { $in: ['sent', 'canceling'] }, receipt: { $exists: false } };
    case ACTIVE:
      return { status: { $in: ['sent', 'canceling'] }, receipt: { $exists: true } };
    case WITHDRAWN:
      return { status: { $in: ['succeeded'] } };
    case EXPIRED:
      return { status: { $in: ['canceled'] }, cancel_reason: 'expired' };
    case CANCELED:
      return { status: { $in: ['canceled'] }, cancel_reason: 'canceled' };
    case FAILED:
      return { status: { $in: ['failed', 'refunded'] } };
    default:
      return status satisfies never;
  }
}

const TYPES = {
  accepted: 'cardless-withdrawal.accepted',
  succeeded: 'cardless-withdrawal.succeeded',
  failed: 'cardless-withdrawal.failed',
  canceled: 'cardless-withdrawal.canceled',
  refunded: 'cardless-withdrawal.refunded',
} as const satisfies Record<PublishedKind, EventType<'money-out'>>;

/** The event of a withdrawal, with its payload. */
export function toEvent(kind: PublishedKind, transfer: Transfer) {
  const payload =
    kind === 'accepted'
      ? toBinary(CardlessWithdrawalAcceptedSchema, create(CardlessWithdrawalAcceptedSchema, { transfer }))
      : toBinary(CardlessWithdrawalFinishedSchema, create(CardlessWithdrawalFinishedSchema, { transfer }));
  return { type: TYPES[kind], schema: 1, payload };
}
