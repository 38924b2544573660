export { assembleService, type CommonConfig, type Foundation, openClock } from './foundation.ts';
export { answers, type HttpApp, listenHttp, startProbes } from './listen.ts';
