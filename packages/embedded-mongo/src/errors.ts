import type { Doc } from './bson/types.ts';

/** The server's own error codes, by name; only those this server can answer. */
export const errorCodes = {
  InternalError: 1,
  BadValue: 2,
  GraphContainsCycle: 5,
  HostUnreachable: 6,
  FailedToParse: 9,
  Unauthorized: 13,
  TypeMismatch: 14,
  Overflow: 15,
  InvalidLength: 16,
  ProtocolError: 17,
  IllegalOperation: 20,
  InvalidBSON: 22,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  NonExistentPath: 29,
  CannotCreateIndex: 67,
  IndexAlreadyExists: 68,
  AmbiguousIndexKeyPattern: 181,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  QueryPlanKilled: 175,
  FailPointSetFailed: 359,
  UnsatisfiableWriteConcern: 100,
  NamespaceExists: 48,
  DollarPrefixedFieldName: 52,
  InvalidIdField: 53,
  NotSingleValueField: 54,
  EmptyFieldName: 56,
  NotExactValueField: 111,
  QueryFeatureNotAllowed: 224,
  CommandNotFound: 59,
  ImmutableField: 66,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  NotImplemented: 238,
  ConversionFailure: 241,
  TransactionTooOld: 225,
  OperationNotSupportedInTransaction: 263,
  NoSuchTransaction: 251,
  CommandNotSupported: 115,
  MaxTimeMSExpired: 50,
  InvalidPipelineOperator: 168,
  QueryExceededMemoryLimitNoDiskUseAllowed: 292,
  DuplicateKey: 11000,
  BSONObjectTooLarge: 10334,
  ShutdownInProgress: 91,
  NoQueryExecutionPlans: 291,
  DocumentValidationFailure: 121,
  CannotIndexParallelArrays: 171,
  APIVersionError: 322,
  APIStrictError: 323,
  SearchNotEnabled: 31082,
  InvalidIndexSpecificationOption: 197,
} as const;

export type ErrorName = keyof typeof errorCodes;

/** A refusal that reaches the client as `{ok: 0, code, codeName, errmsg}` or as a write error. */
export class CommandError extends Error {
  readonly code: number;
  readonly codeName: string;
  readonly extra: Doc;

  constructor(code: number, codeName: string, message: string, extra: Doc = {}) {
    super(message);
    this.name = 'CommandError';
    this.code = code;
    this.codeName = codeName;
    this.extra = extra;
  }
}

/** An error with one of the server's named codes. */
export function failure(name: ErrorName, message: string, extra?: Doc): CommandError {
  return new CommandError(errorCodes[name], name, message, extra);
}

/** An error with a bare location code, which the server names `Location<code>`. */
export function location(code: number, message: string): CommandError {
  return new CommandError(code, `Location${code}`, message);
}
