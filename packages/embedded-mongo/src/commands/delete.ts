import { failure } from '../errors.ts';
import { prepareQuery } from '../query/find.ts';
import { type Command, collectionName, docField, refuseCollation, variablesOf } from './context.ts';
import { checkFields, type Fields } from './fields.ts';
import { isOrdered, runStatements, statementsOf, writeFields } from './statements.ts';

const commandFields: Fields = { ...writeFields, deletes: 'array', let: 'object' };
const statementFields: Fields = { q: 'object', limit: 'any', collation: 'object', hint: 'hint' };

/** `delete`: each statement removes one document or all that match. */
export const deleteDocuments: Command = (body, context) => {
  checkFields(body, 'delete', commandFields);
  const collection = context.store.collection(context.db, collectionName(body, 'delete'));
  const variables = variablesOf(body, context);
  const statements = statementsOf(body, 'delete', 'deletes', statementFields, ['q', 'limit']);
  const { replies, writeErrors } = runStatements(body, context, statements, isOrdered(body), (statement) => {
    refuseCollation(statement);
    const limit = Number(statement.limit);
    if (limit !== 0 && limit !== 1)
      throw failure('FailedToParse', `The limit field in delete objects must be 0 or 1. Got ${statement.limit}`);
    if (limit === 0 && context.retryable)
      throw failure('InvalidOptions', 'Cannot use (or request) retryable writes with limit=0');
    const hint = statement.hint;
    const query = { filter: docField(statement, 'q'), variables, limit, ...(hint !== undefined && { hint }) };
    const targets = [...prepareQuery(collection, query).run()].map(({ rid }) => rid);
    let n = 0;
    for (const rid of targets) {
      const stored = collection?.byRid(rid);
      if (!stored || !collection) continue;
      context.store.commits.write();
      collection.remove(stored);
      n++;
    }
    return { n };
  });
  return {
    n: replies.reduce((sum, { reply }) => sum + Number(reply.n), 0),
    ...(writeErrors.length > 0 && { writeErrors }),
    ok: 1,
  };
};
