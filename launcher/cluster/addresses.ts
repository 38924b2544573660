/** Servers of NATS in a cluster on one machine: the fewest of which one may be lost. */
export const NATS_SERVERS = 3;

/**
 * The address of a replica on this machine, from 1. Each has one of its own, so that all replicas of a service listen on the same
 * port, as they do in Kubernetes; 127.0.0.1 is left to the balancer. macOS has these addresses only once they are added
 * (`ifconfig lo0 alias 127.0.0.2`).
 */
export function addressOf(replica: number): string {
  return `127.0.0.${replica + 1}`;
}

/** The addresses of all replicas, or of all servers of NATS. */
export function addressesOf(replicas: number): string[] {
  return Array.from({ length: replicas }, (_, i) => addressOf(i + 1));
}

/** The name under which a service is called where it has replicas. It resolves to all of them (hosts.mjs). */
export function nameOf(service: string): string {
  return `${service}.gerbang.internal`;
}
