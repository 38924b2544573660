import type { GetReturnResponse } from '@gerbang/proto/gerbang/cards/v1/cards';
import { type Html, html } from '../html/html.ts';
import { layout } from './layout.ts';
import { formatRupiah, linkTo, type View } from './view.ts';

/** The issuer has not answered yet. */
export function waitingForCardPage(view: View, { amountSen, merchantName, id }: GetReturnResponse): Html {
  const { texts } = view;
  const content = html`<section class="card outcome">
<h1>${texts.card.waitingTitle}</h1>
<p role="status">${texts.card.waitingLead}</p>
<p class="quiet">${merchantName} · ${formatRupiah(amountSen, texts)}</p>
<p><a class="button" href="${linkTo(view, view.path)}">${texts.checkStatus}</a></p>
</section>`;
  return layout(view, { title: texts.card.waitingTitle, content, reference: id });
}
