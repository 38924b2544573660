import { callWithin } from '@gerbang/rails';
import type { Rails } from '../rails.ts';
import type { Question, Rail, RailInquiry } from './rail.ts';

/** `unasked`: the rail has just not answered, and is not asked for a moment. */
export type RailAnswer = RailInquiry | { outcome: 'unasked' };

/** Asks a rail what has become of a payment. */
export type AskRail = (question: Question) => Promise<RailAnswer>;

/**
 * After so many questions in a row without an answer the breaker of a rail opens for a while, so that requests of other rails do
 * not wait for it.
 */
const OPEN_AFTER = 8;
const OPEN_MS = 2_000;
/** Of one rail at once: half the connections to it, so that customers who buy find one. */
const AT_ONCE = 64;

/** `timeoutMs`: of one question. `now` is a monotonic clock. */
export function createAskRail(
  rails: readonly Rail[],
  connections: Rails,
  { timeoutMs, now = () => performance.now() }: { timeoutMs: number; now?: () => number },
): AskRail {
  const asked = new Map(rails.map((rail) => [rail.name, { rail, breaker: createBreaker(now) }]));
  return async (question) => {
    const { rail, breaker } = asked.get(question.rail) ?? {};
    const inquire = rail?.inquire;
    if (breaker === undefined || inquire === undefined) throw new Error(`the rail ${question.rail} can't be asked`);
    if (breaker.isOpen()) return { outcome: 'unasked' };
    await breaker.enter();
    try {
      if (breaker.isOpen()) return { outcome: 'unasked' };
      breaker.asked();
      const answer = await callWithin<RailInquiry>(timeoutMs, (signal) => inquire(connections, question, signal));
      breaker.answered(answer.outcome !== 'unknown');
      return answer;
    } finally {
      breaker.leave();
    }
  };
}

/** The circuit breaker of one rail: bounds the questions that are under way, and opens when the rail has not answered lately. */
function createBreaker(now: () => number) {
  const waiting: (() => void)[] = [];
  let inside = 0;
  let unanswered = 0;
  let probing = false;
  let openUntil = Number.NEGATIVE_INFINITY;
  return {
    async enter(): Promise<void> {
      if (inside < AT_ONCE) inside++;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    leave(): void {
      const next = waiting.shift();
      if (next === undefined) inside--;
      else next();
    },
    /** After the pause one question at a time finds out whether it answers again. */
    isOpen: () => unanswered >= OPEN_AFTER && (now() < openUntil || probing),
    asked(): void {
      probing = unanswered >= OPEN_AFTER;
    },
    answered(isAnswer: boolean): void {
      probing = false;
      unanswered = isAnswer ? 0 : unanswered + 1;
      if (unanswered >= OPEN_AFTER) openUntil = now() + OPEN_MS;
    },
  };
}
