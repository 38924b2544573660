import type { Doc } from '../bson/types.ts';
import type { Variables } from './scope.ts';

export type Stage = (input: Iterable<Doc>) => Iterable<Doc>;

/** How a pipeline reaches other collections: their documents that satisfy a filter. */
export type PipelineContext = { variables: Variables; read: (collection: string, filter: Doc) => Iterable<Doc> };
