/** What field 48 holds, by its tag: two digits, a length of two digits, the value. */
const NAMES = {
  /** Of the authorisation, or of the refund. */
  '01': 'reference',
  /** Of a refund: that of the payment. */
  '02': 'originalReference',
  /** Two digits; none for a payment in full. */
  '03': 'installmentMonths',
  /** M: a charge without its customer, of a card that was kept. */
  '04': 'initiatedBy',
  '05': 'networkTransactionId',
  /** How the customer was authenticated. 07: not at all. */
  '06': 'eci',
  '92': 'cvv',
} as const;

type Name = (typeof NAMES)[keyof typeof NAMES];
export type PrivateData = Partial<Record<Name, string>>;

const VALUE_MAX = 99;

/** The text of field 48, in the order of the tags. Values have at most 99 characters; empty ones are left out. */
export function writePrivateData(data: PrivateData): string {
  const tags = Object.entries(NAMES).sort(([one], [other]) => Number(one) - Number(other));
  return tags.map(([tag, name]) => writeTag(tag, data[name] ?? '')).join('');
}

function writeTag(tag: string, value: string): string {
  if (value.length > VALUE_MAX) throw new Error(`the value of tag ${tag} is too long for field 48`);
  return value === '' ? '' : `${tag}${String(value.length).padStart(2, '0')}${value}`;
}

/** What field 48 holds. Tags that are not ours are passed over; undefined where it is not made of tags. */
export function readPrivateData(text: string): PrivateData | undefined {
  const data: PrivateData = {};
  let at = 0;
  while (at < text.length) {
    const [, tag, digits] = /^([0-9A-Z]{2})([0-9]{2})/.exec(text.slice(at, at + 4)) ?? [];
    if (tag === undefined || digits === undefined) return undefined;
    const end = at + 4 + Number(digits);
    if (end > text.length) return undefined;
    if (isTag(tag)) data[NAMES[tag]] = text.slice(at + 4, end);
    at = end;
  }
  return data;
}

function isTag(tag: string): tag is keyof typeof NAMES {
  return Object.hasOwn(NAMES, tag);
}
