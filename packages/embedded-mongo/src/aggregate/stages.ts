import { encodeDocument } from '../bson/encode.ts';
import { type Doc, isDoc, isNullish } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import { compileFilter } from '../query/match.ts';
import { valueAt } from '../query/path.ts';
import { setNested } from '../query/project-apply.ts';
import { compileSort, sorted } from '../query/sort.ts';
import { encodeValue } from '../storage/index-key.ts';
import { compileAccumulator } from './accumulators.ts';
import { compileExpression } from './expression.ts';
import { graphLookup, lookup } from './lookup.ts';
import type { PipelineContext, Stage } from './pipeline-context.ts';
import type { Variables } from './scope.ts';
import { bucketOf, checkSortByCount, countFieldOf, countOf, facetsOf, sampleSizeOf, unionOf, unwindOf } from './stage-options.ts';
import { compileTransform } from './transforms.ts';
import { checkVariables } from './variables.ts';

const stagesMax = 1000;

/** Compiles a pipeline into one function over a stream of documents. Refuses unknown stages. */
export function compilePipeline(pipeline: readonly unknown[], context: PipelineContext): Stage {
  if (pipeline.length > stagesMax) throw failure('FailedToParse', `Pipeline length must be no longer than ${stagesMax} stages`);
  const stages = pipeline.map((stage) => {
    if (!isDoc(stage)) throw failure('TypeMismatch', "Each element of the 'pipeline' array must be an object");
    const names = Object.keys(stage);
    const [name = ''] = names;
    if (names.length !== 1) throw location(40323, 'A pipeline stage specification object must contain exactly one field.');
    return compileStage(name, stage[name], context);
  });
  return (input) => stages.reduce<Iterable<Doc>>((stream, stage) => stage(stream), input);
}

function compileStage(name: string, operand: unknown, context: PipelineContext): Stage {
  const { variables } = context;
  switch (name) {
    case '$match': {
      if (!isDoc(operand)) throw location(15959, 'the match filter must be an expression in an object');
      const matches = compileFilter(operand, variables);
      return (input) => filtered(input, matches);
    }
    case '$set':
    case '$addFields':
    case '$unset':
    case '$project':
    case '$replaceRoot':
    case '$replaceWith': {
      const transform = compileTransform(name, operand, variables);
      return (input) => mapped(input, transform);
    }
    case '$sort': {
      if (!isDoc(operand)) throw location(15973, 'the $sort key specification must be an object');
      if (Object.keys(operand).length === 0) throw location(15976, '$sort stage must have at least one sort key');
      const order = compileSort(operand);
      return (input) => sorted(input, order, (doc) => encodeDocument(doc).length);
    }
    case '$limit': {
      const count = countOf(operand, '$limit');
      return (input) => limited(input, count);
    }
    case '$skip': {
      const count = countOf(operand, '$skip');
      return (input) => skipped(input, count);
    }
    case '$count': {
      const field = countFieldOf(operand);
      return (input) => counted(input, field);
    }
    case '$group':
      return group(operand, variables);
    case '$sortByCount': {
      checkSortByCount(operand);
      const grouping = group({ _id: operand, count: { $sum: 1 } }, variables);
      const order = compileSort({ count: -1 });
      return (input) => [...grouping(input)].sort(order);
    }
    case '$unwind':
      return unwind(operand);
    case '$sample': {
      const size = sampleSizeOf(operand);
      return (input) => sample([...input], size);
    }
    case '$facet':
      return facet(operand, context);
    case '$lookup':
      return lookup(operand, context, compilePipeline);
    case '$graphLookup':
      return graphLookup(operand, context);
    case '$unionWith':
      return unionWith(operand, context);
    case '$bucket':
      return bucket(operand, variables);
    case '$out':
    case '$merge':
      throw location(40601, `${name} can only be the final stage in the pipeline`);
    case '$documents':
    case '$listLocalSessions':
      throw location(40602, `${name} is only valid as the first stage in a pipeline`);
    default:
      throw location(40324, `Unrecognized pipeline stage name: '${name}'`);
  }
}

function* filtered(input: Iterable<Doc>, matches: (doc: Doc) => boolean): Generator<Doc> {
  for (const doc of input) if (matches(doc)) yield doc;
}

function* mapped(input: Iterable<Doc>, transform: (doc: Doc) => Doc): Generator<Doc> {
  for (const doc of input) yield transform(doc);
}

function* limited(input: Iterable<Doc>, count: number): Generator<Doc> {
  let left = count;
  for (const doc of input) {
    yield doc;
    if (--left <= 0) return;
  }
}

function* skipped(input: Iterable<Doc>, count: number): Generator<Doc> {
  let left = count;
  for (const doc of input) if (left-- <= 0) yield doc;
}

function* counted(input: Iterable<Doc>, field: string): Generator<Doc> {
  let count = 0;
  for (const _ of input) count++;
  if (count > 0) yield { [field]: count };
}

function group(operand: unknown, variables: Variables): Stage {
  if (!isDoc(operand)) throw location(15947, "a group's fields must be specified in an object");
  if (!('_id' in operand)) throw location(15955, 'a group specification must include an _id');
  checkVariables(operand._id, variables);
  const id = compileExpression(operand._id);
  const fields = Object.entries(operand)
    .filter(([name]) => name !== '_id')
    .map(([name, spec]) => [name, compileAccumulator(name, spec, variables)] as const);
  return (input) => {
    const groups = new Map<string, { id: unknown; accumulators: ReturnType<ReturnType<typeof compileAccumulator>>[] }>();
    for (const doc of input) {
      const scope = { root: doc, current: doc, variables };
      const value = id(scope) ?? null;
      const key = encodeValue(value).toString('latin1');
      let one = groups.get(key);
      if (!one) {
        one = { id: value, accumulators: fields.map(([, start]) => start()) };
        groups.set(key, one);
      }
      for (const accumulator of one.accumulators) accumulator.add(scope);
    }
    return [...groups.values()].map((one) => {
      const doc: Doc = { _id: one.id };
      for (const [at, [name]] of fields.entries()) doc[name] = one.accumulators[at]?.result();
      return doc;
    });
  };
}

function unwind(operand: unknown): Stage {
  const { parts, index, preserve } = unwindOf(operand);
  const numbered = (doc: Doc, position: bigint | null) => {
    if (index) setNested(doc, index, position);
    return doc;
  };
  return function* unwound(input) {
    for (const doc of input) {
      const value = valueAt(doc, parts);
      if (Array.isArray(value) && value.length > 0) {
        for (const [position, item] of value.entries()) {
          const copy = { ...doc };
          setNested(copy, parts, item);
          yield numbered(copy, BigInt(position));
        }
      } else if (!isNullish(value) && !Array.isArray(value)) yield numbered({ ...doc }, null);
      else if (preserve) {
        const copy = { ...doc };
        if (Array.isArray(value)) setNested(copy, parts, undefined);
        yield numbered(copy, null);
      }
    }
  };
}

function* sample(docs: Doc[], size: number): Generator<Doc> {
  for (let taken = 0; taken < size && docs.length > 0; taken++) {
    const [doc] = docs.splice(Math.floor(Math.random() * docs.length), 1);
    if (doc) yield doc;
  }
}

function facet(operand: unknown, context: PipelineContext): Stage {
  const facets = facetsOf(operand).map(([name, pipeline]) => [name, compilePipeline(pipeline, context)] as const);
  return (input) => {
    const docs = [...input];
    return [Object.fromEntries(facets.map(([name, run]) => [name, [...run(docs)]]))];
  };
}

function unionWith(operand: unknown, context: PipelineContext): Stage {
  const { collection, pipeline } = unionOf(operand);
  const run = compilePipeline(pipeline, context);
  return function* union(input) {
    yield* input;
    yield* run(context.read(collection, {}));
  };
}

function bucket(operand: unknown, variables: Variables): Stage {
  const { groupBy, boundaries, otherwise, output } = bucketOf(operand);
  const branches = boundaries.slice(0, -1).map((from, at) => ({
    case: { $and: [{ $gte: [groupBy, { $literal: from }] }, { $lt: [groupBy, { $literal: boundaries[at + 1] }] }] },
    // biome-ignore lint/suspicious/noThenProperty: a branch of $switch is written with `then`
    then: { $literal: from },
  }));
  const id = { $switch: otherwise === undefined ? { branches } : { branches, default: { $literal: otherwise } } };
  const grouping = group({ _id: id, ...(output ?? { count: { $sum: 1 } }) }, variables);
  const order = compileSort({ _id: 1 });
  return (input) => [...grouping(input)].sort(order);
}
