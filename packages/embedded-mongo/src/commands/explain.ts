import { type Doc, isDoc } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { type PlannedQuery, prepareQuery } from '../query/find.ts';
import type { Plan } from '../query/plan.ts';
import { prepareAggregate } from './aggregate.ts';
import { arrayField, type Command, type CommandContext, collectionName, docField, variablesOf } from './context.ts';
import { checkFields } from './fields.ts';
import { prepareFind } from './find.ts';

const explainable = new Set(['find', 'count', 'distinct', 'findAndModify', 'findandmodify', 'update', 'delete']);
const verbosities = ['queryPlanner', 'executionStats', 'allPlansExecution'];

/**
 * `explain`: tells how documents are found and, unless only the plan is asked for, how many were looked at. Nothing is written.
 */
export const explain: Command = (body, context) => {
  checkFields(body, 'explain', { verbosity: 'string' });
  const { verbosity } = body;
  if (typeof verbosity === 'string' && !verbosities.includes(verbosity))
    throw failure('BadValue', `Enumeration value '${verbosity}' for field 'explain.verbosity' is not a valid value.`);
  const explained = docField(body, 'explain');
  const { query, namespace, returned } = prepared(explained, context);
  const answer: Doc = {
    explainVersion: '1',
    queryPlanner: { namespace, indexFilterSet: false, winningPlan: stageOf(query.plan), rejectedPlans: [] },
    command: explained,
    serverInfo: { host: context.info.host, port: context.info.port, version: '7.0.0' },
    ok: 1,
  };
  if (body.verbosity === 'queryPlanner') return answer;
  const startedAt = performance.now();
  const nReturned = returned();
  return {
    ...answer,
    executionStats: {
      executionSuccess: true,
      nReturned,
      executionTimeMillis: Math.round(performance.now() - startedAt),
      totalKeysExamined: query.examined.keys,
      totalDocsExamined: query.examined.docs,
      executionStages: {
        ...stageOf(query.plan),
        nReturned,
        docsExamined: query.examined.docs,
        keysExamined: query.examined.keys,
      },
    },
  };
};

function prepared(explained: Doc, context: CommandContext): { query: PlannedQuery; namespace: string; returned: () => number } {
  const [command = ''] = Object.keys(explained);
  if (command === 'aggregate') {
    const { query, docs } = prepareAggregate({ ...explained, cursor: {} }, context);
    return { query, namespace: `${context.db}.${String(explained.aggregate)}`, returned: () => counted(docs()) };
  }
  if (!explainable.has(command)) throw failure('CommandNotFound', `Explain failed due to unknown command: ${command}`);
  const name = collectionName(explained, command);
  const query =
    command === 'find'
      ? prepareFind(explained, context, name).query
      : prepareQuery(context.store.collection(context.db, name), queryOf(command, explained, context));
  const returned = command === 'count' ? query.count : () => counted(query.run());
  return { query, namespace: `${context.db}.${name}`, returned };
}

function queryOf(command: string, explained: Doc, context: CommandContext) {
  const variables = variablesOf(explained, context);
  const hintOf = (doc: Doc) => (doc.hint === undefined ? {} : { hint: doc.hint });
  switch (command) {
    case 'count':
    case 'distinct':
      return { filter: docField(explained, 'query'), variables, ...hintOf(explained) };
    case 'findAndModify':
    case 'findandmodify':
      return {
        filter: docField(explained, 'query'),
        sort: docField(explained, 'sort'),
        limit: 1,
        variables,
        ...hintOf(explained),
      };
    case 'update':
    case 'delete': {
      const [statement] = arrayField(explained, command === 'update' ? 'updates' : 'deletes');
      if (!isDoc(statement)) throw failure('BadValue', 'explained writes need one statement');
      const one = command === 'update' ? statement.multi !== true : Number(statement.limit) === 1;
      return { filter: docField(statement, 'q'), variables, ...(one && { limit: 1 }), ...hintOf(statement) };
    }
    default:
      throw failure('CommandNotFound', `Explain failed due to unknown command: ${command}`);
  }
}

function counted(items: Iterable<unknown>): number {
  let count = 0;
  for (const _ of items) count++;
  return count;
}

function stageOf(plan: Plan): Doc {
  switch (plan.kind) {
    case 'id':
      return { stage: 'IDHACK', indexName: '_id_', inputStage: { stage: 'IXSCAN', indexName: '_id_', keyPattern: { _id: 1 } } };
    case 'collection':
      return { stage: 'COLLSCAN', direction: plan.reverse ? 'backward' : 'forward' };
    case 'index': {
      const { index } = plan;
      const scan = {
        stage: 'IXSCAN',
        keyPattern: index.spec.key,
        indexName: index.spec.name,
        isMultiKey: index.arrays !== undefined,
        isUnique: index.unique,
        isSparse: index.spec.sparse === true,
        isPartial: index.partial !== undefined,
        direction: plan.reverse ? 'backward' : 'forward',
        ranges: plan.ranges.length,
      };
      return { stage: 'FETCH', inputStage: scan };
    }
    default:
      return { stage: 'OR', inputStages: plan.plans.map(stageOf) };
  }
}
