/** Whether the delivery log keeps what a host has answered. */
export type KeepsAnswersOf = (hostname: string) => boolean;

const NAME = /^(\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$|^\[[0-9a-f:.]+\]$/;

/**
 * Reads a comma-separated list of host names and addresses, IPv6 in brackets; `*.` before a name stands for all names below it.
 * Undefined where an entry is none.
 */
export function parseAnswerHosts(text: string): KeepsAnswersOf | undefined {
  const entries = text.split(',').map((entry) => entry.trim().toLowerCase());
  if (!entries.every((entry) => NAME.test(entry))) return undefined;
  const hosts = new Set(entries.filter((entry) => !entry.startsWith('*.')));
  const suffixes = entries.filter((entry) => entry.startsWith('*.')).map((entry) => entry.slice(1));
  return (hostname) => {
    const host = hostname.toLowerCase().replace(/\.$/, '');
    return hosts.has(host) || suffixes.some((suffix) => host.endsWith(suffix));
  };
}
