import { type Doc, isDoc } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import { expressionPath } from '../query/path.ts';
import { setNested } from '../query/project.ts';
import { encodeValue } from '../storage/index-key.ts';
import { compileExpression } from './expression.ts';
import type { PipelineContext, Stage } from './pipeline-context.ts';

type Compile = (pipeline: readonly unknown[], context: PipelineContext) => Stage;

/** `$lookup` by fields, by a pipeline with variables, or both. */
export function lookup(operand: unknown, context: PipelineContext, compile: Compile): Stage {
  if (!isDoc(operand)) throw failure('FailedToParse', 'the $lookup specification must be an Object');
  const { from, as, localField, foreignField, pipeline, let: bindings } = operand;
  if (typeof from !== 'string') throw failure('FailedToParse', "must specify 'from' field for a $lookup");
  if (typeof as !== 'string') throw failure('FailedToParse', "must specify 'as' field for a $lookup");
  const byField = typeof localField === 'string' && typeof foreignField === 'string';
  if (!byField && !Array.isArray(pipeline))
    throw failure('FailedToParse', '$lookup requires either a pipeline or both localField and foreignField');
  const names = Object.entries(isDoc(bindings) ? bindings : {}).map(([name, value]) => [name, compileExpression(value)] as const);
  const stages = Array.isArray(pipeline) ? pipeline : [];
  return function* joined(input) {
    for (const doc of input) {
      const scope = { root: doc, current: doc, variables: context.variables };
      const variables = { ...context.variables, ...Object.fromEntries(names.map(([name, value]) => [name, value(scope)])) };
      const filter = byField ? { [foreignField]: fieldCondition(doc, localField) } : {};
      const found = [...compile(stages, { ...context, variables })(context.read(from, filter))];
      const copy = { ...doc };
      setNested(copy, as.split('.'), found);
      yield copy;
    }
  };
}

function fieldCondition(doc: Doc, localField: string): Doc {
  const value = expressionPath(doc, localField.split('.'));
  return Array.isArray(value) ? { $in: value } : { $eq: value ?? null };
}

/** `$graphLookup`: follows a field from document to document, each found once. */
export function graphLookup(operand: unknown, context: PipelineContext): Stage {
  const spec = isDoc(operand) ? operand : {};
  const { from, startWith, connectFromField, connectToField, as, maxDepth, depthField, restrictSearchWithMatch } = spec;
  if (
    typeof from !== 'string' ||
    typeof as !== 'string' ||
    typeof connectFromField !== 'string' ||
    typeof connectToField !== 'string'
  ) {
    throw location(40105, '$graphLookup requires from, as, connectFromField and connectToField');
  }
  const start = compileExpression(startWith);
  const depthMax = maxDepth === undefined ? Number.POSITIVE_INFINITY : Number(maxDepth);
  return function* followed(input) {
    for (const doc of input) {
      const found = new Map<string, Doc>();
      const first = start({ root: doc, current: doc, variables: context.variables });
      let frontier = Array.isArray(first) ? first : [first ?? null];
      for (let depth = 0; depth <= depthMax && frontier.length > 0; depth++) {
        const next: unknown[] = [];
        const filter = {
          $and: [{ [connectToField]: { $in: frontier } }, isDoc(restrictSearchWithMatch) ? restrictSearchWithMatch : {}],
        };
        for (const reached of context.read(from, filter)) {
          const key = encodeValue(reached._id).toString('latin1');
          if (found.has(key)) continue;
          found.set(key, typeof depthField === 'string' ? { ...reached, [depthField]: BigInt(depth) } : reached);
          const value = expressionPath(reached, connectFromField.split('.'));
          next.push(...(Array.isArray(value) ? value : [value ?? null]));
        }
        frontier = next;
      }
      yield { ...doc, [as]: [...found.values()] };
    }
  };
}
