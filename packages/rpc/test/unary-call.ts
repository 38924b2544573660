import {
  create,
  type DescMessage,
  type DescService,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { Client, Metadata } from '@grpc/grpc-js';
import type { TlsFiles } from '../src/index.ts';
import { methodPath } from '../src/service-types.ts';
import { channelCredentials } from '../src/tls.ts';

/** A plain unary call, as grpcurl or a service in another language makes it. Rejects with grpc-js's ServiceError. */
export async function unaryCall<I extends DescMessage, O extends DescMessage>(
  port: number,
  method: { parent: DescService; name: string; input: I; output: O },
  request: MessageInitShape<I>,
  options: { tls?: TlsFiles; metadata?: Record<string, string>; timeoutMs?: number } = {},
): Promise<MessageShape<O>> {
  const client = new Client(`127.0.0.1:${port}`, channelCredentials(options.tls));
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(options.metadata ?? {})) metadata.set(name, value);
  try {
    return await new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        methodPath(method),
        (message: MessageShape<I>) => Buffer.from(toBinary(method.input, message)),
        (bytes: Buffer) => fromBinary(method.output, bytes),
        create(method.input, request),
        metadata,
        { deadline: Date.now() + (options.timeoutMs ?? 3_000) },
        (error, answer) => {
          if (error !== null) reject(error);
          else if (answer === undefined) reject(new Error('no answer'));
          else resolve(answer);
        },
      );
    });
  } finally {
    client.close();
  }
}
