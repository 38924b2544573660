import { type Refusal, RefusalError } from '../result.ts';
import { type DataObject, problem, readObjects } from './data-object.ts';
import { checkFormat, FORMATS, type Format, readAmount, readPercentage } from './formats.ts';
import { readPayload } from './payload.ts';
import {
  isNational,
  NATIONAL_TAG,
  type Qris,
  type QrisAccount,
  type QrisAdditionalData,
  type QrisAlternateLanguage,
  type QrisTip,
} from './qris.ts';
import {
  ACCOUNT_FORMATS,
  ACCOUNT_TAGS,
  ADDITIONAL_DATA_FORMATS,
  ADDITIONAL_DATA_TAGS,
  LANGUAGE_FORMATS,
  LANGUAGE_TAGS,
  splitFields,
} from './templates.ts';

/** Tags of the first level that have a field; all others but the accounts' are kept as they are. */
const KNOWN = new Set(['00', '01', '52', '53', '54', '55', '56', '57', '58', '59', '60', '61', '62', '64']);

/**
 * Reads a QRIS code. Objects may come in any order (EMVCo), unknown ones are kept. Refusals: validation of `qr_data`, naming the
 * tag and what is wrong with it: missing, there twice, empty, truncated, too long, not of its format, a wrong checksum (63),
 * another currency (53) or country (58), no QRIS (51).
 */
export function decodeQris(payload: string): Qris | Refusal {
  try {
    return toQris(readPayload(payload));
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal;
    throw error;
  }
}

function toQris(objects: readonly DataObject[]): Qris {
  const values = new Map(objects.map(({ tag, value }) => [tag, value]));
  const required = (tag: string) => {
    const value = values.get(tag);
    if (value === undefined) throw problem(tag, 'is missing');
    return value;
  };
  for (const tag of ['00', '52', '53', '58', '59', '60']) required(tag);
  checkFormats(objects, FORMATS, '');
  const template = (tag: string, formats: Readonly<Record<string, Format>>) => {
    const value = values.get(tag);
    return value === undefined ? undefined : readTemplate(tag, value, formats);
  };
  const accounts = objects.filter(({ tag }) => isAccount(tag)).map(toAccount);
  if (!accounts.some(({ globallyUniqueId }) => isNational(globallyUniqueId))) {
    throw problem(NATIONAL_TAG, 'is missing: this is not a QRIS code');
  }
  const amount = values.get('54');
  return {
    // EMVCo lets the tag be absent and says nothing then; a code that does not say that it is for one payment is not.
    type: values.get('01') === '12' ? 'mpm-dynamic' : 'mpm-static',
    accounts,
    merchantCategoryCode: required('52'),
    amountSen: amount === undefined ? undefined : readAmount('54', amount),
    tip: toTip(values),
    merchantName: required('59'),
    merchantCity: required('60'),
    postalCode: values.get('61'),
    additionalData: toAdditionalData(template('62', ADDITIONAL_DATA_FORMATS)),
    alternateLanguage: toAlternateLanguage(template('64', LANGUAGE_FORMATS)),
    others: objects.filter(({ tag }) => !KNOWN.has(tag) && !isAccount(tag)),
  };
}

/** Templates of accounts; 02 to 25 are the card schemes' own and no templates. */
function isAccount(tag: string): boolean {
  return tag >= '26' && tag <= NATIONAL_TAG;
}

function readTemplate(tag: string, value: string, formats: Readonly<Record<string, Format>>): DataObject[] {
  const objects = readObjects(value, `${tag}.`);
  checkFormats(objects, formats, `${tag}.`);
  return objects;
}

function checkFormats(objects: readonly DataObject[], formats: Readonly<Record<string, Format>>, within: string): void {
  for (const { tag, value } of objects) {
    const format = formats[tag];
    if (format !== undefined) checkFormat(`${within}${tag}`, value, format);
  }
}

function toAccount({ tag, value }: DataObject): QrisAccount {
  const { field, others } = splitFields(readTemplate(tag, value, ACCOUNT_FORMATS), ACCOUNT_TAGS);
  const globallyUniqueId = field('globallyUniqueId');
  if (globallyUniqueId === undefined) throw problem(`${tag}.00`, 'is missing');
  return { tag, globallyUniqueId, pan: field('pan'), merchantId: field('merchantId'), criteria: field('criteria'), others };
}

function toTip(values: ReadonlyMap<string, string>): QrisTip | undefined {
  const [indicator, fixed, percentage] = [values.get('55'), values.get('56'), values.get('57')];
  if (fixed !== undefined && indicator !== '02') throw problem('56', 'is there without 02 in tag 55');
  if (percentage !== undefined && indicator !== '03') throw problem('57', 'is there without 03 in tag 55');
  switch (indicator) {
    case '01':
      return { indicator: 'input' };
    case '02':
      if (fixed === undefined) throw problem('56', 'is missing');
      return { indicator: 'fixed', amountSen: readAmount('56', fixed) };
    case '03':
      if (percentage === undefined) throw problem('57', 'is missing');
      return { indicator: 'percentage', basisPoints: readPercentage('57', percentage) };
    default:
      return undefined;
  }
}

function toAdditionalData(objects: DataObject[] | undefined): QrisAdditionalData | undefined {
  if (objects === undefined) return undefined;
  const { field, others } = splitFields(objects, ADDITIONAL_DATA_TAGS);
  return {
    billNumber: field('billNumber'),
    mobileNumber: field('mobileNumber'),
    storeLabel: field('storeLabel'),
    loyaltyNumber: field('loyaltyNumber'),
    referenceLabel: field('referenceLabel'),
    customerLabel: field('customerLabel'),
    terminalLabel: field('terminalLabel'),
    purpose: field('purpose'),
    consumerDataRequest: field('consumerDataRequest'),
    others,
  };
}

function toAlternateLanguage(objects: DataObject[] | undefined): QrisAlternateLanguage | undefined {
  if (objects === undefined) return undefined;
  const { field, others } = splitFields(objects, LANGUAGE_TAGS);
  const [language, merchantName] = [field('language'), field('merchantName')];
  if (language === undefined) throw problem('64.00', 'is missing');
  if (merchantName === undefined) throw problem('64.01', 'is missing');
  return { language, merchantName, merchantCity: field('merchantCity'), others };
}
