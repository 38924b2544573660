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
      const after = changed(stored, change, await countAdmins(context));
      call.record({
        target: `operator:${id}`,
        before: describeOperator(stored),
        after: isRefusal(after) ? null : describeOperator(after),
      });
      if (isRefusal(after)) throw new RefusalError(after);
      if (!(await operators.replace(stored, after))) return undefined;
      // Another admin may have left since the count. The last to count sees both, and takes the own change back.
      const left = stored.role === 'admin' && stored.active ? changed(stored, change, (await countAdmins(context)) + 1) : after;
      if (!isRefusal(left)) return after;
      await operators.replace({ ...stored, version: stored.version + 1n }, stored);
      throw new RefusalError(left);
    },
  });
}

async function countAdmins({ operators }: Context): Promise<number> {
  return (await operators.list()).filter(({ role, active }) => active && role === 'admin').length;
}
