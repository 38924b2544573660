import { type Doc, isDoc } from '../bson/types.ts';
import { failure } from '../errors.ts';
import type { Variables } from './scope.ts';
import { compileTransform } from './transforms.ts';

const allowed = new Set(['$set', '$addFields', '$unset', '$project', '$replaceRoot', '$replaceWith']);

/** Compiles a pipeline-style update, which may only transform the document itself. */
export function compileUpdatePipeline(pipeline: readonly unknown[], variables: Variables): (doc: Doc) => Doc {
  const stages = pipeline.map((stage) => {
    if (!isDoc(stage)) throw failure('TypeMismatch', 'Each element of the pipeline array must be an object');
    const [name = ''] = Object.keys(stage);
    if (!allowed.has(name)) throw failure('InvalidOptions', `${name} is not allowed to be used within an update`);
    return compileTransform(name, stage[name], variables);
  });
  return (doc) => stages.reduce((current, stage) => stage(current), doc);
}
