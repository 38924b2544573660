import { canonicalJson } from '@gerbang/core';
import type { Closeable, Logger } from '@gerbang/runtime';
import type { EntryContent } from '../audit/entry.ts';
import type { OperatorLog } from '../audit/log.ts';

const WINDOW_MS = 60_000;
/** Refusals of a source that are logged one by one within a window. */
const ENTRIES_PER_SOURCE = 10;
/** Sources that are told apart within a window; all further ones count as one. */
const SOURCES_MAX = 20;
const FURTHER = 'further sources';

/**
 * Writes calls without a valid token, and those whose token could not be checked, to the audit log. Anybody who reaches a service can make such calls, so their entries are
 * bounded: in a minute the first ten of each source, and at its end one entry that tells how many more there were; of more than
 * twenty sources the further ones share these. So one process writes no more than 231 entries a minute. Closing writes what is
 * still only counted.
 */
export type RefusedTokens = Closeable & {
  write(refused: Partial<EntryContent> & { source: string }): Promise<void>;
};

type Source = { written: number; more: number };
type Window = { sinceMs: number; sources: Map<string, Source>; end: NodeJS.Timeout };

export function logRefusedTokens(options: {
  audit: Pick<OperatorLog, 'append'>;
  log: Logger;
  realNow: () => number;
  newId: (nowMs: number) => string;
  windowMs?: number;
}): RefusedTokens {
  const { audit, log, realNow, newId, windowMs = WINDOW_MS } = options;
  let open: Window | undefined;
  let summarized: Promise<void> = Promise.resolve();

  const append = async (entry: Partial<EntryContent>): Promise<void> => {
    await audit.append({ refusal: 'unauthorized', ...entry, command: newId(realNow()), outcome: 'refused' });
  };
  const summarize = async ({ sinceMs, sources }: Window): Promise<void> => {
    for (const [source, { more }] of sources) {
      if (more === 0) continue;
      const after = { calls: more, from: new Date(sinceMs).toISOString(), until: new Date(realNow()).toISOString() };
      const reason = `${more} more calls without a valid token, which have no entries of their own`;
      await append({ source, reason, after: canonicalJson(after) });
    }
  };
  const endWindow = () => {
    if (open === undefined) return;
    const ended = open;
    open = undefined;
    clearTimeout(ended.end);
    const write = () => summarize(ended);
    summarized = summarized.then(write).catch((error: unknown) => {
      const calls = [...ended.sources.values()].reduce((sum, { more }) => sum + more, 0);
      log.error({ err: error, suppressed: calls }, 'alert: the audit log could not be told how many calls had no valid token');
    });
  };
  const currentSource = (name: string): Source => {
    open ??= { sinceMs: realNow(), sources: new Map(), end: setTimeout(endWindow, windowMs) };
    const { sources } = open;
    const key = sources.has(name) || sources.size < SOURCES_MAX ? name : FURTHER;
    const source = sources.get(key) ?? { written: 0, more: 0 };
    sources.set(key, source);
    return source;
  };
  return {
    async write(refused) {
      const source = currentSource(sourceOf(refused.source));
      if (source.written < ENTRIES_PER_SOURCE) {
        source.written++;
        await append(refused);
      } else source.more++;
    },
    async close() {
      endWindow();
      await summarized;
    },
  };
}

/** The address without its port, which is another one for each connection, and the certificate's name. */
function sourceOf(source: string): string {
  return source.replace(/:\d+(?= |$)/, '');
}
