import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Doc, isDoc, RawDocument } from '../../src/bson/types.ts';
import { Cursors } from '../../src/commands/cursors.ts';
import { dispatch, type ServerParts } from '../../src/commands/dispatch.ts';
import { FailPoints } from '../../src/commands/fail-points.ts';
import { Store } from '../../src/storage/store.ts';

/** The server without its network: commands in, replies out. */
export type InProcess = { run(command: Doc): Doc; store: Store; close(): void };

export function startInProcess(): InProcess {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-mongo-'));
  const store = new Store(join(folder, 'embedded-mongo.db'), 'off');
  const info = { host: '127.0.0.1', port: 0, setName: 'test', startedAt: new Date(), connections: () => 1 };
  const parts: ServerParts = { store, cursors: new Cursors(), failPoints: new FailPoints(), info, refuse: undefined };
  return {
    store,
    run: (command) => dispatch({ ...command, $db: 'test' }, parts, { id: 1, appName: undefined }).reply,
    close: () => {
      store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The bytes of the documents that a cursor's first batch holds. */
export function documentsOf({ cursor, errmsg }: Doc): Uint8Array[] {
  const batch = isDoc(cursor) ? cursor.firstBatch : undefined;
  if (!Array.isArray(batch)) throw new Error(`no documents: ${String(errmsg)}`);
  return batch.filter((one) => one instanceof RawDocument).map(({ bytes }) => bytes);
}
