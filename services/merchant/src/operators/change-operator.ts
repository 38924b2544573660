import { isRefusal, RefusalError, refuse } from '@gerbang/core';
import type { OperatorCall } from '@gerbang/service/operators';
import { retryConflicts } from '@gerbang/store';
import type { Context } from '../context.ts';
import { changed, describeOperator, type Operator, type OperatorChange } from './operator.ts';

/** Changes an operator. Refusals: not_found, bad_request (disabled, or too few admins would be left), unavailable. */
export function changeOperator(context: Context, id: string, change: OperatorChange, call: OperatorCall): Promise<Operator> {
  const { operators } = context;
  return retryConflicts({
    read: () => operators.find(id),
    async write(stored) {
      if (stored === undefined) throw new RefusalError(refuse('not_found', { message: `there is no operator ${id}` }));
      const admins = (await operators.list()).filter(({ role, active }) => active && role === 'admin');
      const after = changed(stored, change, admins.length);
      call.record({
        target: `operator:${id}`,
        before: describeOperator(stored),
        after: isRefusal(after) ? null : describeOperator(after),
      });
      if (isRefusal(after)) throw new RefusalError(after);
      return (await operators.replace(stored, after)) ? after : undefined;
    },
  });
}
