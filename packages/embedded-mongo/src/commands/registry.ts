import { aggregate } from './aggregate.ts';
import { create, drop, dropDatabase, listCollections, listDatabases } from './collections.ts';
import { configureFailPoint } from './configure-fail-point.ts';
import type { Command } from './context.ts';
import { count, distinct } from './count-distinct.ts';
import { deleteDocuments } from './delete.ts';
import { explain } from './explain.ts';
import { find, getMore, killCursors } from './find.ts';
import { findAndModify } from './find-and-modify.ts';
import { createIndexes, dropIndexes, listIndexes } from './indexes.ts';
import { insert } from './insert.ts';
import { searchIndexes } from './search-indexes.ts';
import {
  buildInfo,
  endSessions,
  getParameter,
  hello,
  hostInfo,
  ping,
  serverStatus,
  setParameter,
  transactions,
} from './server-commands.ts';
import { update } from './update.ts';

/** Every command this server knows, by the name a client calls it. */
export const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['hello', hello],
  ['isMaster', hello],
  ['ismaster', hello],
  ['ping', ping],
  ['buildInfo', buildInfo],
  ['buildinfo', buildInfo],
  ['serverStatus', serverStatus],
  ['hostInfo', hostInfo],
  ['getParameter', getParameter],
  ['setParameter', setParameter],
  ['endSessions', endSessions],
  ['killSessions', endSessions],
  ['refreshSessions', endSessions],
  ['killAllSessions', endSessions],
  ['insert', insert],
  ['update', update],
  ['delete', deleteDocuments],
  ['find', find],
  ['getMore', getMore],
  ['killCursors', killCursors],
  ['findAndModify', findAndModify],
  ['findandmodify', findAndModify],
  ['aggregate', aggregate],
  ['count', count],
  ['distinct', distinct],
  ['create', create],
  ['drop', drop],
  ['dropDatabase', dropDatabase],
  ['listCollections', listCollections],
  ['listDatabases', listDatabases],
  ['createIndexes', createIndexes],
  ['listIndexes', listIndexes],
  ['dropIndexes', dropIndexes],
  ['explain', explain],
  ['configureFailPoint', configureFailPoint],
  ['commitTransaction', transactions],
  ['abortTransaction', transactions],
  ['createSearchIndexes', searchIndexes],
  ['updateSearchIndex', searchIndexes],
  ['dropSearchIndex', searchIndexes],
]);

/** Commands whose results a session remembers when they carry a transaction number. */
export const retryableWrites: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'findAndModify', 'findandmodify']);
