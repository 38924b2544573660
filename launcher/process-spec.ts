import type { ReadinessProbe } from './readiness.ts';
import type { Secrets } from './secrets.ts';
import type { Ports } from './services.ts';

/** A process of the system: how it is started and how one knows that it is ready. */
export type ProcessSpec = {
  name: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Started together; the next stage waits until all of this one are ready. */
  stage: 'stores' | 'services';
  ready: ReadinessProbe;
};

export type TableOptions = {
  root: string;
  dataFolder: string;
  ports: Ports;
  secrets: Secrets;
  /** How many processes each service has, but for the simulator; above one they are a cluster (`npm start -- --replicas`). */
  replicas: number;
  /** MONGODB_URI and NATS_URL as given; then nothing is started for them. */
  mongodbUri: string | undefined;
  natsUrl: string | undefined;
  /** Variables that go before all others. */
  env: Record<string, string>;
  /** Those of one service, which go before these: for tests. */
  envOf?: ((service: string) => Record<string, string>) | undefined;
  /** The embedded MongoDB gives what is found without a sort in random order: for tests. */
  shuffleUnsorted?: boolean;
};

/**
 * A young generation large enough that little outlives it under load; idle services keep it small. No threads that help to
 * collect: on a small machine they would take the processors from the other services. A heap is collected when it has grown to
 * twice what lived in it, not to four times, so that a backlog takes little more memory than it has content. And no debugger by a
 * signal: it would show the process's secrets.
 */
export const NODE_FLAGS: readonly string[] = [
  '--max-semi-space-size=32',
  '--no-parallel-scavenge',
  '--heap-growing-percent=100',
  '--disable-sigusr1',
];
