import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  ServerReflectionRequestSchema,
  type ServerReflectionResponse,
  ServerReflectionResponseSchema,
} from '@gerbang/proto/grpc/reflection/v1/reflection';
import { Client } from '@grpc/grpc-js';
import type { TlsFiles } from '../src/index.ts';
import { channelCredentials } from '../src/tls.ts';

/** Asks the server about itself, one question after the other over one stream, as grpcurl does. */
export async function reflect(
  port: number,
  version: string,
  questions: Parameters<typeof create<typeof ServerReflectionRequestSchema>>[1][],
  tls?: TlsFiles,
) {
  const client = new Client(`127.0.0.1:${port}`, channelCredentials(tls));
  const stream = client.makeBidiStreamRequest(
    `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
    (request: Uint8Array) => Buffer.from(request),
    (bytes: Buffer) => fromBinary(ServerReflectionResponseSchema, bytes),
  );
  const answers: ServerReflectionResponse[] = [];
  stream.on('data', (answer: ServerReflectionResponse) => answers.push(answer));
  const ended = new Promise((resolve, reject) => stream.on('end', resolve).on('error', reject));
  for (const question of questions)
    stream.write(toBinary(ServerReflectionRequestSchema, create(ServerReflectionRequestSchema, question)));
  stream.end();
  await ended;
  client.close();
  return answers.map(({ messageResponse }) => messageResponse);
}
