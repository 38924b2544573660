/**
 * What an answer means for the money. `success`: done; of a status inquiry: answered, and the status decides. `failure`: it was
 * not done and will not be. `inquire`: the answer decides nothing; the funds stay held, and the rail is asked. `operator`: the
 * same, and asking alone will hardly help, so operators are told at once.
 */
export type Treatment = 'success' | 'failure' | 'inquire' | 'operator';

/** Treatments by HTTP status and case (`40311`), or by latestTransactionStatus. What is not listed decides nothing. */
export type Cases = Readonly<Record<string, Treatment>>;

/** One treatment for the cases of an HTTP status: `cases(403, '02 20', 'failure')`. */
export function cases(http: number, codes: string, treatment: Treatment): Cases {
  return Object.fromEntries(codes.split(' ').map((code) => [`${http}${code}`, treatment]));
}

/** Of any service, and final for none: what is done, in progress, not authorized, slowed down, or broken at the rail. */
const COMMON: Cases = {
  ...cases(200, '00', 'success'),
  ...cases(202, '00', 'inquire'),
  ...cases(401, '00 01 02 03 04', 'inquire'),
  ...cases(409, '00 01', 'inquire'),
  ...cases(429, '00', 'inquire'),
  ...cases(500, '00 01 02', 'inquire'),
  ...cases(504, '00', 'inquire'),
};

/**
 * A request that moves money, sent for the first time (snap-services.md, response codes). 403 16 (suspended) is not explained, and
 * 404 02 is a way that is closed now. 404 18 says that an earlier request of the same reference had other content: SNAP counts it
 * as success for some services, and only the status tells what became of that one. 404 00 is about cancels and refunds.
 */
export const SEND_CASES: Cases = {
  ...COMMON,
  ...cases(400, '00 01 02', 'failure'),
  ...cases(403, '00 01 02 03 04 05 06 07 08 09 10 11 14 15 17 18 19 20 21 22 23', 'failure'),
  ...cases(403, '16', 'inquire'),
  ...cases(404, '03 04 05 07 08 09 10 11 12 13 14 16 17 19', 'failure'),
  ...cases(404, '00 01 02 18', 'inquire'),
  ...cases(405, '00 01', 'failure'),
  // The rail waits for a one-time password, which there is not in what a merchant orders.
  ...cases(403, '12 13', 'operator'),
  ...cases(404, '06 15', 'operator'),
};

/**
 * A question, whose refusal says nothing of what it asks about. 404 01, that the rail does not know it (yet), is for the caller.
 * For operators: the question itself is wrong, or speaks of something else.
 */
export const QUESTION_CASES: Cases = {
  ...COMMON,
  ...cases(400, '00 01 02', 'operator'),
  ...cases(403, '00 01 02 05 07 08 09 10 11 12 13 14 15 17 18 19 20 21 22 23', 'operator'),
  ...cases(403, '03 04 06 16', 'inquire'),
  ...cases(404, '00 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19', 'operator'),
  ...cases(404, '01 02', 'inquire'),
  ...cases(405, '00 01', 'operator'),
};

/** latestTransactionStatus of what was ordered. 04 is money that came back: released, but not as a failure. */
const LATEST_STATUSES: Cases = {
  ...{ '00': 'success' },
  ...{ '04': 'failure', '05': 'failure', '06': 'failure' },
  ...{ '01': 'inquire', '02': 'inquire', '03': 'inquire', '07': 'inquire' },
};

/** What is treated of an answer; `treatment` is what the provider's profile says of its case. */
type Answered = { httpStatus: number; caseCode: string; treatment?: Treatment | undefined };

/** HTTP status and case: what the services' codes have in common. */
export function codeOf({ httpStatus, caseCode }: Answered): string {
  return `${httpStatus}${caseCode}`;
}

/** How an answer is treated by a service's table; what the provider's profile says of it goes before. */
export function treat(answer: Answered, table: Cases): Treatment {
  return answer.treatment ?? table[codeOf(answer)] ?? 'inquire';
}

/**
 * The same for a request that moves money. After an unanswered send of the same reference every 4xx is about this send only: the
 * earlier one may have been paid, and only the status decides.
 */
export function treatSend(answer: Answered, table: Cases, { firstSend }: { firstSend: boolean }): Treatment {
  const treatment = treat(answer, table);
  return treatment === 'failure' && !firstSend ? 'inquire' : treatment;
}

/** How a latestTransactionStatus is treated. One that SNAP does not have cannot be understood by asking again. */
export const treatLatestStatus = (status: string): Treatment => LATEST_STATUSES[status] ?? 'operator';
