import { type RailConfig, railFromConfig, railVariables } from '@gerbang/rails';
import { openSnapCardless } from '@gerbang/rails/cardless-withdrawal';
import type { ToldHistory } from '../reconciliation/rails.ts';
import { phoneKeys } from '../reconciliation/remark.ts';
import { readDetails } from './document.ts';

/** How the bank whose machines give cash is reached. */
export const cardlessVariables = railVariables('CARDLESS');

export const openCardless = (config: RailConfig<'CARDLESS'>) => openSnapCardless(railFromConfig(config, 'CARDLESS'));

/** The bank's statement names the phone of the customer who has drawn the cash. */
export const cardlessHistory: ToldHistory = {
  name: 'cardless',
  style: 'bank-statement',
  idPrefix: '',
  cluesOf: (document) => ({ keys: phoneKeys(readDetails(document).phoneNumber), text: '' }),
};
