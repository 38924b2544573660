import { type Html, html } from '../html/html.ts';
import { findMethod } from '../payment-link/methods.ts';
import type { Session } from '../payment-link/session.ts';
import { shopAddress } from '../payment-link/web-address.ts';
import { layout } from './layout.ts';
import { formatDateTime, formatRupiah, linkTo, type View } from './view.ts';

/** It has been paid: what, how and when, and the way back to the shop. */
export function paidPage(view: View, { link, history }: Session): Html {
  const { texts } = view;
  const shop = shopAddress(link.successRedirectUrl, history.reffNo);
  const paidAtMs = history.figures?.paidAtMs;
  const method = findMethod(history.paymentMethod)?.name;
  const content = html`<section class="card outcome">
<div class="mark mark-good" aria-hidden="true"><svg viewBox="0 0 24 24" width="32" height="32"><path d="M5 12.5l4.5 4.5L19 7.5" fill="none" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg></div>
<h1 tabindex="-1" data-focus>${texts.paidTitle}</h1>
<p>${texts.paidLead}</p>
<p class="sum">${formatRupiah(history.figures?.amountSen ?? history.amountSen, texts)}</p>
<p class="quiet">${link.title}</p>
<dl class="facts">${method !== undefined && html`<dt>${texts.paidWith}</dt><dd>${method}</dd>`}
${paidAtMs !== undefined && html`<dt>${texts.paidAt}</dt><dd>${formatDateTime(Number(paidAtMs), view)}</dd>`}</dl>
${shop !== undefined && wayBack(view, shop)}
</section>`;
  return layout(view, { title: texts.paidTitle, content, reference: history.reffNo });
}

/** The page leads there by itself where scripts run, unless the customer would rather stay. */
function wayBack({ texts }: View, shop: string): Html {
  return html`<p><a class="button" href="${shop}" rel="noreferrer" data-shop>${texts.backToShop}</a></p>
<p class="hint" hidden data-leaving role="status">${texts.backSoon} <button type="button" class="plain" data-stay>${texts.stayHere}</button></p>`;
}

/** It can't be paid any more. `again` where the link can be opened once more. */
export function overPage(view: View, { link, history }: Session, what: 'expired' | 'failed', again: boolean): Html {
  const { texts } = view;
  const title = texts[`${what}Title`];
  const content = html`<section class="card outcome">
<div class="mark mark-quiet" aria-hidden="true">!</div>
<h1 tabindex="-1" data-focus>${title}</h1>
<p>${texts[`${what}Lead`]}</p>
<p class="quiet">${link.title} · ${formatRupiah(history.amountSen, texts)}</p>
${again && html`<p><a class="button" href="${linkTo(view, `/pay/${link.reffNo}`)}">${texts.openAgain}</a></p>`}
</section>`;
  return layout(view, { title, content, reference: history.reffNo });
}
