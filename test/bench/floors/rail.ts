import { openSnapBankTransfer } from '@gerbang/rails/bank-transfer';
import type { Secrets } from '../../../launcher/secrets.ts';
import type { Turn } from '../harness/benchmark.ts';
import { callLoop } from '../harness/call-load.ts';

/** Transfers sent to the simulator's bank directly, by the client that money-out uses. */
export function openBareRail(resources: AsyncDisposableStack, { url, secrets }: { url: string; secrets: Secrets }) {
  const rail = openSnapBankTransfer({
    url,
    clientKey: secrets.rail.clientKey,
    clientSecret: secrets.rail.clientSecret,
    privateKey: Buffer.from(secrets.rail.privateKey, 'base64').toString(),
    partnerId: 'gerbang',
    channelId: '95221',
  });
  resources.defer(() => rail.close());
  let count = 0;
  const transfer = async () => {
    count++;
    const request = {
      partnerReference: `bare-${count}`,
      externalId: String(10 ** 15 + count),
      amountSen: '1000',
      beneficiaryBankCode: '014',
      beneficiaryAccountNumber: '1234567890',
      beneficiaryAccountName: '',
      merchantReference: `bare-${count}`,
      remark: '',
      createdAtMs: Date.now(),
    };
    const { outcome } = await rail.transfer(request, { signal: AbortSignal.timeout(10_000), firstSend: true });
    if (outcome !== 'succeeded') throw new Error(`the bank's transfer is ${outcome}`);
  };
  return (options: { callers: number; durationMs: number }): Turn => ({
    durationMs: options.durationMs,
    measure: (durationMs) => callLoop(transfer, { ...options, durationMs }),
  });
}
