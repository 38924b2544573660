import { startTestMongo, type TestMongo } from '@gerbang/testkit';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { openSink, openWorld, type Sink, type World } from './world.ts';

type Answer = Parameters<typeof openSink>[0];

/**
 * One database server for the tests of a file, to be called at its head; the worlds and endpoints that a test opens are its own
 * and end with it.
 */
export function forEachTest() {
  let mongo: TestMongo | undefined;
  const opened: { close(): Promise<void> }[] = [];
  beforeAll(async () => {
    mongo = await startTestMongo();
  });
  afterAll(() => mongo?.stop());
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });
  const open = {
    async world(): Promise<World> {
      if (mongo === undefined) throw new Error('a world is opened within a test');
      const world = await openWorld(mongo);
      opened.push(world);
      return world;
    },
    async sink(answer?: Answer): Promise<Sink> {
      const sink = await openSink(answer);
      opened.push(sink);
      return sink;
    },
    /** The endpoint of a merchant whom the world's merchant service knows from now on. */
    async sinkOf(world: World, merchantId: string, answer?: Answer): Promise<Sink> {
      const sink = await open.sink(answer);
      const known = { partnerId: `partner-${merchantId}`, secret: `secret-${merchantId}`, url: () => sink.url };
      world.merchants.set(merchantId, known);
      return sink;
    },
  };
  return open;
}
