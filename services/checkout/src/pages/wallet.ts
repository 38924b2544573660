import { type Html, html } from '../html/html.ts';
import type { View } from './view.ts';

/**
 * What the customer does in the wallet. `way`: how to get there, where the wallet has a page; else it asks in its app, at the
 * phone whose number is given.
 */
export function walletPanel({ texts }: View, wallet: string, { way, phone }: { way: Html | undefined; phone: string }): Html {
  if (way !== undefined)
    return html`<section class="card"><h2>${texts.walletApprove(wallet)}</h2><p>${texts.walletLead(wallet)}</p>
${way}</section>`;
  return html`<section class="card"><h2>${texts.walletApprove(wallet)}</h2><p>${texts.walletAsk(wallet)}</p>
${phone !== '' && html`<p class="hint">${texts.walletPhone} ${phone}</p>`}</section>`;
}
