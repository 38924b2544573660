import { type Html, html } from '../html/html.ts';
import { remainingMs, type Session } from '../payment-link/session.ts';
import { formatRemaining, formatRupiah, formatTime, type View } from './view.ts';

/** What is paid, how much, and until when. */
export function summary({ texts }: View, { link, history }: Session, nowMs: number): Html {
  const leftMs = remainingMs(history, nowMs);
  const before = formatTime(Number(history.expiredAtMs), texts);
  return html`<section class="card summary">
<h1>${link.title}</h1>
${link.description !== '' && html`<p class="description">${link.description}</p>`}
<dl class="total"><dt>${texts.amountDue}</dt><dd>${formatRupiah(history.amountSen, texts)}</dd></dl>
<p class="until"><span>${texts.payBefore(before)}</span><span class="left" role="timer" hidden data-left-ms="${leftMs}">
<span class="unseen">${texts.timeLeft}</span> <span data-left>${formatRemaining(leftMs)}</span></span></p>
</section>`;
}
