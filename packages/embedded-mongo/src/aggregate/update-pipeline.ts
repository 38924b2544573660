import { type Doc, isDoc } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import type { Variables } from './scope.ts';
import { compileTransform } from './transforms.ts';

const allowed = new Set(['$set', '$addFields', '$unset', '$project', '$replaceRoot', '$replaceWith']);

/** Stages of the server that an update may not have. */
const known = new Set(
  `$match $sort $limit $skip $count $group $sortByCount $unwind $sample $facet $lookup $graphLookup $unionWith $bucket $bucketAuto
  $out $merge $redact $geoNear $collStats $indexStats $setWindowFields $densify $fill $documents`.split(/\s+/),
);

/** Compiles a pipeline-style update, which may only transform the document itself. */
export function compileUpdatePipeline(pipeline: readonly unknown[], variables: Variables): (doc: Doc) => Doc {
  const stages = pipeline.map((stage) => {
    if (!isDoc(stage)) throw failure('TypeMismatch', 'Each element of the pipeline array must be an object');
    const [name = '', ...others] = Object.keys(stage);
    if (name === '' || others.length > 0)
      throw location(40323, 'A pipeline stage specification object must contain exactly one field.');
    if (!allowed.has(name) && !known.has(name)) throw location(40324, `Unrecognized pipeline stage name: '${name}'`);
    if (!allowed.has(name)) throw failure('InvalidOptions', `${name} is not allowed to be used within an update`);
    return compileTransform(name, stage[name], variables);
  });
  return (doc) => stages.reduce((current, stage) => stage(current), doc);
}
