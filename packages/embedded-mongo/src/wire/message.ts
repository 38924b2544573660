import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import { type Doc, RawDocument } from '../bson/types.ts';
import { failure } from '../errors.ts';

const opReply = 1;
const opQuery = 2004;
const opMsg = 2013;
export const headerBytes = 16;

const checksumPresent = 1;
const moreToCome = 2;
/** Flags a server must understand; others among the lower sixteen bits are an error. */
const knownRequired = checksumPresent | moreToCome;

/** A request: the command's document and how to answer it. */
export type Request = { id: number; body: Doc; legacy: boolean; noReply: boolean };

/** The frame breaks the protocol; its connection is closed. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

const rawFields = new Set(['documents']);

/** Reads a whole message. */
export function readMessage(frame: Buffer): Request {
  const id = frame.readInt32LE(4);
  const opCode = frame.readInt32LE(12);
  if (opCode === opMsg) return { id, legacy: false, ...readSections(frame) };
  if (opCode === opQuery) return { id, legacy: true, noReply: false, body: readLegacyQuery(frame) };
  throw new ProtocolError(`operation ${opCode} is not supported`);
}

function readSections(frame: Buffer): { body: Doc; noReply: boolean } {
  if (frame.length < headerBytes + 5) throw new ProtocolError('truncated message');
  const flags = frame.readUInt32LE(headerBytes);
  if ((flags & 0xffff & ~knownRequired) !== 0) throw new ProtocolError('unknown message flags');
  const end = frame.length - (flags & checksumPresent ? 4 : 0);
  let at = headerBytes + 4;
  let body: Doc | undefined;
  const sequences: Doc = {};
  while (at < end) {
    const kind = frame[at++];
    const bytes = sizeAt(frame, at, end);
    const section = frame.subarray(at, at + bytes);
    if (kind === 0 && body === undefined) body = decodeDocument(section, rawFields);
    else if (kind === 1) readSequence(section, sequences);
    else throw new ProtocolError(`unexpected section of kind ${kind}`);
    at += bytes;
  }
  if (!body) throw new ProtocolError('a message needs a body');
  for (const name of Object.keys(sequences)) {
    if (name in body) throw failure('ProtocolError', `field ${name} is in the body and in a sequence`);
    body[name] = sequences[name];
  }
  return { body, noReply: (flags & moreToCome) !== 0 };
}

function sizeAt(frame: Buffer, at: number, end: number): number {
  if (at + 4 > end) throw new ProtocolError('truncated section');
  const bytes = frame.readInt32LE(at);
  if (bytes < 5 || at + bytes > end) throw new ProtocolError('bad section length');
  return bytes;
}

function readSequence(section: Buffer, sequences: Doc): void {
  const nameEnd = section.indexOf(0, 4);
  if (nameEnd < 0) throw new ProtocolError('unterminated sequence name');
  const name = section.toString('utf8', 4, nameEnd);
  const items: unknown[] = [];
  for (let at = nameEnd + 1; at < section.length; ) {
    const bytes = sizeAt(section, at, section.length);
    const document = section.subarray(at, at + bytes);
    items.push(rawFields.has(name) ? new RawDocument(document) : decodeDocument(document));
    at += bytes;
  }
  sequences[name] = items;
}

/** The first `hello` of a driver comes as a query on `admin.$cmd`; nothing else does. */
function readLegacyQuery(frame: Buffer): Doc {
  const nameEnd = frame.indexOf(0, headerBytes + 4);
  if (nameEnd < 0) throw new ProtocolError('unterminated collection name');
  const namespace = frame.toString('utf8', headerBytes + 4, nameEnd);
  if (!namespace.endsWith('.$cmd')) throw new ProtocolError('OP_QUERY is no longer supported');
  const at = nameEnd + 9;
  const body = decodeDocument(frame.subarray(at, at + sizeAt(frame, at, frame.length)));
  const [command = ''] = Object.keys(body);
  if (!['hello', 'isMaster', 'ismaster'].includes(command))
    throw new ProtocolError(`OP_QUERY is no longer supported: ${command}`);
  return { ...body, $db: namespace.slice(0, -'.$cmd'.length) };
}

let replyId = 0;

/** The bytes of a reply to a request. */
export function writeReply(request: Pick<Request, 'id' | 'legacy'>, reply: Doc): Buffer {
  const prefix = request.legacy ? headerBytes + 20 : headerBytes + 5;
  const frame = encodeDocument(reply, prefix);
  frame.fill(0, headerBytes, prefix);
  frame.writeInt32LE(frame.length, 0);
  replyId = (replyId + 1) | 0;
  frame.writeInt32LE(replyId, 4);
  frame.writeInt32LE(request.id, 8);
  frame.writeInt32LE(request.legacy ? opReply : opMsg, 12);
  if (request.legacy) {
    frame.writeInt32LE(8, headerBytes);
    frame.writeInt32LE(1, headerBytes + 16);
  }
  return frame;
}
