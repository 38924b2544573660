import { aspi } from './aspi.ts';
import { bca } from './bca.ts';
import { dana } from './dana.ts';
import type { Provider } from './provider.ts';

/** Every provider, by what `RAIL_<NAME>_PROVIDER` says. A further one is a file beside this one, and a line here. */
const PROVIDERS: readonly Provider[] = [aspi, dana, bca];

export const PROVIDER_NAMES: readonly string[] = PROVIDERS.map(({ name }) => name);

export function findProvider(name: string): Provider | undefined {
  return PROVIDERS.find((provider) => provider.name === name);
}
