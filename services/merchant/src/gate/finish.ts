import { type FinishRequest, Outcome as OutcomeMessage } from '@gerbang/proto/gerbang/operator/v1/operator';
import type { Outcome } from '../audit/entry.ts';
import type { Context } from '../context.ts';

/**
 * Writes to the audit log how a command has ended, once, and ends the approval that it had. `check` throws where the command is of
 * a service that the caller may not speak for.
 */
export async function finish(
  context: Context,
  request: FinishRequest,
  check: (service: string) => void = () => {},
): Promise<Record<string, never>> {
  const { commandId: command, refusal, target, before, after } = request;
  const written = await context.audit.entries.find({ command }).toArray();
  const begun = written.find(({ kind }) => kind === 'begin');
  if (begun === undefined) throw new Error(`there is no command ${command}`);
  check(begun.service);
  if (!written.some(({ kind }) => kind === 'end')) {
    await context.audit.append({ kind: 'end', command, outcome: outcomeOf(request.outcome), refusal, target, before, after });
  }
  if (begun.proposer !== '') await context.approvals.finish(command);
  return {};
}

function outcomeOf(outcome: OutcomeMessage): Outcome {
  switch (outcome) {
    case OutcomeMessage.DONE:
      return 'done';
    case OutcomeMessage.REFUSED:
      return 'refused';
    default:
      return 'failed';
  }
}
