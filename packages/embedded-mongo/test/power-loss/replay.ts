import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

type Operation = { kind: string; path: string; offset: number; data: Buffer };

/** A file on the disk: its bytes that are safe, and what was done since it was last synced. */
type DiskFile = { safe: Buffer; pending: Operation[] };

/** Decides about one operation that was never synced: whether it reached the disk, wholly, torn, or not at all. */
export type Fate = (operation: { kind: string; bytes: number }) => 'lost' | 'torn' | 'kept';

const headerBytes = 20;
const sectorBytes = 512;

export const allLost: Fate = () => 'lost';
/** What was never synced reaches the disk by chance, as from a drive that writes out of order. */
export const byChance: Fate = () => (['lost', 'torn', 'kept'] as const)[Math.floor(Math.random() * 3)] ?? 'lost';

/**
 * Writes into `to` what a disk holds after the power has failed: the files of `before`, and of the record everything that was
 * synced. A file that was created is there only if its folder was synced afterwards; likewise a removed one comes back. Returns
 * how often each file was synced.
 */
export function afterPowerLoss(own: {
  dir: string;
  before: string;
  record: string;
  to: string;
  fate: Fate;
}): Map<string, number> {
  const files = new Map<string, DiskFile>();
  for (const name of readdirSync(own.before)) {
    files.set(join(own.dir, name), { safe: readFileSync(join(own.before, name)), pending: [] });
  }
  /** Names as the disk has them; differs from `files` until the folder is synced. */
  const entries = new Map(files);
  const syncs = new Map<string, number>();
  for (const operation of operations(readFileSync(own.record))) {
    const { kind, path } = operation;
    if (kind === 'S' && path === own.dir) {
      entries.clear();
      for (const [name, file] of files) entries.set(name, file);
    } else if (kind === 'S') {
      sync(fileOf(files, path));
      syncs.set(basename(path), (syncs.get(basename(path)) ?? 0) + 1);
    } else if (kind === 'U') files.delete(path);
    else if (kind === 'R') {
      files.set(operation.data.toString(), fileOf(files, path));
      files.delete(path);
    } else if (kind === 'M') throw new Error(`${path} is written through memory, which the record does not see`);
    else if (kind === 'C') files.set(path, files.get(path) ?? { safe: Buffer.alloc(0), pending: [] });
    else fileOf(files, path).pending.push(operation);
  }
  mkdirSync(own.to);
  for (const [path, file] of entries) {
    for (const operation of file.pending) reachDisk(file, operation, own.fate);
    writeFileSync(join(own.to, basename(path)), file.safe);
  }
  return syncs;
}

function* operations(record: Buffer): Generator<Operation> {
  // The process may have been killed while it wrote its last record, which then tells of nothing that was synced.
  for (let at = 0; at + headerBytes <= record.length; ) {
    const pathEnd = at + headerBytes + record.readUInt32LE(at + 4);
    const end = pathEnd + record.readUInt32LE(at + 8);
    if (end > record.length) return;
    yield {
      kind: record.toString('latin1', at, at + 1),
      path: record.toString('utf8', at + headerBytes, pathEnd),
      offset: Number(record.readBigUInt64LE(at + 12)),
      data: record.subarray(pathEnd, end),
    };
    at = end;
  }
}

function fileOf(files: Map<string, DiskFile>, path: string): DiskFile {
  const file = files.get(path);
  if (!file) throw new Error(`${path} is used but was never created`);
  return file;
}

function sync(file: DiskFile): void {
  for (const operation of file.pending) apply(file, operation);
  file.pending = [];
}

function reachDisk(file: DiskFile, operation: Operation, fate: Fate): void {
  const outcome = fate({ kind: operation.kind, bytes: operation.data.length });
  if (outcome === 'kept') apply(file, operation);
  if (outcome !== 'torn' || operation.kind !== 'W') return;
  const sectors = Math.floor(operation.data.length / sectorBytes);
  apply(file, { ...operation, data: operation.data.subarray(0, Math.floor(Math.random() * sectors) * sectorBytes) });
}

function apply(file: DiskFile, { kind, offset, data }: Operation): void {
  const size = kind === 'T' ? offset : Math.max(file.safe.length, offset + data.length);
  if (size !== file.safe.length) file.safe = resized(file.safe, size);
  if (kind === 'W') file.safe.set(data, offset);
}

/** Grows within a larger allocation, because a log grows by small writes. */
function resized(bytes: Buffer, size: number): Buffer {
  if (size <= bytes.buffer.byteLength - bytes.byteOffset && bytes.byteOffset === 0) {
    const same = Buffer.from(bytes.buffer, 0, size);
    if (size > bytes.length) same.fill(0, bytes.length);
    return same;
  }
  const larger = Buffer.alloc(size * 2);
  bytes.copy(larger);
  return larger.subarray(0, size);
}
