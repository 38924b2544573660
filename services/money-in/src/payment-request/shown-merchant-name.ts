import { RefusalError } from '@gerbang/core';
import type { Context } from '../context.ts';
import { merchantNameOf } from './merchant-name.ts';

/**
 * The merchant's name on a page; empty while the merchant service does not answer: then what is to be paid and how it
 * stands matters more than a page that is not shown.
 */
export async function shownMerchantName(
  context: Pick<Context, 'merchants' | 'log'>,
  owner: { merchantId: string; accountId: string },
): Promise<string> {
  try {
    return await merchantNameOf(context, owner);
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    context.log.warn({ err: error, merchant_id: owner.merchantId }, 'a page is shown without the name of its merchant');
    return '';
  }
}
