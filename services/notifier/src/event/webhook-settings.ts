import { describeRefusal, RefusalError, refuse } from '@gerbang/core';
import type { MerchantService, WebhookSettings } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { RpcClient } from '@gerbang/rpc';
import type { Logger } from '@gerbang/runtime';

/** How long a merchant's secret is cached. A rotated secret must reach the signatures soon. */
const TRUST_MS = 3_000;
const SIGNERS_MAX = 10_000;
/** Queries in one call; the merchant service takes no more. */
const QUERIES_MAX = 1_000;
const TIMEOUT_MS = 3_000;

/** What signs a merchant's webhooks. Without an active credential there is no secret. */
export type Signer = { partnerId: string; clientSecret: string | undefined };

export type SettingsQuery = { merchantId: string; atMs: number };

/** The merchant service's answers on webhooks. */
export type SettingsDirectory = {
  /**
   * The settings at each of the moments, in the order of the queries, with one call for each thousand. Undefined where the
   * merchant service fails for one merchant, which must not delay the others. Refusals: unavailable, timeout.
   */
  at(queries: readonly SettingsQuery[]): Promise<(WebhookSettings | undefined)[]>;
  /** The secret that signs a webhook now, at most 3 s old. Refusals: merchant_not_found, unavailable, timeout. */
  signer(merchantId: string): Promise<Signer>;
};

export function createSettingsDirectory(merchants: RpcClient<typeof MerchantService>, log: Logger): SettingsDirectory {
  const signers = new Map<string, { signer: Signer; askedAtMs: number }>();
  const asking = new Map<string, Promise<Signer>>();

  const remember = (items: readonly WebhookSettings[], askedAtMs: number) => {
    for (const { merchantId, partnerId, clientSecret } of items) {
      if (merchantId === '') continue;
      signers.delete(merchantId);
      signers.set(merchantId, { signer: { partnerId, clientSecret: clientSecret === '' ? undefined : clientSecret }, askedAtMs });
    }
    for (const merchantId of signers.keys()) {
      if (signers.size <= SIGNERS_MAX) break;
      signers.delete(merchantId);
    }
  };
  const ask = async (queries: readonly SettingsQuery[]): Promise<WebhookSettings[]> => {
    const askedAtMs = performance.now();
    const request = { queries: queries.map(({ merchantId, atMs }) => ({ merchantId, atMs: BigInt(atMs) })) };
    const { items } = await merchants.listWebhookSettings(request, { timeoutMs: TIMEOUT_MS });
    if (items.length !== queries.length) throw new Error(`${queries.length} queries for settings had ${items.length} answers`);
    remember(items, askedAtMs);
    return items;
  };
  /** Halves the queries that fail together until it finds the one that fails. */
  const askApart = async (queries: readonly SettingsQuery[]): Promise<(WebhookSettings | undefined)[]> => {
    try {
      return await ask(queries);
    } catch (error) {
      if (!(error instanceof RefusalError) || describeRefusal(error.refusal.refused).retryable) throw error;
      if (queries.length <= 1) {
        log.error({ err: error, merchant_id: queries[0]?.merchantId }, 'the settings of a merchant cannot be asked');
        return queries.map(() => undefined);
      }
      const half = Math.ceil(queries.length / 2);
      return [...(await askApart(queries.slice(0, half))), ...(await askApart(queries.slice(half)))];
    }
  };
  const askSigner = async (merchantId: string): Promise<Signer> => {
    await ask([{ merchantId, atMs: Date.now() }]);
    const known = signers.get(merchantId);
    if (known === undefined) throw new RefusalError(refuse('merchant_not_found'));
    return known.signer;
  };

  return {
    async at(queries) {
      const answers: (WebhookSettings | undefined)[] = [];
      for (let i = 0; i < queries.length; i += QUERIES_MAX) answers.push(...(await askApart(queries.slice(i, i + QUERIES_MAX))));
      return answers;
    },
    async signer(merchantId) {
      const known = signers.get(merchantId);
      if (known !== undefined && performance.now() - known.askedAtMs < TRUST_MS) return known.signer;
      const running = asking.get(merchantId) ?? askSigner(merchantId).finally(() => asking.delete(merchantId));
      asking.set(merchantId, running);
      return running;
    },
  };
}
