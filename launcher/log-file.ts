import { createWriteStream, renameSync, statSync, type WriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';

const BYTES_MAX = 32 * 1024 * 1024;

/** A process's log: what it prints, appended to a file that is moved to `<file>.1` when it has grown large. */
export type LogFile = { take(stream: Readable): void; tail(lines: number): Promise<string[]>; close(): void };

export function openLogFile(file: string): LogFile {
  let bytes = sizeOf(file);
  let output = append(file);
  return {
    take(stream) {
      stream.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        output.write(chunk);
        if (bytes < BYTES_MAX) return;
        output.end();
        renameSync(file, `${file}.1`);
        output = append(file);
        bytes = 0;
      });
    },
    async tail(lines) {
      const text = await readFile(file, 'utf8').catch(() => '');
      return text.trimEnd().split('\n').slice(-lines);
    },
    close: () => output.end(),
  };
}

function append(file: string): WriteStream {
  return createWriteStream(file, { flags: 'a', mode: 0o600 });
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}
