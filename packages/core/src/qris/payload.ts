import { crc16 } from './crc16.ts';
import { characters, type DataObject, problem, readObjects, writeObjects } from './data-object.ts';

/** EMVCo: more than this no scanner needs to read. */
const PAYLOAD_CHARACTERS_MAX = 512;
const CRC_HEADER = '6304';

/** The payload of these objects, with the checksum (63) as the last one. Throws a refusal where an object can't be written. */
export function writePayload(objects: readonly DataObject[]): string {
  const text = writeObjects(objects) + CRC_HEADER;
  return text + crc16(text);
}

/**
 * The objects of an EMVCo merchant-presented payload, in their order and without the checksum, which is verified. EMVCo fixes the
 * first and the last object alone (00 and 63), so the others may come in any order. Throws a refusal that names the tag.
 */
export function readPayload(payload: string): DataObject[] {
  if (!payload.isWellFormed()) throw problem('00', 'is followed by text that is not Unicode');
  if (characters(payload) > PAYLOAD_CHARACTERS_MAX) {
    throw problem('63', `is not reached: the code is longer than ${PAYLOAD_CHARACTERS_MAX} characters`);
  }
  if (!payload.startsWith('00')) throw problem('00', 'is not the first one');
  const objects = readObjects(payload);
  const last = objects.pop();
  if (last?.tag !== '63') throw problem('63', 'is not the last one');
  // Some writers use lower-case hex; it is the same number.
  if (last.value.toUpperCase() !== crc16(payload.slice(0, -last.value.length)))
    throw problem('63', 'is not the checksum of the code');
  return objects;
}
