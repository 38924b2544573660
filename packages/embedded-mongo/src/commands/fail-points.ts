import { type Doc, isDoc, isNumeric } from '../bson/types.ts';
import { CommandError, errorCodes, failure } from '../errors.ts';

type FailPoint = { left: number; skip: number; probability: number; data: Doc };

/** What a fail point does to one command. */
export type Failing = {
  closeConnection: boolean;
  blockMs: number;
  error: CommandError | undefined;
  writeConcernError: Doc | undefined;
  errorLabels: string[] | undefined;
};

const known = new Set(['failCommand', 'onPrimaryTransactionalWrite']);
const codeNames = new Map<number, string>([
  ...Object.entries(errorCodes).map(([name, code]) => [code, name] as [number, string]),
  [10107, 'NotWritablePrimary'],
  [11600, 'InterruptedAtShutdown'],
  [11602, 'InterruptedDueToReplStateChange'],
  [13435, 'NotPrimaryNoSecondaryOk'],
  [13436, 'NotPrimaryOrSecondary'],
  [189, 'PrimarySteppedDown'],
  [64, 'WriteConcernTimeout'],
  [89, 'NetworkTimeout'],
  [7, 'HostNotFound'],
  [9001, 'SocketException'],
  [262, 'ExceededTimeLimit'],
  [112, 'WriteConflict'],
  [11601, 'Interrupted'],
]);

/** Fail points, so that services can be tested against a failing database. */
export class FailPoints {
  readonly #active = new Map<string, FailPoint>();

  configure(name: string, mode: unknown, data: Doc): void {
    if (!known.has(name)) throw failure('FailPointSetFailed', `failpoint not found: ${name}`);
    if (mode === 'off') {
      this.#active.delete(name);
      return;
    }
    const options = isDoc(mode) ? mode : {};
    if (mode !== 'alwaysOn' && !isDoc(mode)) throw failure('BadValue', `unknown failpoint mode: ${String(mode)}`);
    this.#active.set(name, {
      left: isNumeric(options.times) ? Number(options.times) : Number.POSITIVE_INFINITY,
      skip: isNumeric(options.skip) ? Number(options.skip) : 0,
      probability: isNumeric(options.activationProbability) ? Number(options.activationProbability) : 1,
      data,
    });
  }

  /**
   * What happens to a command instead of running, undefined if nothing. Each call counts as one use; those of other
   * applications than the fail point's `appName`, or on other collections than its `namespace`, don't.
   */
  strike(command: string, body: Doc, appName: string | undefined): Failing | undefined {
    if (this.#active.size === 0) return undefined;
    const point = this.#active.get('failCommand');
    const commands = point?.data.failCommands;
    if (!point || !Array.isArray(commands) || !commands.includes(command) || !concerns(point, appName)) return undefined;
    if (point.data.namespace !== undefined && point.data.namespace !== `${body.$db}.${body[command]}`) return undefined;
    if (!this.#use('failCommand', point)) return undefined;
    const { data } = point;
    const labels = Array.isArray(data.errorLabels) ? data.errorLabels.map(String) : undefined;
    const code = isNumeric(data.errorCode) ? Number(data.errorCode) : undefined;
    return {
      closeConnection: data.closeConnection === true,
      blockMs: data.blockConnection === true ? Number(data.blockTimeMS ?? 0) : 0,
      error: code === undefined ? undefined : injected(code, "Failing command via 'failCommand' failpoint"),
      writeConcernError: isDoc(data.writeConcernError) ? data.writeConcernError : undefined,
      errorLabels: labels ?? labelsOf(code ?? writeConcernCode(data), body.txnNumber !== undefined),
    };
  }

  /**
   * What happens to a retryable write that executes something new: it is not run, or it is run and the client
   * does not see it; unless told otherwise the connection is closed.
   * A repeated write that only answers again is not struck. Unlike the real server's, this fail point knows `appName`.
   */
  strikeRetryable(moment: 'before' | 'after', appName: string | undefined): CommandError | 'close' | undefined {
    const point = this.#active.get('onPrimaryTransactionalWrite');
    if (!point || !concerns(point, appName)) return undefined;
    const { failBeforeCommitExceptionCode: code, closeConnection } = point.data;
    if ((code === undefined ? 'after' : 'before') !== moment || !this.#use('onPrimaryTransactionalWrite', point))
      return undefined;
    if (closeConnection !== false) return 'close';
    return code === undefined ? undefined : injected(Number(code), 'Failing write via onPrimaryTransactionalWrite');
  }

  #use(name: string, point: FailPoint): boolean {
    if (point.skip > 0) {
      point.skip--;
      return false;
    }
    if (point.probability < 1 && Math.random() >= point.probability) return false;
    if (--point.left <= 0) this.#active.delete(name);
    return true;
  }
}

const concerns = ({ data }: FailPoint, appName: string | undefined) => data.appName === undefined || data.appName === appName;

const injected = (code: number, message: string) => new CommandError(code, codeNames.get(code) ?? `Location${code}`, message);

const writeConcernCode = (data: Doc) => {
  const error = data.writeConcernError;
  return isDoc(error) && isNumeric(error.code) ? Number(error.code) : undefined;
};

const retryableCodes = new Set([6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** The label with which the server marks an error after which a retryable write may be sent again. */
export function labelsOf(code: number | undefined, retryable: boolean): string[] | undefined {
  return retryable && code !== undefined && retryableCodes.has(code) ? ['RetryableWriteError'] : undefined;
}
