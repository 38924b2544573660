import { type CommandError, failure } from '../errors.ts';
import type { Command } from './context.ts';

/** What a server answers that has no search service beside it, which is every one outside of Atlas. */
export const searchNotEnabled = (): CommandError =>
  failure(
    'SearchNotEnabled',
    'Search index commands need Atlas or an AtlasCLI local deployment; this server has no search service.',
  );

export const searchIndexes: Command = () => {
  throw searchNotEnabled();
};
