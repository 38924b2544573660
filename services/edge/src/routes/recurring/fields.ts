import { idInPath, inAccount } from '../../http/fields.ts';

/** A plan is answered with its first charge, which the cards service waits 3 s for. */
export { TIMEOUT_MS } from '../cards/fields.ts';

export const planInPath = inAccount({ plan_id: idInPath('A plan.') });
