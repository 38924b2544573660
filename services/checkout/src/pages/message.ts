import { type Html, html } from '../html/html.ts';
import { layout } from './layout.ts';
import type { View } from './view.ts';

/** What a page says where there is no payment to show. */
export type Message = 'notFound' | 'gone' | 'busy' | 'broken' | 'badRequest';

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
