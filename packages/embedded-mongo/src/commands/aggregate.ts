import type { PipelineContext } from '../aggregate/pipeline-context.ts';
import { compilePipeline } from '../aggregate/stages.ts';
import { encodeDocument } from '../bson/encode.ts';
import { type Doc, isDoc, isNumeric } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import { checkFieldName } from '../query/field-path.ts';
import { type PlannedQuery, prepareQuery } from '../query/find.ts';
import { writeStage } from './aggregate-output.ts';
import { arrayField, type Command, type CommandContext, countField, flag, refuseCollation, variablesOf } from './context.ts';
import { firstBatchDefault } from './cursors.ts';
import { checkFields, type Fields, requireFields } from './fields.ts';
import { searchNotEnabled } from './search-indexes.ts';

const known: Fields = {
  ...{ pipeline: 'array', cursor: 'object', allowDiskUse: 'bool', let: 'object', hint: 'hint', collation: 'object' },
  ...{ bypassDocumentValidation: 'flag', explain: 'bool' },
};

/** `aggregate`: what the leading stages say about order and filter is planned as a query, the rest runs over its result. */
export const aggregate: Command = (body, context) => {
  if (isDoc(body.cursor)) checkFields(body.cursor, 'cursor', { batchSize: 'count' });
  else throw failure('FailedToParse', "The 'cursor' option is required, except for aggregate with the explain argument");
  const name = body.aggregate;
  const { docs } = prepareAggregate(body, context);
  const pipeline = arrayField(body, 'pipeline');
  const last = pipeline.at(-1);
  const output = isDoc(last) ? writeStage(last, context, variablesOf(body, context)) : undefined;
  const result: Iterable<Doc> = output ? output(docs()) : docs();
  const collection = typeof name === 'string' ? context.store.collection(context.db, name) : undefined;
  const namespace = `${context.db}.${typeof name === 'string' ? name : '$cmd.aggregate'}`;
  return context.cursors.start(namespace, encoded(result), countField(body.cursor, 'batchSize') ?? firstBatchDefault, {
    single: false,
    nowMs: context.now.getTime(),
    stillValid: () => typeof name !== 'string' || context.store.collection(context.db, name) === collection,
  });
};

function* encoded(docs: Iterable<Doc>): Generator<Uint8Array> {
  for (const doc of docs) yield encodeDocument(doc);
}

/** Checks and plans an aggregation without its last stage if that writes; explain uses it as well. */
export function prepareAggregate(body: Doc, context: CommandContext): { query: PlannedQuery; docs: () => Iterable<Doc> } {
  checkFields(body, 'aggregate', known);
  requireFields(body, 'aggregate', ['pipeline']);
  if (flag(body, 'explain')) throw failure('NotImplemented', 'explain as an option of aggregate is not supported by this server');
  refuseCollation(body);
  const stages = arrayField(body, 'pipeline');
  const last = stages.at(-1);
  const writes = isDoc(last) && ('$out' in last || '$merge' in last);
  if (writes && isDoc(body.readConcern) && body.readConcern.level === 'linearizable')
    throw failure(
      'InvalidOptions',
      "readConcern level 'linearizable' is not allowed for a pipeline that writes with $out or $merge",
    );
  if (stages.some((stage) => isDoc(stage) && '$listSearchIndexes' in stage)) throw searchNotEnabled();
  const reading = writes ? stages.slice(0, -1) : stages;
  const variables = variablesOf(body, context);
  const pipelineContext: PipelineContext = {
    variables,
    read: (collection, filter) => documentsOf(context, collection, filter, variables),
  };
  const name = body.aggregate;
  const first = reading[0];
  if (typeof name !== 'string') {
    const documents =
      isDoc(first) && '$listLocalSessions' in first
        ? [{ _id: body.lsid ?? null, lastUse: context.now }]
        : isDoc(first)
          ? first.$documents
          : undefined;
    if (!Array.isArray(documents))
      throw failure('InvalidNamespace', '{aggregate: 1} is not valid for this pipeline: it must start with $documents');
    const run = compilePipeline(reading.slice(1), pipelineContext);
    return { query: prepareQuery(undefined, { filter: {}, variables }), docs: () => run(documents.filter(isDoc)) };
  }
  const { head, rest } = splitHead(reading);
  const query = prepareQuery(context.store.collection(context.db, name), {
    ...head,
    variables,
    ...(body.hint !== undefined && { hint: body.hint }),
  });
  const run = compilePipeline(rest, pipelineContext);
  const total = totalOf(rest);
  if (total && !head.sort) return { query, docs: () => counted(query, total) };
  return { query, docs: () => run(decoded(query)) };
}

type Total = { id: unknown; field: string };

/** What the driver's countDocuments ends with, a group of everything that counts: it needs no documents. */
function totalOf(stages: readonly unknown[]): Total | undefined {
  const [only] = stages;
  const spec = stages.length === 1 && isDoc(only) ? only.$group : undefined;
  if (!isDoc(spec) || (spec._id !== null && spec._id !== 1)) return undefined;
  const [field, more] = Object.keys(spec).filter((name) => name !== '_id');
  const sum = field === undefined || more !== undefined ? undefined : spec[field];
  return field !== undefined && isDoc(sum) && Object.keys(sum).length === 1 && sum.$sum === 1
    ? { id: spec._id, field }
    : undefined;
}

function* counted(query: PlannedQuery, { id, field }: Total): Generator<Doc> {
  const count = query.count();
  if (count > 0) yield { _id: id, [field]: count };
}

function* decoded(query: PlannedQuery): Generator<Doc> {
  for (const found of query.run()) yield found.doc;
}

function* documentsOf(context: CommandContext, name: string, filter: Doc, variables: Doc): Generator<Doc> {
  const query = prepareQuery(context.store.collection(context.db, name), { filter, variables });
  for (const found of query.run()) yield found.doc;
}

type Head = { filter: Doc; sort?: Doc; skip?: number; limit?: number };

/** Takes the leading `$match`, `$sort`, `$skip` and `$limit`, which in this order are a query. */
function splitHead(stages: readonly unknown[]): { head: Head; rest: readonly unknown[] } {
  const head: Head = { filter: {} };
  const matches: Doc[] = [];
  let at = 0;
  const stageAt = (name: string) => {
    const stage = stages[at];
    return isDoc(stage) && Object.keys(stage).length === 1 ? stage[name] : undefined;
  };
  for (let match = stageAt('$match'); isDoc(match); match = stageAt('$match')) {
    matches.push(match);
    at++;
  }
  const [only] = matches;
  head.filter = matches.length === 1 && only ? only : matches.length > 1 ? { $and: matches } : {};
  const sort = stageAt('$sort');
  if (isDoc(sort)) {
    if (Object.keys(sort).length === 0) throw location(15976, '$sort stage must have at least one sort key');
    if ('$natural' in sort) checkFieldName('$natural');
    head.sort = sort;
    at++;
  }
  const skip = stageAt('$skip');
  if (isNumeric(skip) && Number.isInteger(Number(skip)) && Number(skip) >= 0) {
    head.skip = Number(skip);
    at++;
  }
  const limit = stageAt('$limit');
  if (isNumeric(limit) && Number.isInteger(Number(limit)) && Number(limit) > 0) {
    head.limit = Number(limit);
    at++;
  }
  return { head, rest: stages.slice(at) };
}
