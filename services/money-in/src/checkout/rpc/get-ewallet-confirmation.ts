import { RefusalError, refuse } from '@gerbang/core';
import type { GetEwalletConfirmationRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { payableOfCheckoutId, toEwalletStatus } from '../../ewallet-checkout/message.ts';
import { detailsOf, EWALLET_CHECKOUT } from '../../payable/product.ts';
import { shownMerchantName } from '../shown-merchant-name.ts';

/** So many digits of a phone tell its owner which one it is, and nobody else. */
const PHONE_DIGITS_SHOWN = 3;

/** An e-wallet checkout as its page shows it: nothing of the merchant but its name. Refusals: transaction_not_found. */
export async function getEwalletConfirmation(context: Context, { transactionId }: GetEwalletConfirmationRequest) {
  const id = payableOfCheckoutId(transactionId);
  const found = id === undefined ? undefined : await context.payables.find(id);
  if (found === undefined) throw new RefusalError(refuse('transaction_not_found'));
  const { state, payment } = found;
  const details = detailsOf(found.details, EWALLET_CHECKOUT);
  return {
    ewalletConfirmation: {
      status: toEwalletStatus(found),
      channel: details.channel,
      amountSen: state.minSen,
      merchantName: await shownMerchantName(context, found.order),
      walletUrl: details.wallet_url ?? '',
      customerPhoneEnd: details.customer_phone.slice(-PHONE_DIGITS_SHOWN),
      successRedirectUrl: details.success_redirect_url,
      ...(payment !== undefined && { paidAtMs: BigInt(payment.paidAtMs) }),
    },
  };
}
