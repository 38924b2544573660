import { type FieldErrors, type Refusal, refuseFields, webUrlProblem } from '@gerbang/core';

/**
 * Where a merchant's webhooks go; an absent URL: nothing is delivered. `signatureEnabled` is on unless it was switched off
 * (contract §10).
 */
export type CallbackSettings = {
  transactionNotifUrl?: string | undefined;
  disbursementNotifUrl?: string | undefined;
  directDebitNotifUrl?: string | undefined;
  paymentLinkInquiryNotifUrl?: string | undefined;
  signatureEnabled: boolean;
};

/** Settings that held from a moment of business time on. */
export type CallbackChange = { sinceMs: number; settings: CallbackSettings };

/** Oldest first, never empty, at most HISTORY_MAX. */
export type CallbackHistory = readonly [CallbackChange, ...CallbackChange[]];

/** Changes kept; the oldest one kept stands for all before it. */
export const HISTORY_MAX = 100;

const URL_FIELDS = {
  transaction_notif_url: 'transactionNotifUrl',
  disbursement_notif_url: 'disbursementNotifUrl',
  direct_debit_notif_url: 'directDebitNotifUrl',
  payment_link_inquiry_notif_url: 'paymentLinkInquiryNotifUrl',
} as const;

/** What a new merchant has: no URL, signatures on. */
export function initialHistory(nowMs: number): CallbackHistory {
  return [{ sinceMs: nowMs, settings: { signatureEnabled: true } }];
}

/** The settings as of now. */
export function currentSettings(history: CallbackHistory): CallbackSettings {
  return (history.at(-1) ?? history[0]).settings;
}

/** The settings at a moment of business time: an event of that moment is notified by them (contract §10). */
export function settingsAt(history: CallbackHistory, atMs: number): CallbackSettings {
  return (history.findLast((change) => change.sinceMs <= atMs) ?? history[0]).settings;
}

/** The history with one more change; replicas' clocks may differ a little, but time in it never goes back. */
export function appendChange(history: CallbackHistory, settings: CallbackSettings, nowMs: number): CallbackHistory {
  const last = history.at(-1) ?? history[0];
  const [first, ...rest] = [...history, { sinceMs: Math.max(nowMs, last.sinceMs), settings }].slice(-HISTORY_MAX);
  return first === undefined ? history : [first, ...rest];
}

/**
 * The current settings with the named fields replaced; an absent URL clears its field. URLs are https, or http too where
 * `httpAllowed`, have at most 2,048 characters, and neither credentials nor a fragment (contract §4). Refusals: validation,
 * naming the fields.
 */
export function updateSettings(
  current: CallbackSettings,
  values: CallbackSettings,
  fields: readonly string[],
  httpAllowed: boolean,
): CallbackSettings | Refusal {
  const updated = { ...current };
  const errors: FieldErrors = {};
  for (const field of fields) {
    if (field === 'signature_enabled') {
      updated.signatureEnabled = values.signatureEnabled;
    } else if (isUrlField(field)) {
      const url = values[URL_FIELDS[field]];
      const problem = url === undefined ? undefined : problemOf(url, httpAllowed);
      if (problem !== undefined) errors[field] = [problem];
      updated[URL_FIELDS[field]] = url;
    } else {
      errors.update = [`there is no setting ${field.slice(0, 40)}`];
    }
  }
  return Object.keys(errors).length === 0 ? updated : refuseFields(errors);
}

/** Whether two settings are the same. */
export function sameSettings(a: CallbackSettings, b: CallbackSettings): boolean {
  return a.signatureEnabled === b.signatureEnabled && Object.values(URL_FIELDS).every((property) => a[property] === b[property]);
}

function isUrlField(field: string): field is keyof typeof URL_FIELDS {
  return Object.hasOwn(URL_FIELDS, field);
}

function problemOf(text: string, httpAllowed: boolean): string | undefined {
  return webUrlProblem(text, { httpAllowed }) ?? (text.includes('#') ? 'must not have a fragment' : undefined);
}
