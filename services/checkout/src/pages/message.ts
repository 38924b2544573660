import type { PaymentLink } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { type Html, html } from '../html/html.ts';
import { isLinkOpen } from '../payment-link/session.ts';
import { layout } from './layout.ts';
import { linkTo, type View } from './view.ts';

/** What a page says where there is no payment to show. */
export type Message = 'notFound' | 'gone' | 'inUse' | 'busy' | 'broken' | 'badRequest';

/** Why a link can't be opened or paid: it is over, or others who have chosen a method have reserved the uses that it has left. */
export function closedPage(view: View, link: PaymentLink | undefined, nowMs: number): Html {
  const isInUse = link !== undefined && isLinkOpen(link, nowMs);
  return messagePage(view, isInUse ? 'inUse' : 'gone', isInUse ? linkTo(view, `/pay/${link.reffNo}`) : undefined);
}

/** A page of one sentence; with `again`, a way to try once more. */
export function messagePage(view: View, message: Message, again?: string): Html {
  const { texts } = view;
  const title = texts[`${message}Title`];
  const content = html`<section class="card outcome">
<div class="mark mark-quiet" aria-hidden="true">!</div>
<h1>${title}</h1>
<p>${texts[`${message}Lead`]}</p>
${again !== undefined && html`<p><a class="button" href="${again}">${texts.tryAgain}</a></p>`}
</section>`;
  return layout(view, { title, content });
}
