import { RefusalError, refuse } from '@gerbang/core';
import { type GetReturnResponse, PaymentStatus } from '@gerbang/proto/gerbang/cards/v1/cards';
import { z } from 'zod';
import { contentSecurityPolicy } from '../http/headers.ts';
import { type Handler, sendPage, viewOf } from '../http/visit.ts';
import { formTargets, webAddress } from '../http/web-address.ts';
import { waitingForCardPage } from '../pages/card.ts';
import { overPage, paidPage } from '../pages/outcome.ts';
import { linkTo } from '../pages/view.ts';

/** How soon a page that waits for the issuer is loaded again. */
const LOOK_AGAIN_SECONDS = 2;

const parameters = z.object({ payment: z.string().regex(/^99[0-9A-HJKMNP-TV-Z]{26}$/) });

/**
 * GET /card/{id}: where a customer comes back to from 3DS. What the visit brings with it proves nothing and is not read: the cards
 * service asks the acquirer.
 */
export const showReturn: Handler = async (context, request, reply) => {
  const parsed = parameters.safeParse(request.params);
  if (!parsed.success) throw new RefusalError(refuse('transaction_not_found'));
  const found = await context.cards.getReturn({ id: parsed.data.payment });
  const view = viewOf(context, request);
  const { linkReffNo, sessionReffNo } = found;
  // A payment of a link is followed on the page of its session.
  if (sessionReffNo !== '')
    return reply
      .code(303)
      .header('location', linkTo(view, `/pay/${linkReffNo}/${sessionReffNo}`))
      .send();
  const { texts } = view;
  const shop = shopOf(found);
  if (shop !== undefined) reply.header('content-security-policy', contentSecurityPolicy(formTargets(shop)));
  const { amountSen, merchantName, id: reference } = found;
  const about = { about: merchantName, amountSen, reference };
  const next = shop === undefined ? undefined : { href: shop, label: texts.backToShop };
  switch (found.status) {
    case PaymentStatus.PENDING:
    case PaymentStatus.PROCESSING:
      reply.header('refresh', LOOK_AGAIN_SECONDS);
      return sendPage(reply, view, 200, waitingForCardPage(view, found));
    case PaymentStatus.SUCCESS: {
      const receipt = { amountSen, title: undefined, merchantName, method: texts.card.method, paidAtMs: found.processedAtMs };
      return sendPage(reply, view, 200, paidPage(view, { ...receipt, shop, reference }));
    }
    case PaymentStatus.FAILED:
      return sendPage(reply, view, 200, overPage(view, { ...about, what: 'failed', lead: texts.card.failedLead, next }));
    case PaymentStatus.CANCELLED:
    case PaymentStatus.REFUNDED:
      return sendPage(reply, view, 200, overPage(view, { ...about, what: 'failed', lead: texts.card.cancelledLead, next }));
    case PaymentStatus.UNSPECIFIED:
      throw new Error('a card payment has come without its status');
    default:
      return found.status satisfies never;
  }
};

/** The shop learns which payment its customer comes from; the webhook says how it stands. */
function shopOf({ redirectUrl, id }: GetReturnResponse): string | undefined {
  const shop = webAddress(redirectUrl);
  if (shop === undefined) return undefined;
  const address = new URL(shop);
  address.searchParams.set('id', id);
  return address.href;
}
