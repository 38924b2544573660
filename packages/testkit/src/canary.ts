import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Binary, MongoClient } from 'mongodb';

/** Card numbers that no card has, as people write them: 16, 15 and 19 digits, with blanks and with dashes. */
export const CARD_CANARIES: readonly string[] = [
  '4532771829372643',
  '4532 7718 2937 2643',
  '4532-7718-2937-2643',
  '371449635398431',
  '4000123456789012343',
];
/** One more, for fields in which any digits are right, such as a reference: it may be stored, and is in no log and no trace. */
export const REFERENCE_CANARY = '5182319044772054';
/** A CVV is too short to be found by itself: it is looked for next to a name that has `cvv` in it. */
export const CVV_CANARY = '739';

const CVV = new RegExp(`cvv[^a-z0-9]{1,16}${CVV_CANARY}`, 'i');
const CARDS: readonly string[] = [...new Set(CARD_CANARIES.map(digitsOf))];

/** A card as it is found in bytes that were encoded: hex, and base64 at each place of a text at which it can begin. */
const ENCODED: ReadonlyMap<string, readonly string[]> = new Map(CARDS.map((card) => [card, encodedForms(card)]));

/**
 * The canaries in a text, also as UTF-16, hex and base64; blanks and dashes ignored. Of `needles` instead, as they are, where they are
 * given.
 */
export function leaksIn(text: string, needles: readonly string[] = CARDS): string[] {
  const plain = digitsOf(text);
  const found = needles.filter(
    (needle) => plain.includes(digitsOf(needle)) || (ENCODED.get(needle) ?? []).some((form) => plain.includes(form)),
  );
  return needles === CARDS && CVV.test(text) ? [...found, 'CVV'] : found;
}

/** Where in a folder's files canaries are, a line each: logs, a store of NATS, all that a service has written. */
export async function leaksInFolder(folder: string, needles?: readonly string[]): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const leaks = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(file, 'latin1');
      return leaksIn(text, needles).map((leak) => `${path.relative(folder, file)}: ${leak}`);
    }),
  );
  return leaks.flat();
}

/** Where in the databases with a prefix canaries are, a line each: every field and every name of every document. */
export async function leaksInDatabases(uri: string, prefix: string, needles?: readonly string[]): Promise<string[]> {
  const client = await MongoClient.connect(uri, { readPreference: 'primary' });
  try {
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
    const leaks: string[] = [];
    for (const { name } of databases.filter(({ name }) => name.startsWith(prefix))) {
      for (const collection of await client.db(name).collections()) {
        for await (const document of collection.find({})) {
          const found = leaksIn(textOf(document), needles);
          leaks.push(...found.map((leak) => `${name}.${collection.collectionName} ${String(document._id)}: ${leak}`));
        }
      }
    }
    return leaks;
  } finally {
    await client.close();
  }
}

/** A zero byte is every other one of digits in UTF-16. */
function digitsOf(text: string): string {
  return text.replaceAll(/[\s\0-]/g, '');
}

function encodedForms(card: string): string[] {
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.from(`${'x'.repeat(shift)}${card}`).toString('base64');
    // What is before and after the card has a share in the first and in the last characters.
    return text.slice(Math.ceil((shift * 4) / 3), Math.floor(((shift + card.length) * 4) / 3));
  });
  return [Buffer.from(card).toString('hex'), ...base64];
}

/** Everything that a document holds. Binary values are messages, whose texts are in them as they are. */
function textOf(value: unknown): string {
  if (value instanceof Binary) return Buffer.from(value.buffer).toString('latin1');
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (typeof value !== 'object' || value === null || value instanceof Date || '_bsontype' in value) return String(value);
  return Object.entries(value)
    .map(([name, inner]) => `${name}: ${textOf(inner)}`)
    .join('\n');
}
