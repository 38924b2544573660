export { type CommandFailure, failCommand, type Held, lockFailPoints, withAppName } from '@gerbang/fail-points';
export { CARD_CANARIES, CVV_CANARY, leaksIn, leaksInDatabases, leaksInFolder, REFERENCE_CANARY } from './canary.ts';
export { type CertificateNames, createAuthority, TEST_TRUST_DOMAIN, type TestCertificate } from './certificates.ts';
export { Crash, type Death, type Dying, deathsOf, dying, untilDeath, untilDeathOrRefusal } from './crash.ts';
export { eventually } from './eventually.ts';
export { startTestMongo, type TestMongo } from './mongo.ts';
export { freePort, startTestNats, type TestNats } from './nats.ts';
export { testLog } from './quiet-log.ts';
