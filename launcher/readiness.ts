import { connect } from 'node:net';
import { isReplicaSetReady } from './replica-set.ts';

const PROBE_TIMEOUT_MS = 3_000;

/** How one knows that a process is ready: its port takes connections, its probe answers 200, or its replica set has a primary. */
export type ReadinessProbe = { tcp: number; host?: string } | { http: string } | { replicaSet: { name: string; port: number } };

/** Asks once; any error means not yet. */
export async function isReady(probe: ReadinessProbe): Promise<boolean> {
  if ('tcp' in probe) return accepts(probe.tcp, probe.host);
  if ('replicaSet' in probe) return (await accepts(probe.replicaSet.port)) && isReplicaSetReady(probe.replicaSet);
  try {
    const response = await fetch(probe.http, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

function accepts(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    const answer = (yes: boolean) => {
      socket.destroy();
      resolve(yes);
    };
    socket.once('connect', () => answer(true)).once('error', () => answer(false));
  });
}
