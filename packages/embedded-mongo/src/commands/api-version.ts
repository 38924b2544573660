import { type Doc, isDoc } from '../bson/types.ts';
import { failure } from '../errors.ts';

/** The commands of this server that version 1 of the stable API has. */
const versionOne = new Set(
  `abortTransaction aggregate collMod commitTransaction count create createIndexes delete drop dropDatabase dropIndexes
  endSessions explain find findAndModify getMore hello insert killCursors listCollections listDatabases listIndexes ping
  refreshSessions update`.split(/\s+/),
);
const stagesOutside = ['$listLocalSessions', '$listSessions', '$listSearchIndexes', '$indexStats', '$collStats', '$currentOp'];

/** Refuses an unknown version of the stable API and, where a client asked for strictness, what that version lacks. */
export function checkApiVersion(command: string, body: Doc): void {
  const { apiVersion, apiStrict } = body;
  if (apiVersion === undefined) {
    if (apiStrict === undefined && body.apiDeprecationErrors === undefined) return;
    throw failure('InvalidOptions', 'Provided apiStrict and/or apiDeprecationErrors without passing apiVersion');
  }
  if (apiVersion !== '1') throw failure('APIVersionError', 'API version must be "1"');
  if (apiStrict !== true) return;
  if (!versionOne.has(command))
    throw failure('APIStrictError', `Provided apiStrict:true, but the command ${command} is not in API Version 1.`);
  if (command !== 'aggregate' || !Array.isArray(body.pipeline)) return;
  for (const stage of body.pipeline) {
    const [name = ''] = isDoc(stage) ? Object.keys(stage) : [];
    if (stagesOutside.includes(name))
      throw failure('APIStrictError', `stage ${name} is not allowed with 'apiStrict: true' in API Version 1`);
  }
}
