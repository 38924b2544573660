import { hasCardNumber } from '@gerbang/core';
import { type Html, html } from '../html/html.ts';
import { type Entered, FIELDS, type Field, type FormErrors } from '../payment-link/form.ts';
import { type MethodGroup, methodsLeft, offeredMethods } from '../payment-link/methods.ts';
import { billOf, type Session } from '../payment-link/session.ts';
import { type Follow, layout } from './layout.ts';
import { summary } from './summary.ts';
import { linkTo, type View } from './view.ts';

/** So many methods are shown at once; more are folded away by group. */
const UNFOLDED_MAX = 6;

export type ChoosePage = {
  session: Session;
  nowMs: number;
  entered: Entered;
  errors: FormErrors;
  /** Something that concerns no field. */
  alert?: string;
  follow: Follow;
};

/** Where the customer chooses a method, and says who they are where the link asks for that. */
export function choosePage(view: View, page: ChoosePage): Html {
  const { texts } = view;
  const { session, nowMs, entered, errors, alert } = page;
  const { link, history } = session;
  const groups = offeredMethods(session);
  const count = groups.reduce((sum, { methods }) => sum + methods.length, 0);
  const content = html`${summary(view, billOf(session), nowMs)}
${alert !== undefined && html`<div class="notice notice-wrong" role="alert"><p>${alert}</p></div>`}
${errorSummary(view, errors)}
<form method="post" action="${linkTo(view, view.path)}" novalidate>
${link.requiredCustomerDetail && customerFields(view, entered, errors)}
<fieldset class="card methods" id="methods"${errors.payment_method !== undefined && html` aria-describedby="payment_method-error"`}>
<legend><h2>${texts.chooseTitle}</h2></legend>
${fieldError('payment_method', errors)}
${groups.map(({ group, methods }) => methodGroup(view, group, methods, { entered, isFolded: count > UNFOLDED_MAX && methods.length > 1 }))}
</fieldset>
${!link.requiredCustomerDetail && methodsLeft(session).includes('EWALLET_OVO') && ovoPhone(view, entered, errors)}
<button class="button" type="submit">${texts.continue}</button>
</form>`;
  return layout(view, { title: link.title, content, reference: history.reffNo, follow: page.follow });
}

function methodGroup(
  { texts }: View,
  group: MethodGroup,
  methods: readonly { code: string; name: string }[],
  { entered, isFolded }: { entered: Entered; isFolded: boolean },
): Html {
  const name = html`<span class="group-name">${texts.groups[group]}</span><span class="group-hint">${texts.groupHints[group]}</span>`;
  const isSingle = group === 'qris' || group === 'card';
  const rows = methods.map(({ code, name: label }) => {
    const isChecked = entered.payment_method === code;
    const text = isSingle ? name : html`<span class="method-name">${label}</span>`;
    return html`<label class="method"><input type="radio" name="payment_method" id="method-${code}" value="${code}"${isChecked && html` checked`}>${text}</label>`;
  });
  if (isSingle) return html`<div class="group">${rows}</div>`;
  if (!isFolded)
    return html`<div class="group" role="group" aria-label="${texts.groups[group]}"><p class="group-head">${name}</p>${rows}</div>`;
  const isOpen = methods.some(({ code }) => code === entered.payment_method);
  return html`<details class="group" name="group"${isOpen && html` open`}><summary>${name}</summary>${rows}</details>`;
}

function customerFields(view: View, entered: Entered, errors: FormErrors): Html {
  const { texts } = view;
  return html`<section class="card" aria-labelledby="details"><h2 id="details">${texts.details}</h2>
${field({ name: 'customer_name', label: texts.name, type: 'text', autocomplete: 'name' }, entered, errors)}
${field({ name: 'customer_email', label: texts.email, type: 'email', autocomplete: 'email' }, entered, errors)}
${field({ name: 'customer_phone', label: texts.phone, type: 'tel', autocomplete: 'tel', hint: texts.phoneHint }, entered, errors)}
</section>`;
}

/** Shown only while OVO is chosen, where the browser's style sheets can tell. */
function ovoPhone(view: View, entered: Entered, errors: FormErrors): Html {
  const { texts } = view;
  const input = {
    name: 'customer_phone',
    label: texts.ovoPhone,
    type: 'tel',
    autocomplete: 'tel',
    hint: texts.phoneHint,
  } as const;
  return html`<div class="card for-ovo">${field(input, entered, errors)}</div>`;
}

type Input = { name: Field; label: string; type: 'text' | 'email' | 'tel'; autocomplete: string; hint?: string };

function field({ name, label, type, autocomplete, hint }: Input, entered: Entered, errors: FormErrors): Html {
  const describedBy = [errors[name] !== undefined && `${name}-error`, hint !== undefined && `${name}-hint`].filter(
    (id) => id !== false,
  );
  return html`<div class="field"><label for="${name}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
<input id="${name}" name="${name}" type="${type}" value="${withoutCardNumber(entered[name])}" autocomplete="${autocomplete}" maxlength="300" required
${describedBy.length > 0 && html`aria-describedby="${describedBy.join(' ')}"`} ${errors[name] !== undefined && html`aria-invalid="true"`}>
${fieldError(name, errors)}</div>`;
}

/** A card number that was entered in the wrong place is not sent back. */
function withoutCardNumber(text: string): string {
  return hasCardNumber(text) ? '' : text;
}

function fieldError(name: Field, errors: FormErrors): Html | undefined {
  const error = errors[name];
  return error === undefined ? undefined : html`<p class="error" id="${name}-error">${error}</p>`;
}

/** All that is wrong, first on the page, with a way to each field. */
function errorSummary({ texts }: View, errors: FormErrors): Html | undefined {
  const wrong = FIELDS.flatMap((name) => {
    const error = errors[name];
    return error === undefined ? [] : [html`<li><a href="#${name === 'payment_method' ? 'methods' : name}">${error}</a></li>`];
  });
  if (wrong.length === 0) return undefined;
  return html`<div class="notice notice-wrong" role="alert" tabindex="-1" data-focus><h2>${texts.errorsTitle}</h2><ul>${wrong}</ul></div>`;
}
