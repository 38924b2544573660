import { type Html, html } from '../html/html.ts';
import { remainingMs } from '../status/phase.ts';
import { formatRemaining, formatRupiah, formatTime, type View } from './view.ts';

/** What a page asks its customer to pay. `description` and `merchantName` may be empty. */
export type Bill = { title: string; description: string; merchantName: string; amountSen: bigint; expiredAtMs: bigint };

/** What is paid, to whom, how much, and until when. */
export function summary({ texts }: View, bill: Bill, nowMs: number): Html {
  const { title, description, merchantName, amountSen } = bill;
  const leftMs = remainingMs(bill, nowMs);
  const before = formatTime(Number(bill.expiredAtMs), texts);
  return html`<section class="card summary">
<h1>${title}</h1>
${merchantName !== '' && html`<p class="payee">${texts.payee} <strong>${merchantName}</strong></p>`}
${description !== '' && html`<p class="description">${description}</p>`}
<dl class="total"><dt>${texts.amountDue}</dt><dd>${formatRupiah(amountSen, texts)}</dd></dl>
<p class="until"><span>${texts.payBefore(before)}</span><span class="left" role="timer" hidden data-left-ms="${leftMs}">
<span class="unseen">${texts.timeLeft}</span> <span data-left>${formatRemaining(leftMs)}</span></span></p>
</section>`;
}
