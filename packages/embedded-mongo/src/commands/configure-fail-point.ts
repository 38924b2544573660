import { isDoc } from '../bson/types.ts';
import { failure } from '../errors.ts';
import type { Command } from './context.ts';

export const configureFailPoint: Command = (body, context) => {
  if (context.db !== 'admin') throw failure('Unauthorized', 'configureFailPoint may only be run against the admin database.');
  const { configureFailPoint: name, mode, data } = body;
  context.failPoints.configure(String(name), mode, isDoc(data) ? data : {});
  return { count: 0, ok: 1 };
};
