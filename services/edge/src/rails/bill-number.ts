import { z } from 'zod';

/** How SNAP names a bill: the gateway's part, eight characters padded with blanks on the left, and the customer's. */
export const billNumber = {
  partnerServiceId: z
    .string()
    .regex(/^ *[0-9]{1,8}$/)
    .max(8),
  customerNo: z.string().regex(/^[0-9]{1,20}$/),
  virtualAccountNo: z
    .string()
    .regex(/^ *[0-9]{1,28}$/)
    .max(28),
};

type BillNumber = { partnerServiceId: string; customerNo: string; virtualAccountNo: string };

/** For a schema with these fields: adds the number as customers know it. The field is malformed where the parts contradict it. */
export function withNumber<Body extends BillNumber>(body: Body, problem: z.RefinementCtx): Body & { number: string } {
  const number = numberOf(body);
  if (number !== undefined) return { ...body, number };
  problem.addIssue({ code: 'custom', path: ['virtualAccountNo'], message: 'is not its parts' });
  return z.NEVER;
}

/** The number as customers know it; undefined where its parts contradict it. */
function numberOf({ partnerServiceId, customerNo, virtualAccountNo }: BillNumber): string | undefined {
  const number = virtualAccountNo.trim();
  return number === partnerServiceId.trim() + customerNo ? number : undefined;
}

/** The three fields as they came, for the answer. */
export function echoOf({ partnerServiceId, customerNo, virtualAccountNo }: BillNumber): BillNumber {
  return { partnerServiceId, customerNo, virtualAccountNo };
}
