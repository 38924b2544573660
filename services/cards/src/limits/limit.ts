import { z } from 'zod';

/** What attempts are counted by. `bin`: an issuer's range at one merchant; `card`: over all merchants; `client`: the customer's address; `caller`: the address of the merchant's server. */
export const COUNTED_BY = ['merchant', 'bin', 'card', 'client', 'caller'] as const;
export type CountedBy = (typeof COUNTED_BY)[number];

/**
 * Bounds of one window. `attempts`: payments that are sent to the acquirer. `declines`: those that the issuer has declined; the window
 * closes when there are so many, and they are at least `declined_percent` of its attempts.
 */
const limit = z
  .strictObject({
    by: z.enum(COUNTED_BY),
    seconds: z.int().min(1).max(86_400),
    attempts: z.int().min(1).optional(),
    declines: z.int().min(1).optional(),
    declined_percent: z.int().min(1).max(100).optional(),
  })
  .refine(({ attempts, declines }) => attempts !== undefined || declines !== undefined, 'expected attempts or declines')
  .refine(
    ({ declines, declined_percent }) => declined_percent === undefined || declines !== undefined,
    'a share of declines is of no use without declines',
  );

const limits = z
  .array(limit)
  .max(20)
  .refine((list) => new Set(list.map(nameOf)).size === list.length, 'expected one limit for each key and window');

export type VelocityLimit = z.output<typeof limit>;

/** What a limit and its counters are found by. */
export function nameOf({ by, seconds }: Pick<VelocityLimit, 'by' | 'seconds'>): string {
  return `${by}/${seconds}`;
}

/** Whether a window has seen so many declines that it closes. */
export function isOverrun(
  { declines, declined_percent: percent }: VelocityLimit,
  seen: { attempts: number; declines: number },
): boolean {
  if (declines === undefined || seen.declines < declines) return false;
  return percent === undefined || seen.declines * 100 >= percent * seen.attempts;
}

/** The limits unless configured otherwise; docs/cards.md has the reasons. */
export const DEFAULT_VELOCITY_LIMITS = JSON.stringify([
  { by: 'card', seconds: 3_600, attempts: 30, declines: 5 },
  { by: 'bin', seconds: 600, declines: 50, declined_percent: 80 },
  { by: 'merchant', seconds: 600, declines: 100, declined_percent: 60 },
  { by: 'merchant', seconds: 3_600, declines: 3_000 },
  { by: 'client', seconds: 600, attempts: 60, declines: 10 },
  { by: 'caller', seconds: 600, declines: 300, declined_percent: 60 },
  { by: 'caller', seconds: 3_600, declines: 9_000 },
] satisfies VelocityLimit[]);

/** Reads limits from their JSON; undefined where they are none. */
export function parseVelocityLimits(text: string): VelocityLimit[] | undefined {
  try {
    return limits.parse(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    throw error;
  }
}
