/** What a response code (field 39) says of what was asked for. `unknown`: it may have been done. */
export type Meaning = { means: 'approved' | 'declined' | 'unknown'; reason: string };

const APPROVED = { '00': 'Approved', '08': 'Approved', '11': 'Approved' };

/** An explicit no. The reasons may be shown to merchants. */
const DECLINED = {
  '01': 'Refer to the issuer',
  '02': 'Refer to the issuer',
  '03': 'Invalid merchant',
  '04': 'Pick up the card',
  '05': 'Do not honor',
  '07': 'Pick up the card',
  '12': 'Invalid transaction',
  '13': 'Invalid amount',
  '14': 'Invalid card number',
  '15': 'No such issuer',
  '1A': 'The issuer wants the customer to be authenticated',
  '25': 'Unable to locate the record',
  '30': 'Format error',
  '31': 'The issuer is not supported',
  '33': 'Expired card',
  '34': 'Suspected fraud',
  '36': 'Restricted card',
  '38': 'Too many tries of the PIN',
  '39': 'No credit account',
  '40': 'The function is not supported',
  '41': 'Lost card',
  '43': 'Stolen card',
  '51': 'Insufficient funds',
  '52': 'No checking account',
  '53': 'No savings account',
  '54': 'Expired card',
  '55': 'Incorrect PIN',
  '56': 'No card record',
  '57': 'Transaction not permitted to the cardholder',
  '58': 'Transaction not permitted to the terminal',
  '59': 'Suspected fraud',
  '61': 'Exceeds the amount limit',
  '62': 'Restricted card',
  '63': 'Security violation',
  '64': 'Original amount incorrect',
  '65': 'Exceeds the frequency limit, or the customer has to be authenticated',
  '75': 'Too many tries of the PIN',
  '78': 'The card is not active',
  '82': 'Incorrect security code',
  '93': 'The law does not permit it',
  N7: 'Incorrect security code',
};

/** Some part of the network does not know, or the answer is to another message. */
const UNKNOWN = {
  '06': 'Error',
  '09': 'Request in progress',
  '10': 'Approved for a part of the amount',
  '19': 'Enter the transaction again',
  '20': 'Invalid response',
  '22': 'Suspected malfunction',
  '68': 'The response was received too late',
  '90': 'Cutoff in process',
  '91': 'The issuer or the switch is inoperative',
  '92': 'Unable to route',
  '94': 'Duplicate transmission',
  '95': 'Reconcile error',
  '96': 'System malfunction',
};

const MEANINGS: ReadonlyMap<string, Meaning> = new Map([
  ...entries('approved', APPROVED),
  ...entries('declined', DECLINED),
  ...entries('unknown', UNKNOWN),
]);

/** What a code means. One that the standard does not have says nothing for certain. */
export function meaningOf(code: string | undefined): Meaning {
  return MEANINGS.get(code ?? '') ?? { means: 'unknown', reason: 'a response code that is not known' };
}

function entries(means: Meaning['means'], reasons: Record<string, string>): [string, Meaning][] {
  return Object.entries(reasons).map(([code, reason]) => [code, { means, reason }]);
}
