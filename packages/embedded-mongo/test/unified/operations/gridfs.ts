import { pipeline } from 'node:stream/promises';
import type { AbstractCursor, ClientSession, GridFSBucket, ObjectId } from 'mongodb';
import type { Json } from '../file.ts';

/** The operations on a GridFS bucket that the driver has, by the name in the test format. */
export const bucketOperations: Record<string, (bucket: GridFSBucket, given: Json) => unknown> = {
  upload: async (bucket, { filename, source, contentType, disableMD5: _, metadata, ...options }) => {
    // The driver keeps the content type among the metadata.
    const described = contentType === undefined ? metadata : { ...(metadata as Json | undefined), contentType };
    const stream = bucket.openUploadStream(String(filename), {
      ...options,
      ...(described !== undefined && { metadata: described as Json }),
    });
    await pipeline([Buffer.from(String((source as Json).$$hexBytes), 'hex')], stream);
    return stream.id;
  },
  download: (bucket, { id, ...options }) => gathered(bucket.openDownloadStream(id as ObjectId, options)),
  downloadByName: (bucket, { filename, ...options }) => gathered(bucket.openDownloadStreamByName(String(filename), options)),
  delete: (bucket, { id, ...options }) => bucket.delete(id as ObjectId, options),
  rename: (bucket, { id, newFilename, ...options }) => bucket.rename(id as ObjectId, String(newFilename), options),
  drop: (bucket, options) => bucket.drop(options),
};

async function gathered(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

export const cursorOperations: Record<string, (cursor: AbstractCursor, given: Json) => unknown> = {
  iterateUntilDocumentOrError: (cursor) => cursor.next(),
  iterateOnce: (cursor) => cursor.tryNext(),
  close: (cursor) => cursor.close(),
};

export const sessionOperations: Record<string, (session: ClientSession, given: Json) => unknown> = {
  startTransaction: (session, options) => session.startTransaction(options),
  commitTransaction: (session) => session.commitTransaction(),
  abortTransaction: (session) => session.abortTransaction(),
  endSession: (session) => session.endSession(),
};
