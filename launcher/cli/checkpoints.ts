import { createReadStream, globSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type Checkpoint, parseCheckpointText } from '@gerbang/core';

const root = path.resolve(import.meta.dirname, '../..');

/** The checkpoints of the audit log in these log files, or in those of the sandbox. */
export async function readCheckpoints(files?: readonly string[]): Promise<Checkpoint[]> {
  const logs = path.join(path.resolve(root, process.env.GERBANG_DATA || '.gerbang'), 'logs');
  const found: Checkpoint[] = [];
  for (const file of files ?? globSync(path.join(logs, 'merchant*'))) {
    for await (const line of createInterface(createReadStream(file))) {
      const checkpoint = checkpointIn(line);
      if (checkpoint?.log === 'audit') found.push(checkpoint);
    }
  }
  return found;
}

function checkpointIn(line: string): Checkpoint | undefined {
  const [, text] = /"audit_checkpoint":"([^"]+)"/.exec(line) ?? [];
  return text === undefined ? undefined : parseCheckpointText(text);
}
