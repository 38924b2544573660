/** Why connections of this process would not be verified: one line for each reason. Node reads the variable for every connection. */
export function tlsVerificationFaults({ NODE_TLS_REJECT_UNAUTHORIZED }: NodeJS.ProcessEnv): string[] {
  if (NODE_TLS_REJECT_UNAUTHORIZED !== '0') return [];
  return ['NODE_TLS_REJECT_UNAUTHORIZED is 0, which production refuses: anyone could answer as a bank, a database or Vault'];
}
