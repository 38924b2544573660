import { eventually } from '@gerbang/testkit';
import type { CardTransaction } from '../support/api.d.ts';
import { isRecord } from '../support/merchant-client.ts';
import { allPayments, type Finals } from './cards-check.ts';
import type { World } from './world.ts';

const ANNOUNCED_WITHIN_MS = 90_000;

/** What each end of a payment is announced as, in any order of the tries. */
const STATUSES: Readonly<Record<CardTransaction['status'], readonly string[]>> = {
  pending: [],
  processing: [],
  success: ['success'],
  failed: ['failed'],
  cancelled: ['cancelled', 'success'],
  refunded: ['refunded', 'success'],
};

/** By what is announced (a payment, a plan or a cycle, and its word): the ids of the events that have said so. */
type Announced = Map<string, Set<unknown>>;

/**
 * Waits until every end of a payment, a cycle and a plan is announced; gives what is wrong with the webhooks in words: the same told
 * by two events, something that was not, or something else.
 */
export async function compareCardWebhooks(world: World, finals: Finals): Promise<string[]> {
  const expected = expectedOf(finals);
  const missing = () => {
    const announced = saidBy(world);
    return [...expected].filter(([what, times]) => (announced.get(what)?.size ?? 0) < times).map(([what]) => what);
  };
  await eventually('every end is announced', () => missing().length === 0, ANNOUNCED_WITHIN_MS).catch((error: unknown) => {
    throw new Error(`not announced: ${missing().slice(0, 5).join(', ')}`, { cause: error });
  });
  const payments = new Set(allPayments(finals).map(({ id }) => id));
  const differences: string[] = [];
  for (const [what, events] of saidBy(world)) {
    const [id = '', word] = what.split(' ');
    // An attempt of a plan's cycle that was tried again is no cycle's newest payment: it has failed.
    const times = expected.get(what) ?? (word === 'failed' && !payments.has(id) ? 1 : 0);
    if (events.size !== times) differences.push(`${what}: announced by ${events.size} events, not ${times}`);
  }
  return differences;
}

/** How many events tell of each thing. */
function expectedOf(finals: Finals): Map<string, number> {
  const expected = new Map<string, number>();
  for (const { id, status } of allPayments(finals)) for (const word of STATUSES[status]) expected.set(`${id} ${word}`, 1);
  for (const { plan, cycles } of finals.plans.values()) {
    expected.set(`${plan.plan_id} subscription.${plan.status}`, 1);
    for (const { cycle, status, attempts } of cycles) {
      const of = `${plan.plan_id}:${cycle} subscription.charge`;
      const isPaid = status === 'success';
      if (isPaid) expected.set(`${of}.succeeded`, 1);
      if (attempts > Number(isPaid)) expected.set(`${of}.failed`, attempts - Number(isPaid));
    }
  }
  return expected;
}

function saidBy({ sink }: World): Announced {
  const announced: Announced = new Map();
  for (const { headers, body } of sink.hooks) {
    const data = isRecord(body.data) ? body.data : {};
    const event = String(body.event);
    // How often a plan was activated or past due follows from its cycles.
    if (event === 'subscription.activated' || event === 'subscription.past_due') continue;
    const what =
      event === 'card-transaction'
        ? `${data.id} ${data.status}`
        : `${data.plan_id}${data.cycle === undefined ? '' : `:${data.cycle}`} ${event}`;
    const known = announced.get(what) ?? new Set();
    announced.set(what, known.add(headers['x-event-id']));
  }
  return announced;
}
