import type { KMSClient } from '@aws-sdk/client-kms';
import { type KeyEncryption, mustBeKid, unavailable } from './key-encryption.ts';
import type { Purpose } from './purpose.ts';

/** `endpoint` and `credentials` are AWS's own, by the SDK's usual ways, unless a test gives others. */
export type KmsSettings = {
  region: string;
  /** The alias of a purpose's key is `alias/<prefix>-<purpose>`. */
  prefix: string;
  endpoint?: string;
  credentials?: { accessKeyId: string; secretAccessKey: string };
};

const ATTEMPTS = 3;
const CONNECT_MS = 1_000;
const REQUEST_MS = 2_000;

/** KMS has said no, and will say so again. */
const FINAL = new Set([
  'AccessDeniedException',
  'DisabledException',
  'IncorrectKeyException',
  'InvalidCiphertextException',
  'InvalidKeyUsageException',
  'KMSInvalidStateException',
  'NotFoundException',
]);

/**
 * Keys in AWS KMS, which never gives them away: it wraps and unwraps. One key for each purpose, found by its alias, so that key
 * policies say which service opens what; the purpose is the encryption context. Rotating by alias changes the kid; KMS's own yearly
 * rotation does not, and needs no resealing.
 */
export async function openKmsKeys({ region, prefix, endpoint, credentials }: KmsSettings): Promise<KeyEncryption> {
  // Some megabytes, which only those load who use it.
  const { KMSClient, EncryptCommand, DecryptCommand } = await import('@aws-sdk/client-kms');
  const client: KMSClient = new KMSClient({
    region,
    maxAttempts: ATTEMPTS,
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: REQUEST_MS, throwOnRequestTimeout: true },
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials !== undefined && { credentials }),
  });
  const contextOf = (purpose: Purpose) => ({ application: 'gerbang', purpose });
  return {
    name: 'aws-kms',
    async wrap(purpose, dataKey) {
      const command = new EncryptCommand({
        KeyId: `alias/${prefix}-${purpose}`,
        Plaintext: dataKey,
        EncryptionContext: contextOf(purpose),
      });
      const { KeyId, CiphertextBlob } = await told(client.send(command));
      if (KeyId === undefined || CiphertextBlob === undefined) throw new Error('KMS has answered without a ciphertext');
      return { kid: mustBeKid(KeyId.slice(KeyId.lastIndexOf('/') + 1)), wrapped: CiphertextBlob };
    },
    async unwrap(purpose, { kid, wrapped }) {
      const command = new DecryptCommand({ KeyId: kid, CiphertextBlob: wrapped, EncryptionContext: contextOf(purpose) });
      const { Plaintext } = await told(client.send(command));
      if (Plaintext === undefined) throw new Error('KMS has answered without a plaintext');
      return Plaintext;
    },
    earlierKey: async () => undefined,
  };
}

async function told<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && FINAL.has(error.name)) throw error;
    throw unavailable('KMS can not be reached', error);
  }
}
