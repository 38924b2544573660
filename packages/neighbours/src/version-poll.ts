import type { MerchantService } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { RpcClient } from '@gerbang/rpc';
import type { Closeable, Logger } from '@gerbang/runtime';
import { VersionedCache } from './versioned-cache.ts';

/**
 * Hints that come sooner after a question than this are asked after together, so that a flood of them is no flood of questions.
 */
const HINT_PAUSE_MS = 50;

/** What may have changed: a merchant or, with `accountId`, one of its accounts. */
export type MerchantHint = { merchantId: string; accountId?: string };

type Cached = Pick<VersionedCache<{ version: bigint }>, 'versions' | 'versionOf' | 'confirm' | 'forget'>;

/** An entry as it is cached. */
type Entry = { id: string; version: bigint };

/** Keeps caches of what the merchant service owns in step with it. */
export type VersionPoll = Closeable & {
  /** Whether the merchant service has reported changes lately. */
  isFresh(): boolean;
  /**
   * Asks at once after what is cached of it. A hint may be wrong, and nothing hangs on getting one: it changes when is asked, not
   * what is believed.
   */
  mayHaveChanged(hint: MerchantHint): void;
};

/**
 * Asks the merchant service every 3 s which entries have changed, beginning now, and sooner after those of which a hint comes
 * (architecture §3). `merchants` are by merchant id, `accounts` by `accountKey`.
 */
export function pollVersions(options: {
  client: RpcClient<typeof MerchantService>;
  merchants: Cached;
  accounts?: Cached;
  log: Logger;
}): VersionPoll {
  const { client, merchants, accounts, log } = options;
  let freshUntilMs = Number.NEGATIVE_INFINITY;
  const ask = async (asked: { merchants: Entry[]; accounts: Entry[] }) => {
    const answer = await client.checkVersions(
      { merchants: asked.merchants, accounts: asked.accounts.map(({ id, version }) => ({ id: accountIdOf(id), version })) },
      { timeoutMs: VersionedCache.POLL_MS },
    );
    const changed = new Set(answer.changedAccountIds);
    return {
      merchants: answer.changedMerchantIds,
      accounts: asked.accounts.map(({ id }) => id).filter((id) => changed.has(accountIdOf(id))),
    };
  };
  const poll = async () => {
    const askedAtMs = performance.now();
    const changed = await ask({ merchants: merchants.versions(), accounts: accounts?.versions() ?? [] });
    merchants.confirm(changed.merchants, askedAtMs);
    accounts?.confirm(changed.accounts, askedAtMs);
    freshUntilMs = askedAtMs + VersionedCache.TRUST_MS;
  };
  const pollAndLog = () => {
    poll().catch((error: unknown) => log.warn({ err: error }, 'could not ask which merchants have changed'));
  };
  const polling = setInterval(pollAndLog, VersionedCache.POLL_MS);
  polling.unref();
  pollAndLog();

  const hinted = { merchants: new Set<string>(), accounts: new Set<string>() };
  let pause: NodeJS.Timeout | undefined;
  let closed = false;
  const askAfterHints = async () => {
    const changed = await ask({ merchants: take(hinted.merchants, merchants), accounts: take(hinted.accounts, accounts) });
    for (const id of changed.merchants) merchants.forget(id);
    for (const id of changed.accounts) accounts?.forget(id);
  };
  const askNow = () => {
    askAfterHints().catch((error: unknown) => log.debug({ err: error }, 'could not ask after a hint; the next poll does'));
    pause = setTimeout(() => {
      pause = undefined;
      if (!closed && hinted.merchants.size + hinted.accounts.size > 0) askNow();
    }, HINT_PAUSE_MS);
    pause.unref();
  };
  return {
    isFresh: () => performance.now() < freshUntilMs,
    mayHaveChanged({ merchantId, accountId }) {
      if (accountId === undefined) {
        if (merchants.versionOf(merchantId) === undefined) return;
        hinted.merchants.add(merchantId);
      } else {
        const key = accountKey(merchantId, accountId);
        if (accounts?.versionOf(key) === undefined) return;
        hinted.accounts.add(key);
      }
      if (pause === undefined && !closed) askNow();
    },
    async close() {
      closed = true;
      clearInterval(polling);
      clearTimeout(pause);
    },
  };
}

/** The key under which an account is cached: whose it is belongs to what is asked for. */
export function accountKey(merchantId: string, accountId: string): string {
  return `${merchantId}/${accountId}`;
}

/** Takes all ids out of a set, with the versions under which they are cached by now. */
function take(ids: Set<string>, cache: Cached | undefined): Entry[] {
  const taken: Entry[] = [];
  for (const id of ids) {
    const version = cache?.versionOf(id);
    if (version !== undefined) taken.push({ id, version });
  }
  ids.clear();
  return taken;
}

function accountIdOf(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}
