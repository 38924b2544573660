import { isDuplicateKey, type Store, traced } from '@gerbang/store';

type ClaimDocument = { _id: string; schema: number; merchant_id: string };

/**
 * Client ids and partner ids, each used once: the value is the `_id` of a claim (architecture §3). A claim is made before the
 * merchant that it points to is written; when a crash comes between, it points to no merchant, and the value stays unused for
 * ever.
 */
export type Claims = {
  /** False when it is another merchant's. */
  claimClientId(clientId: string, merchantId: string): Promise<boolean>;
  claimPartnerId(partnerId: string, merchantId: string): Promise<boolean>;
  /** Undefined when it is not claimed. */
  merchantOfClientId(clientId: string): Promise<string | undefined>;
};

export function openClaims(store: Store): Claims {
  const clientIds = store.collection<ClaimDocument>('client_ids');
  const partnerIds = store.collection<ClaimDocument>('partner_ids');
  const claim = async (collection: typeof clientIds, value: string, merchantId: string) => {
    try {
      await collection.insertOne({ _id: value, schema: 1, merchant_id: merchantId });
      return true;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const known = await collection.findOne({ _id: value }, { readConcern: 'linearizable' });
      return known?.merchant_id === merchantId;
    }
  };
  return {
    claimClientId: (clientId, merchantId) => claim(clientIds, clientId, merchantId),
    claimPartnerId: (partnerId, merchantId) => claim(partnerIds, partnerId, merchantId),
    async merchantOfClientId(clientId) {
      const known = await traced('findOne', 'client_ids', () => clientIds.findOne({ _id: clientId }));
      return known?.merchant_id;
    },
  };
}
