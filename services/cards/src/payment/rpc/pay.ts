import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { newUlid } from '@gerbang/core';
import { type PayRequest, type PayResponse, PayResponseSchema } from '@gerbang/proto/gerbang/cards/v1/cards';
import { CardData } from '@gerbang/rails/card';
import { createOnce } from '@gerbang/store';
import type { Context } from '../../context.ts';
import { toPaymentMessage } from '../message.ts';
import { paymentId } from '../own.ts';
import { placePayment } from '../place.ts';

/** Charges a card. Refusals: those of `placePayment`, idempotency_key_reused, idempotency_key_running. */
export async function pay(context: Context, request: PayRequest) {
  const { merchantId, accountId, amountSen, installment, installmentMonths, merchantReffNo, redirectUrl } = request;
  const { callerAddress } = request;
  const { name = '', email = '', phone = '' } = request.customer ?? {};
  if (request.card === undefined) throw new Error('a card payment has come without its card');
  const { number, expiry, cvv, holderName } = request.card;
  const card = new CardData({ number, expiry, cvv, holderName });
  const wanted = {
    merchantId,
    accountId,
    amountSen,
    installment,
    installmentMonths,
    merchantReffNo,
    redirectUrl,
    cardHolderName: holderName,
    customer: { name, email, phone },
    callerAddress,
  };
  const { answer, replayed } = await createOnce<PayResponse>(context.idempotencyKeys, request, {
    allocate: () => paymentId(newUlid(context.clock.now())),
    async create(id) {
      const placed = await placePayment(context, id, wanted, card);
      return create(PayResponseSchema, { payment: toPaymentMessage(placed) });
    },
    encode: (response) => toBinary(PayResponseSchema, response),
    decode: (bytes) => fromBinary(PayResponseSchema, bytes),
  });
  return { ...answer, replayed };
}
