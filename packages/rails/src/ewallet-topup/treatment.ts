import type { Treatment } from '../treatment.ts';

type Cases = Readonly<Record<Treatment, readonly string[]>>;

const codes = (http: number, cases: string) => cases.split(' ').map((caseCode) => `${http}${caseCode}`);

/** Account inquiry (37). A failure is about the customer; any other error says nothing of the wallet. */
const WALLET_INQUIRY: Cases = {
  success: codes(200, '00'),
  failure: [...codes(403, '02 05 07 09 18 23'), ...codes(404, '11')],
  inquire: [
    ...codes(202, '00'),
    ...codes(401, '00 01 02 03 04'),
    ...codes(403, '03 04 06 10 11 12 13 16 17 21 22'),
    ...codes(404, '00 01 02 04 06 07 09 12 13 14 15 18 19'),
    ...codes(409, '00 01'),
    ...codes(429, '00'),
    ...codes(500, '00 01 02'),
    ...codes(504, '00'),
  ],
  // The request is wrong, or what the wallet has agreed with us.
  operator: [
    ...codes(400, '00 01 02'),
    ...codes(403, '00 01 08 14 15 19 20'),
    ...codes(404, '03 05 08 10 16 17'),
    ...codes(405, '00 01'),
  ],
};

/**
 * Top-up (38), the first send; a later send has no failures, see `treatTopup`. 404 18 says that an earlier request of the same
 * reference had other content: only the status tells what became of that one. 404 14 and 409 may speak of an earlier one too.
 */
const TOP_UP: Cases = {
  success: codes(200, '00'),
  failure: [
    ...codes(400, '00 01 02'),
    ...codes(403, '00 01 02 03 04 05 06 07 08 09 10 11 14 15 17 18 19 20 21 22 23'),
    ...codes(404, '03 04 05 07 08 09 10 11 12 13 16 17 19'),
    ...codes(405, '00 01'),
  ],
  inquire: [
    ...codes(202, '00'),
    ...codes(401, '00 01 02 03 04'),
    ...codes(403, '16'),
    ...codes(404, '00 01 02 14 18'),
    ...codes(409, '00 01'),
    ...codes(429, '00'),
    ...codes(500, '00 01 02'),
    ...codes(504, '00'),
  ],
  // The wallet waits for a one-time password, which there is not in a top-up.
  operator: [...codes(403, '12 13'), ...codes(404, '06 15')],
};

/** Top-up status (39). No answer but 200 says how the top-up ended; 404 01 says that the wallet does not know it (yet). */
const TOP_UP_STATUS: Cases = {
  success: codes(200, '00'),
  failure: [],
  inquire: [
    ...codes(202, '00'),
    ...codes(401, '00 01 02 03 04'),
    ...codes(403, '03 04 06 16'),
    ...codes(404, '01 02'),
    ...codes(409, '00 01'),
    ...codes(429, '00'),
    ...codes(500, '00 01 02'),
    ...codes(504, '00'),
  ],
  // The question itself is wrong, or speaks of something else.
  operator: [
    ...codes(400, '00 01 02'),
    ...codes(403, '00 01 02 05 07 08 09 10 11 12 13 14 15 17 18 19 20 21 22 23'),
    ...codes(404, '00 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19'),
    ...codes(405, '00 01'),
  ],
};

/** `latestTransactionStatus` of service 39. 04 is money that came back: released, but not as a failure. */
const LATEST_STATUS: Cases = {
  success: ['00'],
  failure: ['04', '05', '06'],
  inquire: ['01', '02', '03', '07'],
  operator: [],
};

export const treatWalletInquiry = (code: string): Treatment => find(WALLET_INQUIRY, code) ?? 'inquire';

/**
 * After an unanswered send of the same reference every 4xx is about this send only: the earlier one may have been paid, and only
 * the status decides.
 */
export function treatTopup(code: string, { firstSend }: { firstSend: boolean }): Treatment {
  const treatment = find(TOP_UP, code) ?? 'inquire';
  return treatment === 'failure' && !firstSend ? 'inquire' : treatment;
}

export const treatTopupStatus = (code: string): Treatment => find(TOP_UP_STATUS, code) ?? 'inquire';

/** A status that SNAP does not have cannot be understood by asking again. */
export const treatLatestStatus = (status: string): Treatment => find(LATEST_STATUS, status) ?? 'operator';

/** How an unlisted case, which no version of SNAP has, is treated is said above for each service. */
function find(cases: Cases, code: string): Treatment | undefined {
  const treatments = ['success', 'failure', 'inquire', 'operator'] as const;
  return treatments.find((treatment) => cases[treatment].includes(code));
}
