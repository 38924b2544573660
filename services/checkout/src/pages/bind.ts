import type { BindPage } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { OtpResult } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { type Html, html } from '../html/html.ts';
import type { BindFailure } from '../text/bind.ts';
import { layout } from './layout.ts';
import { formatTime, linkTo, type View } from './view.ts';

/** Who asks for what, and the customer's yes or no. */
export function consentPage(view: View, page: BindPage): Html {
  const { texts } = view;
  const { bind } = texts;
  const title = bind.title(page.bankName);
  const content = html`<section class="card summary">
<h1>${title}</h1>
<p>${bind.lead(page.merchantName, page.bankName)}</p>
<ul class="points">${bind.points(page.bankName).map((point) => html`<li>${point}</li>`)}</ul>
<p class="until"><span>${bind.before(formatTime(Number(page.expiredAtMs), texts))}</span></p>
</section>
${formTo(view, 'consent', html`<button class="button" type="submit">${bind.agree}</button>`)}
${formTo(view, 'decline', html`<button class="plain" type="submit">${bind.decline}</button>`)}`;
  return layout(view, { title, content, reference: page.bindingId });
}

/** The bank's OTP. `isMalformed`: what was entered can't be one, and was not asked about. */
export function otpPage(view: View, page: BindPage, { isMalformed }: { isMalformed: boolean }): Html {
  const { bind } = view.texts;
  const error = isMalformed ? bind.otpFormat : otpProblem(view, page);
  const described = error === undefined ? 'otp-hint' : 'otp-error otp-hint';
  const input = html`<div class="field"><label for="otp">${bind.otpLabel}</label>
${error !== undefined && html`<p class="error" id="otp-error">${error}</p>`}
<input id="otp" name="otp" type="text" inputmode="numeric" autocomplete="one-time-code" maxlength="8" required${
    error !== undefined && html` aria-invalid="true"`
  } aria-describedby="${described}">
<p class="hint" id="otp-hint">${bind.otpHint}</p></div>`;
  const content = html`<section class="card summary">
<h1>${bind.otpTitle}</h1>
<p>${bind.otpLead(page.bankName, page.customerPhoneEnd)}</p>
</section>
${formTo(view, 'otp', html`<div class="card">${input}</div><button class="button" type="submit">${bind.confirm}</button>`)}
${
  page.otpResendsLeft > 0
    ? formTo(view, 'resend', html`<button class="plain" type="submit">${bind.resend(page.otpResendsLeft)}</button>`)
    : html`<p class="hint">${bind.noResend}</p>`
}`;
  return layout(view, { title: bind.otpTitle, content, reference: page.bindingId });
}

/** The bank has not answered yet. */
export function connectingPage(view: View, page: BindPage): Html {
  const { bind } = view.texts;
  const content = html`<section class="card outcome">
<h1>${bind.connectingTitle}</h1>
<p role="status">${bind.connectingLead(page.bankName)}</p>
<p><a class="button" href="${linkTo(view, view.path)}">${bind.lookAgain}</a></p>
</section>`;
  return layout(view, { title: bind.connectingTitle, content, reference: page.bindingId });
}

/** The account is bound. */
export function boundPage(view: View, page: BindPage): Html {
  const { bind } = view.texts;
  const content = html`<section class="card outcome">
<div class="mark mark-good" aria-hidden="true"><svg viewBox="0 0 24 24" width="32" height="32"><path d="M5 12.5l4.5 4.5L19 7.5" fill="none" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg></div>
<h1>${bind.boundTitle}</h1>
<p>${bind.boundLead(page.merchantName)}</p>
<dl class="facts"><dt>${bind.account}</dt><dd>${page.bankName} •••• ${page.bankAccountEnd}</dd></dl>
${wayBack(view, page)}
</section>`;
  return layout(view, { title: bind.boundTitle, content, reference: page.bindingId });
}

/** The account is not bound, and why. */
export function unboundPage(view: View, page: BindPage, failure: BindFailure | 'expired'): Html {
  const { bind } = view.texts;
  const title = failure === 'expired' ? bind.expiredTitle : bind.failedTitle;
  const lead = failure === 'expired' ? bind.expiredLead : bind.failedLead[failure];
  const content = html`<section class="card outcome">
<div class="mark mark-quiet" aria-hidden="true">!</div>
<h1>${title}</h1>
<p>${lead}</p>
${wayBack(view, page)}
</section>`;
  return layout(view, { title, content, reference: page.bindingId });
}

function otpProblem({ texts: { bind } }: View, { otpResult, otpAttemptsLeft }: BindPage): string | undefined {
  if (otpResult === OtpResult.WRONG) return bind.otpWrong(otpAttemptsLeft);
  return otpResult === OtpResult.RESENT ? bind.otpResent : undefined;
}

function wayBack(view: View, { redirectUrl }: BindPage): Html | undefined {
  if (redirectUrl === '') return undefined;
  return formTo(view, 'back', html`<button class="button" type="submit">${view.texts.bind.backToShop}</button>`);
}

/** A step is a form of its own, so that pages need no scripts. */
function formTo(view: View, step: 'consent' | 'decline' | 'otp' | 'resend' | 'back', content: Html): Html {
  return html`<form method="post" action="${linkTo(view, `${view.path}/${step}`)}">${content}</form>`;
}
