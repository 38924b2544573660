import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';

const BYTES_MAX = 32 * 1024 * 1024;
const TAIL_BYTES = 64 * 1024;

/**
 * A process's log. The process writes into the file itself, so it neither waits for the launcher nor loses its voice when that is
 * killed.
 */
export type LogFile = {
  /** Opened for appending; given to the process as its standard output and error. */
  descriptor: number;
  /** Once the file is large, keeps it as `<file>.1` and starts it anew. Lines written within this moment may be lost. */
  rotate(): void;
  tail(lines: number): Promise<string[]>;
  close(): void;
};

export function openLogFile(file: string, bytesMax = BYTES_MAX): LogFile {
  const descriptor = openSync(file, 'a', 0o600);
  return {
    descriptor,
    rotate() {
      if (fstatSync(descriptor).size < bytesMax) return;
      copyFileSync(file, `${file}.1`);
      ftruncateSync(descriptor);
    },
    tail: (lines) => readTail(file, lines),
    close: () => closeSync(descriptor),
  };
}

async function readTail(file: string, lines: number): Promise<string[]> {
  await using handle = await open(file);
  const { size } = await handle.stat();
  const length = Math.min(size, TAIL_BYTES);
  const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.toString('utf8').trimEnd().split('\n').slice(-lines);
}
