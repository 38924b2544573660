export { assembleService, type CommonConfig, type Foundation, openClock } from './foundation.ts';
export { answers, type HttpApp, listenHttp, startProbes } from './listen.ts';
export {
  boundConnections,
  closingAfter,
  createLimitMetrics,
  type LimitMetrics,
  shareOf,
  type Timeouts,
  timeoutsOf,
} from './listener-limits.ts';
export { answeringMalformed, hostProblem, newRequestId } from './malformed.ts';
