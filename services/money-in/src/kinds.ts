import type { VaSeries } from '@gerbang/core';
import { ewalletCheckout } from './ewallet-checkout/kind.ts';
import { paymentLink } from './payment-link/kind.ts';
import { type Kind, type Kinds, openKinds } from './payment-request/kind.ts';
import { qris } from './qris/kind.ts';
import { retail } from './retail/kind.ts';
import { cardMethod } from './session/card-method.ts';
import { session } from './session/kind.ts';
import { virtualAccount } from './virtual-account/kind.ts';

/** Every kind of payment request that there is. A further one takes a line here. */
export function listKinds({ vaSeries }: { vaSeries: VaSeries }): Kinds {
  const kinds: Kind[] = [virtualAccount(vaSeries), qris, ewalletCheckout, retail, paymentLink];
  const methods = [...kinds.flatMap(({ method }) => method ?? []), cardMethod];
  return openKinds([...kinds, session(methods)], methods);
}
