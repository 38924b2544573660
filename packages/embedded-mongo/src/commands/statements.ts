import { type Doc, isDoc, typeNameOf } from '../bson/types.ts';
import { CommandError, failure } from '../errors.ts';
import { arrayField, type CommandContext } from './context.ts';
import { checkFields, type Fields, requireFields } from './fields.ts';

/** The most statements of one bulk write. */
export const statementsMax = 100_000;

/** Fields that every bulk write may carry. */
export const writeFields: Fields = { ordered: 'bool', bypassDocumentValidation: 'flag', stmtId: 'number', stmtIds: 'array' };

export const isOrdered = (body: Doc) => body.ordered !== false;

export type StatementReply = { index: number; reply: Doc };

/** The statements of an update or delete; a field that is not known refuses the whole command before any of them runs. */
export function statementsOf(body: Doc, command: string, field: string, known: Fields, required: readonly string[]): Doc[] {
  requireFields(body, command, [field]);
  return arrayField(body, field).map((statement, index) => {
    if (!isDoc(statement)) {
      const type = typeNameOf(statement);
      throw failure(
        'TypeMismatch',
        `BSON field '${command}.${field}.${index}' is the wrong type '${type}', expected type 'object'`,
      );
    }
    checkFields(statement, `${command}.${field}`, known);
    requireFields(statement, `${command}.${field}`, required);
    return statement;
  });
}

/**
 * Runs the statements of a bulk write: an ordered one stops at the first error, an unordered one goes on. Statements
 * of a retried write that were executed before answer what they answered then.
 */
export function runStatements<Statement>(
  body: Doc,
  context: CommandContext,
  statements: readonly Statement[],
  ordered: boolean,
  run: (statement: Statement) => Doc,
): { replies: StatementReply[]; writeErrors: Doc[] } {
  if (statements.length === 0 || statements.length > statementsMax) {
    throw failure(
      'InvalidLength',
      `Write batch sizes must be between 1 and ${statementsMax}. Got ${statements.length} operations.`,
    );
  }
  const replies: StatementReply[] = [];
  const writeErrors: Doc[] = [];
  for (const [index, statement] of statements.entries()) {
    const number = statementNumber(body, index);
    const earlier = context.retryable?.earlier(number);
    if (earlier) {
      replies.push({ index, reply: earlier });
      continue;
    }
    try {
      const reply = run(statement);
      context.retryable?.executed(number, reply);
      replies.push({ index, reply });
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      writeErrors.push({ index, code: error.code, ...error.extra, errmsg: error.message });
      if (ordered) break;
    }
  }
  return { replies, writeErrors };
}

function statementNumber(body: Doc, index: number): number {
  const { stmtIds, stmtId } = body;
  if (Array.isArray(stmtIds)) return Number(stmtIds[index] ?? index);
  return Number(stmtId ?? 0) + index;
}
