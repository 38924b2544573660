import { encodeDocument } from '../bson/encode.ts';
import { type Doc, isDoc, isNullish, isNumeric } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import { compileFilter } from '../query/match.ts';
import { valueAt } from '../query/path.ts';
import { setNested } from '../query/project.ts';
import { compileSort, sorted } from '../query/sort.ts';
import { encodeValue } from '../storage/index-key.ts';
import { compileAccumulator } from './accumulators.ts';
import { compileExpression } from './expression.ts';
import { graphLookup, lookup } from './lookup.ts';
import type { PipelineContext, Stage } from './pipeline-context.ts';
import type { Variables } from './scope.ts';
import { compileTransform } from './transforms.ts';

/** Compiles a pipeline into one function over a stream of documents. Refuses unknown stages. */
export function compilePipeline(pipeline: readonly unknown[], context: PipelineContext): Stage {
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
      if (!isDoc(operand) || Object.keys(operand).length === 0)
        throw location(15976, '$sort stage must have at least one sort key');
      const order = compileSort(operand);
      return (input) => sorted(input, order, (doc) => encodeDocument(doc).length);
    }
    case '$limit': {
      const count = countOf(operand, 1, '$limit');
      return (input) => limited(input, count);
    }
    case '$skip': {
      const count = countOf(operand, 0, '$skip');
      return (input) => skipped(input, count);
    }
    case '$count': {
      if (typeof operand !== 'string' || operand === '') throw location(40156, 'the count field must be a non-empty string');
      return (input) => counted(input, operand);
    }
    case '$group':
      return group(operand, variables);
    case '$sortByCount': {
      const grouping = group({ _id: operand, count: { $sum: 1 } }, variables);
      const order = compileSort({ count: -1 });
      return (input) => [...grouping(input)].sort(order);
    }
    case '$unwind':
      return unwind(operand);
    case '$sample': {
      const size = countOf(isDoc(operand) ? operand.size : undefined, 1, '$sample');
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

function countOf(operand: unknown, min: number, name: string): number {
  const count = isNumeric(operand) ? Number(operand) : Number.NaN;
  if (Number.isInteger(count) && count >= min) return count;
  throw location(
    name === '$limit' ? 15958 : 5107200,
    `invalid argument to ${name} stage: Expected a ${min > 0 ? 'positive' : 'non-negative'} number in: ${name}: ${String(operand)}`,
  );
}

function group(operand: unknown, variables: Variables): Stage {
  if (!isDoc(operand)) throw location(15947, "a group's fields must be specified in an object");
  if (!('_id' in operand)) throw location(15955, 'a group specification must include an _id');
  const id = compileExpression(operand._id);
  const fields = Object.entries(operand)
    .filter(([name]) => name !== '_id')
    .map(([name, spec]) => [name, compileAccumulator(name, spec)] as const);
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
  const options: Doc = isDoc(operand) ? operand : { path: operand };
  const { path, includeArrayIndex, preserveNullAndEmptyArrays } = options;
  if (typeof path !== 'string') throw location(28808, 'expected a string as the path for $unwind stage');
  if (!path.startsWith('$')) throw location(28818, `path option to $unwind stage should be prefixed with a '$': ${path}`);
  const parts = path.slice(1).split('.');
  const numbered = (doc: Doc, position: bigint | null) => {
    if (typeof includeArrayIndex === 'string') setNested(doc, includeArrayIndex.split('.'), position);
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
      else if (preserveNullAndEmptyArrays === true) {
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
  if (!isDoc(operand)) throw location(40169, 'the $facet specification must be a non-empty object');
  const facets = Object.entries(operand).map(([name, pipeline]) => {
    if (!Array.isArray(pipeline)) throw location(40170, `arguments to $facet must be arrays, ${name} is not`);
    return [name, compilePipeline(pipeline, context)] as const;
  });
  return (input) => {
    const docs = [...input];
    return [Object.fromEntries(facets.map(([name, run]) => [name, [...run(docs)]]))];
  };
}

function unionWith(operand: unknown, context: PipelineContext): Stage {
  const spec: Doc = isDoc(operand) ? operand : { coll: operand };
  const collection = spec.coll;
  if (typeof collection !== 'string') throw failure('FailedToParse', '$unionWith needs a collection');
  const run = compilePipeline(Array.isArray(spec.pipeline) ? spec.pipeline : [], context);
  return function* union(input) {
    yield* input;
    yield* run(context.read(collection, {}));
  };
}

function bucket(operand: unknown, variables: Variables): Stage {
  const spec = isDoc(operand) ? operand : {};
  const { groupBy, boundaries, default: otherwise, output } = spec;
  if (!Array.isArray(boundaries) || boundaries.length < 2)
    throw location(40192, "The $bucket 'boundaries' field must be an array of at least two values");
  const branches = boundaries.slice(0, -1).map((from, at) => ({
    case: { $and: [{ $gte: [groupBy, { $literal: from }] }, { $lt: [groupBy, { $literal: boundaries[at + 1] }] }] },
    // biome-ignore lint/suspicious/noThenProperty: a branch of $switch is written with `then`
    then: { $literal: from },
  }));
  const id = { $switch: otherwise === undefined ? { branches } : { branches, default: { $literal: otherwise } } };
  const grouping = group({ _id: id, ...(isDoc(output) ? output : { count: { $sum: 1 } }) }, variables);
  const order = compileSort({ _id: 1 });
  return (input) => [...grouping(input)].sort(order);
}
