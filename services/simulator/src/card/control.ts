import { z } from 'zod';
import { ControlError, read, readJson } from '../control/json.ts';
import type { Handler } from '../handler.ts';
import { type Authorisation, statusOf } from './authorisations.ts';
import { notifyGateway } from './notify.ts';
import { cardAcquirerOf } from './open.ts';
import { seedSchema } from './three-ds/seed.ts';

/** PUT /sandbox/card/3ds: what the ACS does with every card from now on (`seedSchema`). */
export const setSeed: Handler = async (context, request) => {
  const { seed } = await cardAcquirerOf(context);
  seed.current = read(seedSchema, readJson(request));
  return seed.current;
};

/** DELETE /sandbox/card/3ds: each card is authenticated as the contract says. */
export const clearSeed: Handler = async (context) => {
  const { seed } = await cardAcquirerOf(context);
  seed.current = {};
  return seed.current;
};

const params = z.object({ reference: z.string().min(1).max(40) });
const changing = z.strictObject({
  status: z.enum(['authorised', 'declined', 'voided', 'refunded']),
  notify: z.boolean().default(true),
});

/**
 * POST /sandbox/card/{id}/change `{status, notify?}`: the acquirer changes its mind about a payment, as acquirers do, and notifies the
 * gateway. Answers `{status}`.
 */
export const changeAuthorisation: Handler = async (context, request) => {
  const { reference } = read(params, request.params);
  const { status, notify } = read(changing, readJson(request));
  const { authorisations } = await cardAcquirerOf(context);
  const atMs = context.clock.now();
  const changed = await authorisations.change(reference, (current) => changedTo(current, status, atMs));
  if (changed === undefined) throw new ControlError(404, 'The acquirer does not know this payment');
  if (notify) await notifyGateway(context, changed);
  return { status: statusOf(changed, atMs) };
};

function changedTo(current: Authorisation, status: z.output<typeof changing>['status'], atMs: number): Authorisation {
  const { authentication } = current;
  const passed = authentication && { ...authentication, status: 'passed' as const };
  const open = { ...current, authentication: passed, answersAtMs: 0, decline: undefined, voidedAtMs: undefined };
  switch (status) {
    case 'authorised':
      return { ...open, capturedAtMs: undefined, refund: undefined };
    case 'declined':
      return { ...open, capturedAtMs: undefined, refund: undefined, decline: { code: '05', reason: 'Do not honor' } };
    case 'voided':
      return { ...open, capturedAtMs: undefined, refund: undefined, voidedAtMs: atMs };
    case 'refunded':
      return { ...open, capturedAtMs: current.capturedAtMs ?? atMs, refund: { reference: 'acquirer', atMs } };
    default:
      return status satisfies never;
  }
}
