export type { Cause, Component, Difference } from './causes.ts';
export { type Explanation, explainSignature, presentExplanation } from './explain.ts';
export type { Received } from './received.ts';
