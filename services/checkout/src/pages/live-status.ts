import { type Html, html } from '../html/html.ts';
import { linkTo, type View } from './view.ts';

/**
 * How a payment that can still be made stands: by itself where scripts run, else by a link that looks again. `more` are further
 * links.
 */
export function liveStatus(view: View, more?: Html): Html {
  const { texts, path } = view;
  return html`<div class="status card">
<p role="status" aria-live="polite" data-status data-changed="${texts.statusChanged}"><span class="pulse" aria-hidden="true"></span><span data-status-text data-live="${texts.waiting}">${texts.waitingManual}</span></p>
<p class="links"><a href="${linkTo(view, path)}">${texts.checkStatus}</a>${more}</p>
</div>`;
}
