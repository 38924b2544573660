import { fromBinary } from '@bufbuild/protobuf';
import type { Nats } from '@gerbang/bus/nats';
import { EventBatchSchema } from '@gerbang/proto/gerbang/events/v1/events';
import type { Closeable, Logger } from '@gerbang/runtime';
import type { MerchantHint } from './version-poll.ts';

const SUBJECT = 'gerbang.merchant.>';

/**
 * Reports changes of merchants and accounts as the merchant service publishes them, for caches that poll (architecture §3). A
 * hint may be lost, late or doubled, and any publisher can make one up: it only says that it is time to ask. So it
 * is a plain subscription, which needs no right but to read that subject, with nothing stored or acknowledged. Imports no store,
 * so that the edge can use it.
 */
export function listenForMerchantHints(options: {
  nats: Pick<Nats, 'reached'>;
  log: Logger;
  onHint: (hint: MerchantHint) => void;
}): Closeable {
  const { log } = options;
  let closed = false;
  let unsubscribe = () => {};
  const warn = (error: unknown) =>
    log.warn({ err: error }, 'no hints of changes come from NATS; merchants are polled all the same');
  const subscribe = async () => {
    const connection = await options.nats.reached();
    if (closed) return;
    // The client subscribes again by itself whenever it has reached NATS anew.
    const subscription = connection.subscribe(SUBJECT, {
      callback(error, message) {
        if (error !== null) return warn(error);
        const hint = read(message.data);
        if (hint !== undefined) options.onHint(hint);
      },
    });
    unsubscribe = () => subscription.unsubscribe();
  };
  subscribe().catch((error: unknown) => {
    if (!closed) warn(error);
  });
  return {
    async close() {
      closed = true;
      unsubscribe();
    },
  };
}

/** Undefined for what is no message of the merchant service, or of a kind that a later version may have. */
function read(data: Uint8Array): MerchantHint | undefined {
  try {
    const { aggregateType, aggregateId, merchantId } = fromBinary(EventBatchSchema, data);
    if (aggregateType === 'merchants') return { merchantId: aggregateId };
    return aggregateType === 'accounts' ? { merchantId, accountId: aggregateId } : undefined;
  } catch {
    return undefined;
  }
}
