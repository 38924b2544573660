export type {
  PrepaidInquiryResult,
  PrepaidPurchaseResult,
  PrepaidQuestion,
  PrepaidRail,
  PrepaidRequest,
} from './rail.ts';
export { openSnapPrepaid } from './snap.ts';
