import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { KEY_BYTES, unwrapUnder, wrapUnder } from './aes-gcm.ts';
import { type KeyEncryption, mustBeKid } from './key-encryption.ts';

/** Where keys of before each purpose had its own are put, until everything is resealed. */
const EARLIER = 'earlier';
const OTHERS = 0o077;

/**
 * Keys in a folder: `<purpose>/<kid>.key`, 32 bytes as base64, and `<purpose>/current`, which names the newest. A file that its
 * group or others can read is refused. Files are read whenever a data key is wrapped or unwrapped, so a new key needs no restart.
 */
export function openFileKeys(folder: string): KeyEncryption {
  const keyIn = (purpose: string, kid: string) => readKey(path.join(folder, purpose, `${mustBeKid(kid)}.key`));
  return {
    name: 'file',
    async wrap(purpose, dataKey) {
      const kid = mustBeKid((await readFile(path.join(folder, purpose, 'current'), 'utf8')).trim());
      return { kid, wrapped: wrapUnder(await keyIn(purpose, kid), dataKey, purpose) };
    },
    unwrap: async (purpose, { kid, wrapped }) => unwrapUnder(await keyIn(purpose, kid), wrapped, purpose),
    async earlierKey(kid) {
      try {
        return await keyIn(EARLIER, kid);
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
  };
}

async function readKey(file: string): Promise<Buffer> {
  // The mode is asked of the open file: between two looks at a name another file may have taken it.
  const handle = await open(file);
  try {
    const { mode } = await handle.stat();
    if ((mode & OTHERS) !== 0)
      throw new Error(`${file} has mode ${(mode & 0o777).toString(8)}: a key is read by its owner only, chmod 600 it`);
    const key = Buffer.from((await handle.readFile('utf8')).trim(), 'base64');
    if (key.length !== KEY_BYTES) throw new Error(`${file} does not hold ${KEY_BYTES} bytes as base64`);
    return key;
  } finally {
    await handle.close();
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
