import type { Provider, ServiceProfile } from './provider.ts';

/** Our top-ups are an agent's, paid from what we have with DANA. */
const TOP_UP = { additionalInfo: { fundType: 'AGENT_TOPUP_FOR_USER_SETTLE' } };

const service = (path: string): ServiceProfile => ({ path, channelId: '95221', externalId: 'uuid' });

/** DANA, as its UAT scenarios have it: top-ups of its own wallets. There is no access token. */
export const dana: Provider = {
  name: 'dana',
  signature: 'own-key',
  services: {
    walletInquiry: { ...service('/rest/v1.0/emoney/account-inquiry'), ...TOP_UP },
    topup: { ...service('/rest/v1.0/emoney/topup'), ...TOP_UP },
    topupStatus: service('/rest/v1.0/emoney/topup-status'),
  },
  ewalletTopup: { wallet: 'DANA' },
};
