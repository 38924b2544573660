import { ObjectId } from 'bson';
import { elements, elementValue, validateDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import { isDoc, RawDocument, typeNameOf } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { arrayField, type Command, collectionName, collectionToWrite } from './context.ts';
import { checkFields, type Fields, requireFields } from './fields.ts';
import { isOrdered, runStatements, writeFields } from './statements.ts';

const commandFields: Fields = { ...writeFields, documents: 'array' };

/** `insert`: the bytes of each document are stored as they came, with `_id` moved to the front. */
export const insert: Command = (body, context) => {
  checkFields(body, 'insert', commandFields);
  requireFields(body, 'insert', ['documents']);
  const documents = arrayField(body, 'documents');
  const name = collectionName(body, 'insert');
  const { replies, writeErrors } = runStatements(body, context, documents, isOrdered(body), (document) => {
    const bytes = storedForm(bytesOf(document));
    const collection = collectionToWrite(context, name);
    context.store.commits.write();
    collection.insert(bytes);
    return { n: 1 };
  });
  return { n: replies.length, ...(writeErrors.length > 0 && { writeErrors }), ok: 1 };
};

function bytesOf(document: unknown): Uint8Array {
  if (document instanceof RawDocument) return document.bytes;
  if (isDoc(document)) return encodeDocument(document);
  throw failure(
    'TypeMismatch',
    `BSON field 'insert.documents' is the wrong type '${typeNameOf(document)}', expected type 'object'`,
  );
}

/** Checks a document and puts its `_id` first, as the server stores it. */
export function storedForm(bytes: Uint8Array): Uint8Array {
  validateDocument(bytes);
  let first = true;
  for (const element of elements(bytes)) {
    if (element.name === '_id') {
      checkId(elementValue(bytes, element));
      return first ? bytes : withIdFirst(bytes, element.start, element.end);
    }
    first = false;
  }
  return withNewId(bytes);
}

/** Refuses what can't be an `_id`. */
export function checkId(id: unknown): void {
  if (Array.isArray(id)) throw failure('InvalidIdField', "The '_id' value cannot be of type array");
  if (typeNameOf(id) === 'regex') throw failure('InvalidIdField', "The '_id' value cannot be of type regex");
  if (typeNameOf(id) === 'undefined') throw failure('InvalidIdField', "The '_id' value cannot be of type undefined");
  refuseDollars(id);
}

function refuseDollars(value: unknown): void {
  if (Array.isArray(value)) for (const item of value) refuseDollars(item);
  else if (isDoc(value)) {
    for (const [name, inner] of Object.entries(value)) {
      if (name.startsWith('$'))
        throw failure(
          'DollarPrefixedFieldName',
          `_id fields may not contain '$'-prefixed fields: ${name} is not valid for storage.`,
        );
      refuseDollars(inner);
    }
  }
}

function withIdFirst(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return Buffer.concat([bytes.subarray(0, 4), bytes.subarray(start, end), bytes.subarray(4, start), bytes.subarray(end)]);
}

function withNewId(bytes: Uint8Array): Uint8Array {
  const id = encodeDocument({ _id: new ObjectId() });
  const result = Buffer.concat([bytes.subarray(0, 4), id.subarray(4, -1), bytes.subarray(4)]);
  result.writeInt32LE(result.length, 0);
  return result;
}
