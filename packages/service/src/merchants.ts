import { accessFromConfig, type BusConfig, type Nats, openNats } from '@gerbang/bus/nats';
import { createMerchantDirectory, listenForMerchantHints, type MerchantDirectory, type VersionPoll } from '@gerbang/neighbours';
import { MerchantService } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { RpcClient } from '@gerbang/rpc';
import type { Foundation } from './foundation.ts';
import { type CallerConfig, openChannel } from './rpc.ts';

/** Opens what a service knows of merchants and accounts, for one that hears hints of changes from `nats`. */
export function openMerchants(
  foundation: Foundation<CallerConfig & { MERCHANT_RPC: string }>,
  nats: Pick<Nats, 'reached'>,
): MerchantDirectory {
  const channel = openChannel(foundation, 'merchant', foundation.config.MERCHANT_RPC);
  const directory = openDirectory(foundation, channel.client(MerchantService));
  passOnHints(foundation, nats, [directory]);
  return directory;
}

/** Opens only the directory, for a service that has its own channel to the merchant service. */
export function openDirectory(
  { log, closing }: Foundation,
  merchants: RpcClient<typeof MerchantService>,
): MerchantDirectory & Pick<VersionPoll, 'mayHaveChanged'> {
  const directory = createMerchantDirectory({ merchants, log });
  closing.push('merchant directory', () => directory.close());
  return directory;
}

/** Passes hints of changed merchants and accounts on to caches, which then ask at once instead of at their next poll. */
export function passOnHints(
  { log, closing }: Foundation,
  nats: Pick<Nats, 'reached'>,
  caches: readonly Pick<VersionPoll, 'mayHaveChanged'>[],
): void {
  const hints = listenForMerchantHints({
    nats,
    log,
    onHint(hint) {
      for (const cache of caches) cache.mayHaveChanged(hint);
    },
  });
  closing.push('hints', () => hints.close());
}

/** Connects to NATS in the background, for a service that only hears hints there. */
export function openHintConnection({ name, config, log, closing }: Foundation<BusConfig>): Nats {
  const nats = openNats({ access: accessFromConfig(config), name, log });
  closing.push('nats', () => nats.close());
  return nats;
}
