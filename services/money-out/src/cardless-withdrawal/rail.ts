import { openSnapCardless, type RailConfig, railFromConfig, railVariables } from '@gerbang/rails';
import { env } from '@gerbang/runtime';

/** How the bank whose machines give cash is reached, and what its codes are sealed with. */
export const cardlessVariables = {
  ...railVariables('CARDLESS'),
  GERBANG_KEKS: env.keyRing(),
};

export const openCardless = (config: RailConfig<'CARDLESS'>) => openSnapCardless(railFromConfig(config, 'CARDLESS'));
