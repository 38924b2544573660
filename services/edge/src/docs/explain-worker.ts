import { parentPort, workerData } from 'node:worker_threads';
import { explainSignature, presentExplanation } from '@gerbang/core/workbench';
import type { Question } from './explain.ts';

/** Runs in a thread of its own and answers one question. */
const { received, secret, nowMs, ownString }: Question = workerData;
parentPort?.postMessage(presentExplanation(explainSignature(received, secret, { nowMs, ownString })));
