import { type Html, html } from '../html/html.ts';
import { CARD_FIELDS, type CardErrors, type CardField, type ShownCard } from '../payment-link/card-form.ts';
import { methodsLeft } from '../payment-link/methods.ts';
import { billOf, type Session } from '../payment-link/session.ts';
import { type Follow, layout } from './layout.ts';
import { liveStatus } from './live-status.ts';
import { summary } from './summary.ts';
import { formatRupiah, linkTo, type View } from './view.ts';

export type CardFormPage = {
  session: Session;
  nowMs: number;
  /** Which try of the session a submission of it is. */
  attempt: number;
  shown: ShownCard;
  errors: CardErrors;
  /** Something that concerns no field. */
  alert?: string | undefined;
  follow: Follow;
  nonce: string;
};

/** Where the customer enters a card. Number and security code are never in it. */
export function cardFormPage(view: View, page: CardFormPage): Html {
  const { texts, path } = view;
  const { card } = texts;
  const { session, nowMs, attempt, shown, errors, alert, follow, nonce } = page;
  const { link, history } = session;
  const content = html`${summary(view, billOf(session), nowMs)}
${alert !== undefined && html`<div class="notice notice-wrong" role="alert" tabindex="-1" data-focus><p>${alert}</p></div>`}
${errorSummary(view, errors)}
<form method="post" action="${linkTo(view, `${path}/card`)}" novalidate autocomplete="on" data-card-form>
<section class="card card-fields" aria-labelledby="card-title"><h2 id="card-title">${card.formTitle}</h2>
${field({ name: 'card_number', label: card.number, autocomplete: 'cc-number', length: 23, isNumber: true }, '', errors)}
<div class="pair">${field({ name: 'card_expiry', label: card.expiry, hint: card.expiryHint, autocomplete: 'cc-exp', length: 9, isNumber: true }, shown.card_expiry, errors)}
${field({ name: 'card_cvv', label: card.cvv, hint: card.cvvHint, autocomplete: 'cc-csc', length: 4, isNumber: true }, '', errors)}</div>
${field({ name: 'card_holder_name', label: card.holder, hint: card.holderHint, autocomplete: 'cc-name', length: 100 }, shown.card_holder_name, errors)}
<p class="hint">${card.privacy}</p>
</section>
<input type="hidden" name="attempt" value="${attempt}">
<button class="button" type="submit" data-busy="${card.paying}">${card.pay(formatRupiah(history.amountSen, texts))}</button>
</form>
${otherMethods(view, session)}`;
  return layout(view, { title: link.title, content, reference: history.reffNo, follow, scripts: ['card-form.js'], nonce });
}

/** Where the issuer authenticates the customer. `fields`: of an issuer who takes customers by POST only. */
export type Bank = { url: string; fields: readonly { name: string; value: string }[] | undefined };

/** The issuer wants to authenticate the customer. */
export function bankPage(view: View, page: { session: Session; nowMs: number; follow: Follow; bank: Bank }): Html {
  const { texts } = view;
  const { session, nowMs, follow, bank } = page;
  const content = html`${summary(view, billOf(session), nowMs)}
<section class="card"><h2>${texts.card.bankTitle}</h2><p>${texts.card.bankLead}</p>
${wayToBank(bank, texts.card.bankGo)}</section>
${liveStatus(view, changeMethod(view, session))}`;
  return layout(view, { title: session.link.title, content, reference: session.history.reffNo, follow });
}

/** A form waits for the customer to press its button: a script that sent it would be one more where cards are entered. */
function wayToBank({ url, fields }: Bank, label: string): Html {
  if (fields === undefined) return html`<p><a class="button" href="${url}" rel="noreferrer">${label}</a></p>`;
  const hidden = fields.map(({ name, value }) => html`<input type="hidden" name="${name}" value="${value}">`);
  return html`<form method="post" action="${url}">${hidden}<button class="button" type="submit">${label}</button></form>`;
}

/** The acquirer or the issuer has not answered yet. */
export function waitingForBankPage(view: View, page: { session: Session; nowMs: number; follow: Follow }): Html {
  const { session, nowMs, follow } = page;
  const content = html`${summary(view, billOf(session), nowMs)}
<section class="card"><h2>${view.texts.card.waitingTitle}</h2><p>${view.texts.card.waitingLead}</p></section>
${liveStatus(view)}`;
  const { link, history } = session;
  return layout(view, { title: link.title, content, reference: history.reffNo, follow, reloadSeconds: RELOAD_SECONDS });
}

const RELOAD_SECONDS = 3;

function changeMethod(view: View, session: Session): Html | undefined {
  if (methodsLeft(session).length < 2) return undefined;
  return html`<a href="${linkTo(view, view.path, { choose: '1' })}">${view.texts.changeMethod}</a>`;
}

function otherMethods(view: View, session: Session): Html | undefined {
  const link = changeMethod(view, session);
  return link && html`<p class="links">${link}</p>`;
}

type Input = { name: CardField; label: string; hint?: string; autocomplete: string; length: number; isNumber?: true };

/** Browsers send nothing of these anywhere to check its spelling. */
function field({ name, label, hint, autocomplete, length, isNumber }: Input, value: string, errors: CardErrors): Html {
  const error = errors[name];
  const describedBy = [error !== undefined && `${name}-error`, hint !== undefined && `${name}-hint`].filter((id) => id !== false);
  return html`<div class="field"><label for="${name}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
<input id="${name}" name="${name}" type="text" value="${value}" autocomplete="${autocomplete}" maxlength="${length}" required spellcheck="false" autocorrect="off"
${isNumber === true ? html`inputmode="numeric"` : html`autocapitalize="characters"`}
${describedBy.length > 0 && html`aria-describedby="${describedBy.join(' ')}"`} ${error !== undefined && html`aria-invalid="true"`}>
${name === 'card_number' && html`<p class="brand-of-card" role="status" data-brand></p>`}
${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}</div>`;
}

/** All that is wrong, first on the page, with a way to each field. */
function errorSummary({ texts }: View, errors: CardErrors): Html | undefined {
  const wrong = CARD_FIELDS.flatMap((name) => {
    const error = errors[name];
    return error === undefined ? [] : [html`<li><a href="#${name}">${error}</a></li>`];
  });
  if (wrong.length === 0) return undefined;
  return html`<div class="notice notice-wrong" role="alert" tabindex="-1" data-focus><h2>${texts.errorsTitle}</h2><ul>${wrong}</ul></div>`;
}
