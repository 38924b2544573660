import { type Doc, isDoc, isNumeric, typeNameOf } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import { pathParts } from '../query/field-path.ts';
import { compileFilter } from '../query/match.ts';
import { expressionPath } from '../query/path.ts';
import { setNested } from '../query/project-apply.ts';
import { encodeValue } from '../storage/index-key.ts';
import { compileExpression } from './expression.ts';
import type { PipelineContext, Stage } from './pipeline-context.ts';
import { refuseWrites } from './stage-options.ts';
import { checkVariableName, checkVariables } from './variables.ts';

type Compile = (pipeline: readonly unknown[], context: PipelineContext) => Stage;

/** `$lookup` by fields, by a pipeline with variables, or both. */
export function lookup(operand: unknown, context: PipelineContext, compile: Compile): Stage {
  const { from, as, fields, pipeline, bindings } = lookupOf(operand);
  const names = Object.entries(bindings).map(([name, value]) => {
    checkVariableName(name);
    checkVariables(value, context.variables);
    return [name, compileExpression(value)] as const;
  });
  const stages = pipeline ?? [];
  // It is compiled for each document, whose variables it has; here only to refuse what is wrong before there is one.
  compile(stages, {
    ...context,
    variables: { ...context.variables, ...Object.fromEntries(names.map(([name]) => [name, null])) },
  });
  return function* joined(input) {
    for (const doc of input) {
      const scope = { root: doc, current: doc, variables: context.variables };
      const variables = { ...context.variables, ...Object.fromEntries(names.map(([name, value]) => [name, value(scope)])) };
      const filter = fields ? { [fields.foreign]: fieldCondition(doc, fields.local) } : {};
      const found = [...compile(stages, { ...context, variables })(context.read(from, filter))];
      const copy = { ...doc };
      setNested(copy, as, found);
      yield copy;
    }
  };
}

type Lookup = {
  from: string;
  as: readonly string[];
  fields: { local: string; foreign: string } | undefined;
  pipeline: readonly unknown[] | undefined;
  bindings: Doc;
};

const failed = (message: string) => failure('FailedToParse', message);
const lookupTexts = ['from', 'as', 'localField', 'foreignField'];

function lookupOf(operand: unknown): Lookup {
  if (!isDoc(operand)) throw failed('the $lookup specification must be an Object');
  for (const [name, value] of Object.entries(operand)) {
    if (lookupTexts.includes(name) && typeof value !== 'string')
      throw failed(`$lookup argument '${name}' must be a string, is type ${typeNameOf(value)}`);
    if (!lookupTexts.includes(name) && name !== 'pipeline' && name !== 'let')
      throw failed(`unknown argument to $lookup: ${name}`);
  }
  const { from, as, localField: local, foreignField: foreign, pipeline, let: bindings } = operand;
  if (pipeline !== undefined && !Array.isArray(pipeline))
    throw failure('TypeMismatch', `'pipeline' option must be specified as an array, is type ${typeNameOf(pipeline)}`);
  if (bindings !== undefined && !isDoc(bindings))
    throw failed(`$lookup argument 'let' must be an object, is type ${typeNameOf(bindings)}`);
  if (typeof from !== 'string') throw failed("must specify 'from' field for a $lookup");
  if (typeof as !== 'string') throw failed("must specify 'as' field for a $lookup");
  if ((local === undefined) !== (foreign === undefined))
    throw failed("$lookup requires both or neither of 'localField' and 'foreignField' to be specified");
  if (pipeline === undefined && local === undefined)
    throw failed("$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified");
  if (pipeline === undefined && bindings !== undefined)
    throw failed("$lookup with a 'let' argument must also specify 'pipeline'");
  refuseWrites(pipeline ?? [], 51047, '$lookup');
  if (typeof local === 'string') pathParts(local);
  if (typeof foreign === 'string') pathParts(foreign);
  const fields = typeof local === 'string' && typeof foreign === 'string' ? { local, foreign } : undefined;
  return { from, as: pathParts(as), fields, pipeline, bindings: bindings ?? {} };
}

function fieldCondition(doc: Doc, localField: string): Doc {
  const value = expressionPath(doc, localField.split('.'));
  return Array.isArray(value) ? { $in: value } : { $eq: value ?? null };
}

/** `$graphLookup`: follows a field from document to document, each found once. */
export function graphLookup(operand: unknown, context: PipelineContext): Stage {
  const spec = graphOf(operand);
  const { from, connectFromField, connectToField, depthField, restrictSearchWithMatch } = spec;
  checkVariables(spec.startWith, context.variables);
  const start = compileExpression(spec.startWith);
  const as = pathParts(spec.as);
  const depthMax = spec.maxDepth === undefined ? Number.POSITIVE_INFINITY : Number(spec.maxDepth);
  if (restrictSearchWithMatch) compileFilter(restrictSearchWithMatch, context.variables);
  return function* followed(input) {
    for (const doc of input) {
      const found = new Map<string, Doc>();
      const first = start({ root: doc, current: doc, variables: context.variables });
      let frontier = Array.isArray(first) ? first : [first ?? null];
      for (let depth = 0; depth <= depthMax && frontier.length > 0; depth++) {
        const next: unknown[] = [];
        const filter = {
          $and: [{ [connectToField]: { $in: frontier } }, restrictSearchWithMatch ?? {}],
        };
        for (const reached of context.read(from, filter)) {
          const key = encodeValue(reached._id).toString('latin1');
          if (found.has(key)) continue;
          found.set(key, depthField !== undefined ? { ...reached, [depthField]: BigInt(depth) } : reached);
          const value = expressionPath(reached, connectFromField.split('.'));
          next.push(...(Array.isArray(value) ? value : [value ?? null]));
        }
        frontier = next;
      }
      const copy = { ...doc };
      setNested(copy, as, [...found.values()]);
      yield copy;
    }
  };
}

type Graph = {
  from: string;
  as: string;
  connectFromField: string;
  connectToField: string;
  startWith: unknown;
  maxDepth: unknown;
  depthField: string | undefined;
  restrictSearchWithMatch: Doc | undefined;
};

const graphTexts = ['from', 'as', 'connectFromField', 'connectToField', 'depthField'];

function graphOf(operand: unknown): Graph {
  if (!isDoc(operand)) throw location(40327, 'the $graphLookup stage specification must be an object');
  for (const [name, value] of Object.entries(operand)) {
    if (graphTexts.includes(name)) {
      if (typeof value !== 'string')
        throw location(40103, `expected string as argument for ${name}, found: ${typeNameOf(value)}`);
      if (name !== 'from') pathParts(value);
    } else if (name !== 'startWith' && name !== 'maxDepth' && name !== 'restrictSearchWithMatch')
      throw location(40104, `Unknown argument to $graphLookup: ${name}`);
  }
  const { from, as, connectFromField, connectToField, depthField, maxDepth, restrictSearchWithMatch, startWith } = operand;
  checkDepth(maxDepth);
  if (restrictSearchWithMatch !== undefined && !isDoc(restrictSearchWithMatch))
    throw location(40185, `restrictSearchWithMatch must be an object, found ${typeNameOf(restrictSearchWithMatch)}`);
  if (
    typeof from !== 'string' ||
    typeof as !== 'string' ||
    typeof connectFromField !== 'string' ||
    typeof connectToField !== 'string' ||
    startWith === undefined
  ) {
    throw location(
      40105,
      "$graphLookup requires 'from', 'as', 'startWith', 'connectFromField', and 'connectToField' to be specified.",
    );
  }
  return {
    ...{ from, as, connectFromField, connectToField, startWith, maxDepth, restrictSearchWithMatch },
    depthField: typeof depthField === 'string' ? depthField : undefined,
  };
}

function checkDepth(depth: unknown): void {
  if (depth === undefined) return;
  if (!isNumeric(depth)) throw location(40100, `maxDepth must be numeric, found type: ${typeNameOf(depth)}`);
  if (Number(depth) < 0) throw location(40101, `maxDepth requires a nonnegative argument, found: ${String(depth)}`);
  if (!Number.isInteger(Number(depth)))
    throw location(40102, `maxDepth could not be represented as a long long: ${String(depth)}`);
}
