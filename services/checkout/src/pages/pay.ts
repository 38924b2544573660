import { isVaBankCode, vaBank } from '@gerbang/core';
import { code128Svg, qrSvg } from '@gerbang/present/codes';
import { type Html, html, trusted } from '../html/html.ts';
import { webAddress } from '../http/web-address.ts';
import { channelOf, findMethod } from '../payment-link/methods.ts';
import { billOf, type Session } from '../payment-link/session.ts';
import { bankInstructions } from '../text/bank-instructions.ts';
import { type Follow, layout } from './layout.ts';
import { liveStatus } from './live-status.ts';
import { summary } from './summary.ts';
import { formatRupiah, groupDigits, linkTo, type View } from './view.ts';
import { walletPanel } from './wallet.ts';

export type PayPage = { session: Session; nowMs: number; follow: Follow };

/** What the customer pays by, how, and how the payment stands. */
export function payPage(view: View, { session, nowMs, follow }: PayPage): Html {
  const { texts, path } = view;
  const { link, history } = session;
  const content = html`${summary(view, billOf(session), nowMs)}
${panel(view, session)}
${liveStatus(view, html`<a href="${linkTo(view, path, { choose: '1' })}">${texts.changeMethod}</a>`)}`;
  return layout(view, { title: link.title, content, reference: history.reffNo, follow });
}

function panel(view: View, session: Session): Html {
  const method = findMethod(session.history.paymentMethod);
  switch (method?.group) {
    case 'virtual_account':
      return virtualAccount(view, session);
    case 'qris':
      return qris(view, session);
    case 'ewallet':
      return ewallet(view, session, method.name);
    case 'retail':
      return retail(view, session, method.name);
    default:
      throw new Error(`there is no page for the method ${session.history.paymentMethod}`);
  }
}

function virtualAccount(view: View, { history }: Session): Html {
  const { texts, language } = view;
  const code = channelOf(history.paymentMethod);
  const bank = isVaBankCode(code) ? vaBank(code).name : code;
  return html`<section class="card"><h2>${texts.payTo(bank)}</h2>
${copyable(view, 'va-number', texts.vaNumber, groupDigits(history.paymentMethodValue), history.paymentMethodValue)}
${copyable(view, 'amount', texts.amountDue, formatRupiah(history.amountSen, texts), String(history.amountSen / 100n))}
<p class="hint">${texts.vaExact}</p></section>
<section class="card how"><h2>${texts.howToPay}</h2>
${bankInstructions(code, language, texts).map(({ title, steps }) => html`<details name="how"><summary>${title}</summary>${list(steps)}</details>`)}
</section>`;
}

function qris(view: View, { history }: Session): Html {
  const { texts, path } = view;
  const label = texts.qrLabel(formatRupiah(history.amountSen, texts));
  return html`<section class="card code"><h2>${texts.qrTitle}</h2>
<div class="qr">${trusted(qrSvg(history.paymentMethodValue, label))}</div>
<p><a class="button button-quiet" href="${path}/qr.png" download="qris.png">${texts.qrSave}</a></p></section>
<section class="card how"><h2>${texts.howToPay}</h2>${list(texts.qrSteps)}</section>`;
}

function ewallet(view: View, { history }: Session, wallet: string): Html {
  const address = webAddress(history.paymentMethodValue);
  const way =
    address !== undefined &&
    html`<p><a class="button" href="${address}" rel="noreferrer">${view.texts.walletOpen(wallet)}</a></p>`;
  return walletPanel(view, wallet, { way: way || undefined, phone: history.customerPhone });
}

function retail(view: View, { history }: Session, chain: string): Html {
  const { texts } = view;
  const code = history.paymentMethodValue;
  return html`<section class="card code"><h2>${texts.retailTitle(chain)}</h2>
<div class="barcode">${trusted(code128Svg(code, texts.barcodeLabel(code)))}</div>
${copyable(view, 'payment-code', texts.paymentCode, groupDigits(code), code)}</section>
<section class="card how"><h2>${texts.howToPay}</h2>${list(texts.retailSteps(chain))}</section>`;
}

/** A value with a button that copies it, which shows only where scripts run. */
function copyable({ texts }: View, id: string, label: string, shown: string, value: string): Html {
  return html`<div class="copyable"><div><p class="label" id="${id}-label">${label}</p><p class="value" id="${id}">${shown}</p></div>
<button type="button" class="copy" hidden data-copy="${value}" data-copied="${texts.copied}" aria-describedby="${id}-label">${texts.copy}</button></div>`;
}

function list(steps: readonly string[]): Html {
  return html`<ol>${steps.map((step) => html`<li>${step}</li>`)}</ol>`;
}
