import { CardData, openRestCardRail } from '@gerbang/rails/card';
import type { Secrets } from '../../../launcher/secrets.ts';
import type { Turn } from '../harness/benchmark.ts';
import { callLoop } from '../harness/call-load.ts';

/** Authorisations sent to the simulator's acquirer directly, by the client that cards uses. */
export function openBareAcquirer(resources: AsyncDisposableStack, { url, secrets }: { url: string; secrets: Secrets }) {
  const { clientKey, clientSecret } = secrets.rail;
  const rail = openRestCardRail({ url: `${url}/card`, clientKey, clientSecret });
  resources.defer(() => rail.close());
  const card = new CardData({ number: '4411111111111118', expiry: '12/39', cvv: '123', holderName: 'BUDI SANTOSO' });
  let count = 0;
  const authorise = async () => {
    count++;
    const request = {
      reference: `bare-${count}`,
      amountSen: '1000000',
      installmentMonths: 1,
      merchantReference: '',
      merchantName: 'Bench',
      returnUrl: 'http://127.0.0.1/',
    };
    const { outcome } = await rail.authorise(request, card, { signal: AbortSignal.timeout(10_000) });
    if (outcome !== 'authorised') throw new Error(`the authorisation is ${outcome}`);
  };
  return (options: { callers: number; durationMs: number }): Turn => ({
    durationMs: options.durationMs,
    measure: (durationMs) => callLoop(authorise, { ...options, durationMs }),
  });
}
