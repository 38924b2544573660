import { arch, totalmem } from 'node:os';
import { ObjectId } from 'bson';
import { type Doc, isDoc, isNumeric } from '../bson/types.ts';
import { failure } from '../errors.ts';
import type { Settings } from '../storage/collection.ts';
import { type Command, flag } from './context.ts';
import { checkFields } from './fields.ts';

/** The server this one stands for: MongoDB 7.0. */
const version = '7.0.0';
const wireVersionMax = 21;
export const messageBytesMax = 48_000_000;

const electionId = new ObjectId('7fffffff0000000000000001');

/** `hello` and its older names. No topologyVersion is told, so drivers poll and don't wait on an open `hello`. */
export const hello: Command = (body, context) => {
  const { info } = context;
  const me = `${info.host}:${info.port}`;
  return {
    ...('hello' in body ? { isWritablePrimary: true } : { ismaster: true }),
    helloOk: true,
    hosts: [me],
    setName: info.setName,
    setVersion: 1,
    secondary: false,
    primary: me,
    me,
    electionId,
    maxBsonObjectSize: 16 * 1024 * 1024,
    maxMessageSizeBytes: messageBytesMax,
    maxWriteBatchSize: 100_000,
    localTime: context.now,
    logicalSessionTimeoutMinutes: 30,
    connectionId: context.connection.id,
    minWireVersion: 0,
    maxWireVersion: wireVersionMax,
    readOnly: false,
    ok: 1,
  };
};

export const ping: Command = () => ({ ok: 1 });

export const buildInfo: Command = () => ({
  version,
  gitVersion: 'embedded',
  modules: ['embedded'],
  sysInfo: 'embedded',
  versionArray: [7, 0, 0, 0],
  bits: 64,
  debug: false,
  maxBsonObjectSize: 16 * 1024 * 1024,
  storageEngines: ['sqlite'],
  ok: 1,
});

export const serverStatus: Command = (_body, context) => {
  const uptimeMs = context.now.getTime() - context.info.startedAt.getTime();
  const memory = process.memoryUsage();
  return {
    host: `${context.info.host}:${context.info.port}`,
    version,
    process: 'embedded-mongo',
    pid: BigInt(process.pid),
    uptime: uptimeMs / 1000,
    uptimeMillis: BigInt(Math.round(uptimeMs)),
    localTime: context.now,
    connections: { current: context.info.connections() },
    mem: { bits: 64, resident: Math.round(memory.rss / 2 ** 20), virtual: Math.round(memory.rss / 2 ** 20), supported: true },
    metrics: { cursor: { open: { total: BigInt(context.cursors.count) } } },
    repl: { setName: context.info.setName, isWritablePrimary: true, hosts: [`${context.info.host}:${context.info.port}`] },
    storageEngine: { name: 'sqlite', persistent: true },
    ok: 1,
  };
};

export const hostInfo: Command = (_body, context) => ({
  system: { currentTime: context.now, hostname: context.info.host, cpuArch: arch(), memSizeMB: Math.round(totalmem() / 2 ** 20) },
  ok: 1,
});

const fixedParameters: Doc = {
  featureCompatibilityVersion: { version: '7.0' },
  authenticationMechanisms: [],
  enableTestCommands: true,
  requireApiVersion: false,
  ttlMonitorEnabled: true,
};

/** The parameters that can be set, and the settings behind them. */
const settable: ReadonlyArray<[name: string, setting: keyof Settings]> = [
  ['notablescan', 'noTableScan'],
  ['shuffleUnsorted', 'shuffleUnsorted'],
];

export const getParameter: Command = (body, context) => {
  const { settings } = context.store;
  const own = settable.map(([name, setting]) => [name, settings[setting]]);
  const parameters: Doc = { ...fixedParameters, ...Object.fromEntries(own) };
  const wanted = body.getParameter;
  const all = wanted === '*' || (isDoc(wanted) && wanted.allParameters === true);
  const names = all ? Object.keys(parameters) : Object.keys(body).filter((name) => Object.hasOwn(parameters, name));
  if (names.length === 0) throw failure('InvalidOptions', 'no option found to get');
  return { ...Object.fromEntries(names.map((name) => [name, parameters[name]])), ok: 1 };
};

/**
 * `notablescan` makes a query that no index serves an error; `shuffleUnsorted`, which no MongoDB has, shuffles what has no sort.
 */
export const setParameter: Command = (body, context) => {
  if (context.db !== 'admin') throw failure('Unauthorized', 'setParameter may only be run against the admin database.');
  const { settings } = context.store;
  const wanted = settable.filter(([name]) => typeof body[name] === 'boolean' || isNumeric(body[name]));
  const [first] = wanted;
  if (!first) throw failure('InvalidOptions', 'no option found to set, use help:true to see options ');
  checkFields(body, 'setParameter', Object.fromEntries(wanted.map(([name]) => [name, 'flag' as const])));
  const was = settings[first[1]];
  for (const [name, setting] of wanted) settings[setting] = flag(body, name);
  return { was, ok: 1 };
};

/** Sessions end by themselves; nothing waits for them here. */
export const endSessions: Command = () => ({ ok: 1 });

export const transactions: Command = () => {
  throw failure('OperationNotSupportedInTransaction', 'Multi-document transactions are not supported by this server');
};
