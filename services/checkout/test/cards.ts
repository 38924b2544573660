import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { newUlid, RefusalError, refuse } from '@gerbang/core';
import {
  type CardPageService,
  type GetReturnResponse,
  GetReturnResponseSchema,
  type PayLinkResponseSchema,
  type PaymentStatus,
} from '@gerbang/proto/gerbang/cards/v1/cards';
import type { Handlers } from '@gerbang/rpc';

type Submitted = Record<'reffNo' | 'number' | 'expiry' | 'cvv' | 'holderName' | 'clientAddress', string> & { attempt: number };

/** The cards service's contract for pages in a few lines: payments by their ids, which tests may change. */
export function newCards() {
  const payments = new Map<string, GetReturnResponse>();
  const submitted: Submitted[] = [];
  /** Replaces how the cards service answers a card. */
  const scripted: { pay?: () => Promise<MessageInitShape<typeof PayLinkResponseSchema>> } = {};
  const handlers: Handlers<typeof CardPageService> = {
    async getReturn({ id }) {
      const found = payments.get(id);
      if (found === undefined) throw new RefusalError(refuse('transaction_not_found'));
      return found;
    },
    async payLink({ reffNo, attempt, card, clientAddress }) {
      const { number = '', expiry = '', cvv = '', holderName = '' } = card ?? {};
      submitted.push({ reffNo, attempt, number, expiry, cvv, holderName, clientAddress });
      return scripted.pay?.() ?? {};
    },
  };
  return {
    handlers,
    submitted,
    scripted,
    payments,
    /** The path of a payment's page. */
    newPayment(status: PaymentStatus, redirectUrl = 'https://toko.example/selesai?order=7'): string {
      const id = `99${newUlid(Date.now())}`;
      const fields = { id, status, amountSen: 250_000_00n, merchantName: 'Toko Demo', redirectUrl };
      payments.set(id, create(GetReturnResponseSchema, { ...fields, processedAtMs: BigInt(Date.now()) }));
      return `/card/${id}`;
    },
  };
}
