import type { CardData } from '@gerbang/rails/card';

/** The sandbox's test cards (contract §7): merchants' own tests charge them as often as they like. */
const TEST_CARDS = ['4811111111111114', '4911111111111113', '4411111111111118', '4472429869996670', '4024007176265022'];
/** Those of 3DS (docs/cards.md). */
const THREE_DS_CARDS = ['4000000000002', '4000000000003'];

/** Whether a card is one of the sandbox's test cards. */
export function isTestCard(card: CardData): boolean {
  return [...TEST_CARDS, ...THREE_DS_CARDS].some((number) => card.hasPrefix(number));
}
