import type { Provider } from './provider.ts';
import { SNAP_SERVICES } from './services.ts';

/** SNAP as ASPI publishes it. The sandbox's rails speak it, and so does every provider that deviates in nothing. */
export const aspi: Provider = {
  name: 'aspi',
  signature: 'token',
  services: Object.fromEntries(Object.entries(SNAP_SERVICES).map(([name, { code: _, ...service }]) => [name, service])),
  bankTransfer: { bankCode: 'national' },
  ewalletTopup: { wallet: 'several' },
  qris: {},
};
