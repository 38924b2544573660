import { isRefusal, type Refusal, RefusalError } from '../result.ts';
import { type DataObject, writeObjects } from './data-object.ts';
import { decodeQris } from './decode.ts';
import { ans, checkFormat, type Format, writeAmount, writePercentage } from './formats.ts';
import { writePayload } from './payload.ts';
import { isNational, type Qris, type QrisAccount, type QrisTip } from './qris.ts';
import { ACCOUNT_TAGS, ADDITIONAL_DATA_TAGS, joinFields, LANGUAGE_TAGS } from './templates.ts';

const PAN: Format = { max: 19, pattern: /^9360\d{12,15}$/, kind: '9360 and 12 to 15 digits' };
const NMID: Format = { max: 15, pattern: /^ID\d{13}$/, kind: 'ID and 13 digits' };
const CRITERIA: Format = { max: 3, pattern: /^[A-Z]{3}$/, kind: 'three capital letters' };

/**
 * Writes a QRIS code: tags in order, the checksum last (so 64 comes before 63). What it writes, decodeQris reads as the same.
 * Refusals: validation of `qr_data`, naming the tag: what decodeQris would refuse, and what may be read but not written (accounts
 * not of the national form, names beyond ASCII).
 */
export function encodeQris(qris: Qris): string | Refusal {
  try {
    qris.accounts.forEach(checkAccount);
    checkFormat('59', qris.merchantName, ans(25));
    checkFormat('60', qris.merchantCity, ans(15));
    const payload = writePayload(toObjects(qris));
    const read = decodeQris(payload);
    return isRefusal(read) ? read : payload;
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal;
    throw error;
  }
}

function checkAccount({ tag, globallyUniqueId, pan, merchantId, criteria }: QrisAccount): void {
  if (pan !== undefined) checkFormat(`${tag}.01`, pan, PAN);
  if (isNational(globallyUniqueId)) checkFormat(`${tag}.02`, merchantId ?? '', NMID);
  else if (merchantId !== undefined) checkFormat(`${tag}.02`, merchantId, ans(15));
  if (criteria !== undefined) checkFormat(`${tag}.03`, criteria, CRITERIA);
}

function toObjects(qris: Qris): DataObject[] {
  const { amountSen, postalCode, additionalData, alternateLanguage } = qris;
  return [
    { tag: '00', value: '01' },
    { tag: '01', value: qris.type === 'mpm-static' ? '11' : '12' },
    ...qris.accounts.map((account) => template(account.tag, joinFields(account, ACCOUNT_TAGS))),
    { tag: '52', value: qris.merchantCategoryCode },
    { tag: '53', value: '360' },
    ...(amountSen === undefined ? [] : [{ tag: '54', value: writeAmount(amountSen) }]),
    ...tipObjects(qris.tip),
    { tag: '58', value: 'ID' },
    { tag: '59', value: qris.merchantName },
    { tag: '60', value: qris.merchantCity },
    ...(postalCode === undefined ? [] : [{ tag: '61', value: postalCode }]),
    ...(additionalData === undefined ? [] : [template('62', joinFields(additionalData, ADDITIONAL_DATA_TAGS))]),
    ...(alternateLanguage === undefined ? [] : [template('64', joinFields(alternateLanguage, LANGUAGE_TAGS))]),
    ...qris.others,
  ];
}

function template(tag: string, objects: readonly DataObject[]): DataObject {
  return { tag, value: writeObjects(objects, `${tag}.`) };
}

function tipObjects(tip: QrisTip | undefined): DataObject[] {
  switch (tip?.indicator) {
    case undefined:
      return [];
    case 'input':
      return [{ tag: '55', value: '01' }];
    case 'fixed':
      return [
        { tag: '55', value: '02' },
        { tag: '56', value: writeAmount(tip.amountSen) },
      ];
    case 'percentage':
      return [
        { tag: '55', value: '03' },
        { tag: '57', value: writePercentage(tip.basisPoints) },
      ];
    default:
      return tip satisfies never;
  }
}
