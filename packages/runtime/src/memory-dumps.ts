import { readFileSync } from 'node:fs';

/**
 * Flags of Node by which a process writes its memory, its environment or the keys of its TLS connections to a file, or shows them to
 * a debugger.
 */
const DUMPING =
  /^--(?:inspect(?:-.+)?|heapsnapshot-.+|heap-prof(?:-.+)?|report-(?:on-.+|signal|uncaught-exception)|abort-on-uncaught-exception|tls-keylog|no-disable-sigusr1)$/;
/** Files of flags, which are not looked into. */
const FILES_OF_FLAGS = /^--experimental-(?:default-)?config-file$/;
/** Without it SIGUSR1 opens the debugger of any Node process. */
const NO_DEBUGGER = '--disable-sigusr1';

export type ProcessState = {
  /** The flags before the script, as `process.execArgv`. */
  flags: readonly string[];
  /** NODE_OPTIONS, or empty. */
  nodeOptions: string;
  /** The largest core file that the system may write, as it says it; undefined where it does not say. */
  coreFileBytes: string | undefined;
};

/** How this process runs. */
export function processState(): ProcessState {
  return { flags: process.execArgv, nodeOptions: process.env.NODE_OPTIONS ?? '', coreFileBytes: coreFileBytes() };
}

/**
 * Why the memory of a process could end up in a file: one line for each reason. Keys, secrets and card data are in it, so production
 * does not start then.
 */
export function memoryDumpFaults({ flags, nodeOptions, coreFileBytes: bytes }: ProcessState): string[] {
  // Within NODE_OPTIONS Node takes quotes and backslashes away.
  const options = nodeOptions.replace(/["\\]/g, '').split(/\s+/);
  const names = [...flags, ...options].map((flag) => flag.replace(/=.*$/s, '').replaceAll('_', '-'));
  const refused = [...new Set(names)].filter((name) => DUMPING.test(name) || FILES_OF_FLAGS.test(name));
  return [
    ...refused.map((name) => `Node is started with ${name}, which production refuses: it can show or write the process's memory`),
    ...(names.includes(NO_DEBUGGER) ? [] : [`Node is started without ${NO_DEBUGGER}: any SIGUSR1 would open its debugger`]),
    ...(bytes === undefined || bytes === '0' ? [] : [`core files may have ${bytes} bytes; start it under \`ulimit -c 0\``]),
  ];
}

function coreFileBytes(): string | undefined {
  try {
    return /^Max core file size +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  } catch {
    // Only Linux has the file.
    return undefined;
  }
}
