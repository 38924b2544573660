import { type Html, html } from '../html/html.ts';
import { layout } from './layout.ts';
import { formatDateTime, formatRupiah, type View } from './view.ts';

/** What was paid. `merchantName` may be empty; `shop` is where the shop wants its customer next. */
export type Receipt = {
  amountSen: bigint;
  title: string | undefined;
  merchantName: string;
  method: string | undefined;
  paidAtMs: bigint | undefined;
  shop: string | undefined;
  reference: string;
};

/** It has been paid: what, to whom, how and when, and the way back to the shop. */
export function paidPage(view: View, receipt: Receipt): Html {
  const { texts } = view;
  const { amountSen, title, merchantName, method, paidAtMs, shop, reference } = receipt;
  const content = html`<section class="card outcome">
<div class="mark mark-good" aria-hidden="true"><svg viewBox="0 0 24 24" width="32" height="32"><path d="M5 12.5l4.5 4.5L19 7.5" fill="none" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg></div>
<h1 tabindex="-1" data-focus>${texts.paidTitle}</h1>
<p>${texts.paidLead}</p>
<p class="sum">${formatRupiah(amountSen, texts)}</p>
${title !== undefined && html`<p class="quiet">${title}</p>`}
<dl class="facts">${merchantName !== '' && fact(texts.payee, merchantName)}
${method !== undefined && fact(texts.paidWith, method)}
${paidAtMs !== undefined && fact(texts.paidAt, formatDateTime(Number(paidAtMs), view))}</dl>
${shop !== undefined && wayBack(view, shop)}
</section>`;
  return layout(view, { title: texts.paidTitle, content, reference });
}

function fact(name: string, value: string): Html {
  return html`<dt>${name}</dt><dd>${value}</dd>`;
}

/** The page leads there by itself where scripts run, unless the customer would rather stay. */
function wayBack({ texts }: View, shop: string): Html {
  return html`<p><a class="button" href="${shop}" rel="noreferrer" data-shop>${texts.backToShop}</a></p>
<p class="hint" hidden data-leaving role="status">${texts.backSoon} <button type="button" class="plain" data-stay>${texts.stayHere}</button></p>`;
}

/** A payment that is over. `about`: what it was for; `next`: what the customer can do about it. */
export type Over = {
  what: 'expired' | 'failed';
  lead: string;
  about: string;
  amountSen: bigint;
  reference: string;
  next?: { href: string; label: string } | undefined;
};

/** It can't be paid any more. */
export function overPage(view: View, { what, lead, about, amountSen, reference, next }: Over): Html {
  const { texts } = view;
  const title = texts[`${what}Title`];
  const content = html`<section class="card outcome">
<div class="mark mark-quiet" aria-hidden="true">!</div>
<h1 tabindex="-1" data-focus>${title}</h1>
<p>${lead}</p>
<p class="quiet">${about} · ${formatRupiah(amountSen, texts)}</p>
${next !== undefined && html`<p><a class="button" href="${next.href}">${next.label}</a></p>`}
</section>`;
  return layout(view, { title, content, reference });
}
