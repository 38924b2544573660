import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { RefusalError } from '@gerbang/core';
import { formatSealed, type Keys, parseSealed, type SealedDocument, type Secret } from '@gerbang/keys';
import { type Closeable, ConfigError, type Logger } from '@gerbang/runtime';
import { isDuplicateKey, type Store } from '@gerbang/store';
import { expiredKeys, nextKey, type ScheduledKey, signingKeyAt } from './key-schedule.ts';

/** How often each replica looks for keys made by others, and whether it is time for the next. */
const REFRESH_MS = 10_000;

export const SIGNING_KEYS = 'signing_keys';

type KeyDocument = {
  /** Keys are numbered, so that of several replicas only one makes the next. */
  _id: number;
  schema: number;
  kid: string;
  /** SPKI DER, base64. */
  public_key: string;
  /** PKCS #8 DER. */
  private_key: SealedDocument;
  signs_from: Date;
};

type SigningKey = ScheduledKey & { kid: string; publicKey: Uint8Array; privateKey: KeyObject };

/** The Ed25519 keys that sign access tokens; all replicas share them. */
export type SigningKeys = Closeable & {
  /** The key that signs at this moment. */
  current(): Promise<{ kid: string; privateKey: KeyObject }>;
  /** Public keys of all tokens that may be alive, and the one that signs next; as the database has them now. */
  published(): Promise<{ kid: string; publicKey: Uint8Array }[]>;
  /** Reads the keys, makes the next one when it is time to and removes those that nothing needs; runs by itself every 10 s. */
  refresh(): Promise<void>;
};

/**
 * Opens the keys and makes the first one where there is none. Authentication is by real time, never by business time (contract
 * §11).
 */
export async function openSigningKeys(options: {
  store: Store;
  keys: Keys<'signing-key'>;
  rotationMs: number;
  realNow: () => number;
  log: Logger;
}): Promise<SigningKeys> {
  const { store, keys: sealing, realNow, log } = options;
  const collection = store.collection<KeyDocument>(SIGNING_KEYS);
  let keys: SigningKey[] = [];

  const fromDocument = async (document: KeyDocument): Promise<SigningKey> => {
    const der = await opened(sealing, document, store.db.databaseName);
    return {
      seq: document._id,
      kid: document.kid,
      signsFromMs: document.signs_from.getTime(),
      publicKey: Buffer.from(document.public_key, 'base64'),
      privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
    };
  };
  const read = async () => {
    const documents = await collection.find({}, { sort: { _id: 1 }, readConcern: 'linearizable' }).toArray();
    const found = documents.map((document) => keys.find((known) => known.kid === document.kid) ?? fromDocument(document));
    keys = await Promise.all(found);
  };
  const insertUnlessTaken = async (document: KeyDocument) => {
    try {
      await collection.insertOne(document);
      log.info({ seq: document._id, kid: document.kid }, 'made a signing key');
    } catch (error) {
      // Another replica was faster: its key is the next one for all.
      if (!isDuplicateKey(error)) throw error;
    }
  };
  const refresh = async () => {
    await read();
    const next = nextKey(keys, options.rotationMs, realNow());
    if (next !== undefined) {
      await insertUnlessTaken(await newKeyDocument(sealing, next));
      await read();
    }
    const expired = expiredKeys(keys, realNow()).map((key) => key.seq);
    if (expired.length === 0) return;
    await collection.deleteMany({ _id: { $in: expired } });
    keys = keys.filter((key) => !expired.includes(key.seq));
  };
  await refresh();
  const timer = setInterval(() => {
    refresh().catch((error: unknown) => log.warn({ err: error }, 'could not refresh the signing keys'));
  }, REFRESH_MS);
  timer.unref();

  return {
    refresh,
    async current() {
      const key = signingKeyAt(keys, realNow()) ?? keys[0];
      if (key === undefined) throw new Error('there is no signing key');
      return key;
    },
    async published() {
      await read();
      return keys.map(({ kid, publicKey }) => ({ kid, publicKey }));
    },
    async close() {
      clearInterval(timer);
    },
  };
}

async function newKeyDocument(keys: Keys<'signing-key'>, { seq, signsFromMs }: ScheduledKey): Promise<KeyDocument> {
  const pair = generateKeyPairSync('ed25519');
  // A random part follows the number: a database that was emptied must not name a new key as an old one was named.
  const kid = `${seq}-${randomBytes(6).toString('hex')}`;
  return {
    _id: seq,
    schema: 1,
    kid,
    public_key: pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    private_key: parseSealed(await keys.seal(signingKey(kid), pair.privateKey.export({ type: 'pkcs8', format: 'der' }))),
    signs_from: new Date(signsFromMs),
  };
}

/**
 * The private key's DER. That it can't be decrypted is met first where a system starts on another's databases, so the error says
 * what to do.
 */
async function opened(keys: Keys<'signing-key'>, { kid, private_key }: KeyDocument, database: string): Promise<Buffer> {
  try {
    return await keys.openBytes(signingKey(kid), formatSealed(private_key));
  } catch (error) {
    // The keys can't be reached now, which says nothing about them.
    if (error instanceof RefusalError) throw error;
    const advice = 'start with the keys (or the data folder) that filled it, or set MONGODB_DB_PREFIX to use other databases';
    const message = `database ${database} was filled under other keys than KEYS or GERBANG_KEKS has: ${advice}`;
    throw new ConfigError([message]);
  }
}

/** What a private key is sealed to: its own id. */
export function signingKey(kid: string): Secret<'signing-key'> {
  return { purpose: 'signing-key', owner: kid };
}
