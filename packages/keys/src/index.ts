export { hasKeys, type KeysConfig, keysRefusals, keysShape, openKeys } from './config.ts';
export { openEnvKeys } from './env-keys.ts';
export { type Envelope, formatSealed, parseSealed, type SealedDocument } from './envelope.ts';
export { openFileKeys } from './file-keys.ts';
export type { KeyEncryption, WrappedKey } from './key-encryption.ts';
export { createKeys, type Keys } from './keys.ts';
export { type KmsSettings, openKmsKeys } from './kms-keys.ts';
export { PURPOSES, type Purpose, prepaidToken, type Secret } from './purpose.ts';
export { kubernetesLogin, openVaultKeys, tokenFromFile, type VaultSettings } from './vault-keys.ts';
