import { create, type DescFile, type DescService, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { nestedTypes } from '@bufbuild/protobuf/reflect';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import {
  ServerReflection,
  type ServerReflectionRequest,
  ServerReflectionRequestSchema,
  type ServerReflectionResponse,
  ServerReflectionResponseSchema,
} from '@gerbang/proto/grpc/reflection/v1/reflection';
import { type Server, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { callerOf } from './caller.ts';
import { asBuffer } from './lanes/frames.ts';
import { methodPath } from './service-types.ts';

type Response = NonNullable<MessageInitShape<typeof ServerReflectionResponseSchema>['messageResponse']>;

/**
 * Adds gRPC's server reflection, by which grpcurl and its like find out what the server serves: in version v1 and, for older
 * ones, under v1alpha, whose messages are the same. With a trust domain only its services are told.
 * (@grpc/reflection wants descriptors of protobufjs; ours are at hand.)
 */
export function serveReflection(server: Server, services: readonly DescService[], trustDomain?: string): void {
  const known = [...services, ServerReflection];
  const files = new Map<string, DescFile>();
  for (const { file } of known) addWithImports(files, file);
  const symbols = symbolsOf(files.values());
  const answer = (request: ServerReflectionRequest): Response => {
    const asked = request.messageRequest;
    switch (asked.case) {
      case 'listServices':
        return { case: 'listServicesResponse', value: { service: known.map(({ typeName }) => ({ name: typeName })) } };
      case 'fileByFilename':
        return describeFile(files.get(asked.value), asked.value);
      case 'fileContainingSymbol':
        return describeFile(symbols.get(asked.value), asked.value);
      case 'allExtensionNumbersOfType':
        // None of our messages is extended.
        if (symbols.has(asked.value)) return { case: 'allExtensionNumbersResponse', value: { baseTypeName: asked.value } };
        return refusal(status.NOT_FOUND, `${asked.value} is not known here`);
      case 'fileContainingExtension':
        return refusal(status.NOT_FOUND, `${asked.value.containingType} has no extension ${asked.value.extensionNumber}`);
      case undefined:
        return refusal(status.INVALID_ARGUMENT, 'nothing is asked');
      default:
        asked satisfies never;
        return refusal(status.INVALID_ARGUMENT, 'what is asked is not known here');
    }
  };
  const serverReflectionInfo = (stream: ServerDuplexStream<ServerReflectionRequest, ServerReflectionResponse>) => {
    if (trustDomain !== undefined && callerOf(stream, trustDomain).name === undefined) {
      stream.emit('error', { code: status.PERMISSION_DENIED, details: 'the certificate names no service' });
      return;
    }
    stream.on('data', (originalRequest: ServerReflectionRequest) => {
      const response = { validHost: originalRequest.host, originalRequest, messageResponse: answer(originalRequest) };
      stream.write(create(ServerReflectionResponseSchema, response));
    });
    stream.on('end', () => stream.end());
  };
  const path = methodPath(ServerReflection.method.serverReflectionInfo);
  for (const version of ['.v1.', '.v1alpha.']) {
    server.addService({ serverReflectionInfo: { ...codec, path: path.replace('.v1.', version) } }, { serverReflectionInfo });
  }
}

const codec = {
  requestStream: true,
  responseStream: true,
  requestSerialize: (message: ServerReflectionRequest) => asBuffer(toBinary(ServerReflectionRequestSchema, message)),
  requestDeserialize: (bytes: Buffer) => fromBinary(ServerReflectionRequestSchema, bytes),
  responseSerialize: (message: ServerReflectionResponse) => asBuffer(toBinary(ServerReflectionResponseSchema, message)),
  responseDeserialize: (bytes: Buffer) => fromBinary(ServerReflectionResponseSchema, bytes),
};

/** The file and all that it imports, so that a client needs no further question. */
function describeFile(file: DescFile | undefined, name: string): Response {
  if (file === undefined) return refusal(status.NOT_FOUND, `${name} is not known here`);
  const files = new Map<string, DescFile>();
  addWithImports(files, file);
  const fileDescriptorProto = [...files.values()].map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto } };
}

/** The file itself comes first. */
function addWithImports(files: Map<string, DescFile>, file: DescFile): void {
  if (files.has(file.proto.name)) return;
  files.set(file.proto.name, file);
  for (const imported of file.dependencies) addWithImports(files, imported);
}

function symbolsOf(files: Iterable<DescFile>): Map<string, DescFile> {
  const symbols = new Map<string, DescFile>();
  for (const file of files) {
    for (const type of nestedTypes(file)) {
      symbols.set(type.typeName, file);
      if (type.kind !== 'service') continue;
      for (const { name } of type.methods) symbols.set(`${type.typeName}.${name}`, file);
    }
  }
  return symbols;
}

function refusal(errorCode: status, errorMessage: string): Response {
  return { case: 'errorResponse', value: { errorCode, errorMessage } };
}
