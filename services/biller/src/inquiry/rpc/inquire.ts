import { newUlid, RefusalError, refuse, refuseField } from '@gerbang/core';
import type { InquirePrepaidRequest } from '@gerbang/proto/gerbang/biller/v1/biller';
import { callWithin } from '@gerbang/rails';
import type { PrepaidInquiryResult } from '@gerbang/rails/prepaid';
import type { Context } from '../../context.ts';
import { mustBeSold } from '../../cut-off.ts';
import { BILLER, type Product, whyNoCustomer } from '../../product/product.ts';
import { expiresAtMs, type Inquiry } from '../inquiry.ts';

/**
 * Asks the biller whose number it is and promises the price of now under a new reference number. Refusals: product_not_allowed,
 * validation (command, product_code, customer_id), vendor_inactive.
 */
export async function inquirePrepaid(context: Context, request: InquirePrepaidRequest) {
  const { merchants, clock, inquiries, metrics } = context;
  await merchants.admitProduct(request.merchantId, BILLER);
  const product = await mustFindProduct(context, request);
  const { customerId } = request;
  const problem = whyNoCustomer(product, customerId);
  if (problem !== undefined) throw new RefusalError(refuseField('customer_id', problem));
  mustBeSold(context.cutOff, product.command, clock.now());
  const referenceNumber = newUlid(clock.now());
  const question = { partnerReference: referenceNumber, railCode: product.railCode, customerNumber: customerId };
  const found = await callWithin(context.railTimeoutMs, (signal) => context.rail.inquire(question, { signal }));
  metrics.inquired(product.command, found.outcome);
  const inquiry: Inquiry = {
    referenceNumber,
    merchantId: request.merchantId,
    command: product.command,
    productCode: product.code,
    railCode: product.railCode,
    givesToken: product.givesToken,
    customerId,
    customerName: mustBeFound(context, found, product),
    amountSen: product.amountSen,
    adminSen: product.adminSen,
    createdAtMs: clock.now(),
  };
  await inquiries.record(inquiry);
  return { inquiry: toMessage(inquiry) };
}

async function mustFindProduct({ products, clock }: Context, { command, productCode }: InquirePrepaidRequest): Promise<Product> {
  const nowMs = clock.now();
  const product = await products.find(productCode, nowMs);
  if (product?.command === command) return product;
  const isCommand = (await products.listSold(nowMs, command)).length > 0;
  throw new RefusalError(
    isCommand ? refuseField('product_code', `is no product of ${command}`) : refuseField('command', 'is not known'),
  );
}

/** The customer's name. Refusals: validation (customer_id), vendor_inactive. */
function mustBeFound({ log }: Context, found: PrepaidInquiryResult, { command }: Product): string {
  switch (found.outcome) {
    case 'found':
      return found.customerName;
    case 'customer_unknown':
      throw new RefusalError(refuseField('customer_id', 'is not known to the biller'));
    case 'customer_blocked':
      throw new RefusalError(refuseField('customer_id', 'is blocked by the biller'));
    case 'unavailable':
      log.warn({ reason: found.reason, command }, 'the biller does not sell a product at the moment');
      throw new RefusalError(refuse('vendor_inactive', { message: 'The product is not sold at the moment; try again later' }));
    case 'unknown':
      if (found.needsOperator) log.error({ reason: found.reason, command }, 'the biller refuses our inquiries');
      throw new RefusalError(refuse('vendor_inactive', { message: 'The biller does not answer; try again later' }));
    default:
      return found satisfies never;
  }
}

function toMessage(inquiry: Inquiry) {
  const { referenceNumber, command, productCode, customerId, customerName, amountSen, adminSen } = inquiry;
  return {
    referenceNumber,
    command,
    productCode,
    customerId,
    customerName,
    amountSen,
    adminSen,
    createdAtMs: BigInt(inquiry.createdAtMs),
    expiresAtMs: BigInt(expiresAtMs(inquiry)),
  };
}
