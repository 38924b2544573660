import type { KeyedChain } from '@gerbang/core';
import type { Logger } from '@gerbang/runtime';
import { isDuplicateKey, type Store } from '@gerbang/store';

import { fromDocument, isGenuine, type OperatorDocument, toDocument } from './document.ts';
import { type Identity, identityKey, type Operator } from './operator.ts';

/** As it was read, with the version that a change is conditional on. */
export type StoredOperator = Operator & { version: bigint };

/** An identity is one operator's: two names with one key would be one person who approves alone. */
type KeyDocument = { _id: string; schema: number; operator: string };
type SetUpDocument = { _id: string; schema: number; admins: string[] };
type TokenDocument = { _id: string; schema: number; ends_at: Date };

const SET_UP = 'set-up';

export type OperatorStore = {
  find(id: string): Promise<StoredOperator | undefined>;
  findByIdentity(identity: Identity): Promise<StoredOperator | undefined>;
  /** All of them, by id. */
  list(): Promise<StoredOperator[]>;
  /** False when the id or the identity is another operator's. The same operator again is inserted once. */
  insert(operator: Operator): Promise<boolean>;
  /** False when somebody else has changed it meanwhile. */
  replace(stored: StoredOperator, after: Operator): Promise<boolean>;
  /** Claims the set-up for these admins; false when there was one for others. */
  claimSetUp(admins: readonly string[]): Promise<boolean>;
  /** False when the token was used before. */
  useToken(operatorId: string, tokenId: string, endsMs: number): Promise<boolean>;
};

/**
 * Opens the registry of operators. An operator whose document this service has not written, by its MAC under `chain`, counts as
 * not there, with an alert.
 */
export async function openOperatorStore(store: Store, chain: KeyedChain, log: Logger): Promise<OperatorStore> {
  const operators = store.collection<OperatorDocument>('operators');
  const keys = store.collection<KeyDocument>('operator_keys');
  const setUps = store.collection<SetUpDocument>('operator_set_up');
  const tokens = store.collection<TokenDocument>('operator_tokens');
  await tokens.createIndex({ ends_at: 1 }, { name: 'ended', expireAfterSeconds: 0 });
  const isOurs = (document: OperatorDocument) => {
    if (isGenuine(chain, document)) return true;
    log.error(
      { operator: document._id },
      'alert: an operator in the database was not written by this service; it counts as not there',
    );
    return false;
  };
  const find = async (id: string) => {
    const document = await operators.findOne({ _id: id }, { readConcern: 'linearizable' });
    return document === null || !isOurs(document) ? undefined : toStored(document);
  };
  const ownerOf = (key: string) => keys.findOne({ _id: key }, { readConcern: 'linearizable' });
  return {
    find,
    async findByIdentity(identity) {
      const key = identityKey(identity);
      const found = await find((await ownerOf(key))?.operator ?? '');
      // An enrolment that was cut off may have left an identity to an operator who has another one now.
      return found !== undefined && identityKey(found.identity) === key ? found : undefined;
    },
    async list() {
      return (await operators.find({}, { sort: { _id: 1 } }).toArray()).filter(isOurs).map(toStored);
    },
    async insert(operator) {
      const key = identityKey(operator.identity);
      if (!(await isInserted(() => keys.insertOne({ _id: key, schema: 1, operator: operator.id })))) {
        if ((await ownerOf(key))?.operator !== operator.id) return false;
      }
      if (await isInserted(() => operators.insertOne(toDocument(chain, operator, 1n)))) return true;
      const there = await operators.findOne({ _id: operator.id }, { readConcern: 'linearizable' });
      if (there === null) return false;
      if (isOurs(there)) return identityKey(toStored(there).identity) === key;
      // What counts as not there is replaced by what the command says: so documents of earlier versions get a MAC.
      const { version } = there;
      const document = toDocument(chain, operator, version + 1n);
      return (await operators.replaceOne({ _id: operator.id, version }, document)).modifiedCount === 1;
    },
    async replace({ id, version }, after) {
      const { modifiedCount } = await operators.replaceOne(
        { _id: id, version },
        toDocument(chain, { ...after, id }, version + 1n),
      );
      return modifiedCount === 1;
    },
    async claimSetUp(admins) {
      if (await isInserted(() => setUps.insertOne({ _id: SET_UP, schema: 1, admins: [...admins] }))) return true;
      const known = await setUps.findOne({ _id: SET_UP }, { readConcern: 'linearizable' });
      return known !== null && known.admins.join() === admins.join();
    },
    useToken: (operatorId, tokenId, endsMs) =>
      isInserted(() => tokens.insertOne({ _id: `${operatorId}:${tokenId}`, schema: 1, ends_at: new Date(endsMs) })),
  };
}

async function isInserted(insert: () => Promise<unknown>): Promise<boolean> {
  try {
    await insert();
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

function toStored(document: OperatorDocument): StoredOperator {
  return { ...fromDocument(document), version: document.version };
}
