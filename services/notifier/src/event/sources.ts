import { type Bus, consume } from '@gerbang/bus';
import { EventSourceService } from '@gerbang/proto/gerbang/events/v1/events';
import type { Foundation } from '@gerbang/service';
import { openChannel } from '@gerbang/service/rpc';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { createConfirmations } from './confirmations.ts';
import { onEvents } from './on-events.ts';

/** Messages handed over together; each is one aggregate's tail. */
const BATCH_MAX = 200;

/** Consumes the events of every configured service, and confirms them to it. */
export function consumeSources(foundation: Foundation<Config>, context: Context, bus: Bus): void {
  const { name, config, log, closing } = foundation;
  const consumers = config.eventSources.map(({ service, address }) => {
    const channel = openChannel(foundation, service, address);
    const confirmations = createConfirmations(channel.client(EventSourceService), log);
    const consumer = consume({
      bus,
      service,
      durable: name,
      batchMax: BATCH_MAX,
      log,
      handle: (messages) => onEvents(context, service, confirmations, messages),
    });
    return async () => {
      await consumer.close();
      await confirmations.close();
    };
  });
  // Together, because each may have to wait for another one that ends at the same time.
  closing.push('events', async () => {
    await Promise.all(consumers.map((close) => close()));
  });
}
