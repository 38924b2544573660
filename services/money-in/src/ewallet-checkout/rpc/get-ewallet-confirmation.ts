import { RefusalError, refuse } from '@gerbang/core';
import type { GetEwalletConfirmationRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { shownMerchantName } from '../../payment-request/shown-merchant-name.ts';
import { asEwalletCheckout, requestOfCheckoutId } from '../ewallet-checkout.ts';
import { toEwalletStatus } from '../message.ts';

/** So many digits of a phone are enough for its owner to know it, and for no one else. */
const PHONE_DIGITS_SHOWN = 3;

/** An e-wallet checkout as its page shows it: of the merchant it shows only the name. Refusals: transaction_not_found. */
export async function getEwalletConfirmation(context: Context, { transactionId }: GetEwalletConfirmationRequest) {
  const id = requestOfCheckoutId(transactionId);
  const found = id === undefined ? undefined : await context.paymentRequests.find(id);
  if (found === undefined) throw new RefusalError(refuse('transaction_not_found'));
  const { state, payment } = found;
  const details = asEwalletCheckout(found.details);
  return {
    ewalletConfirmation: {
      status: toEwalletStatus(found),
      channel: details.channel,
      amountSen: state.minSen,
      merchantName: await shownMerchantName(context, found.order),
      walletUrl: details.walletUrl ?? '',
      customerPhoneEnd: details.customerPhone.slice(-PHONE_DIGITS_SHOWN),
      successRedirectUrl: details.successRedirectUrl,
      ...(payment !== undefined && { paidAtMs: BigInt(payment.paidAtMs) }),
    },
  };
}
