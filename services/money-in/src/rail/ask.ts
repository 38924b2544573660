import { callWithin, type EwalletInquiry, type EwalletRail, type QrisInquiry, type QrisRail } from '@gerbang/rails';

/** Which payment a rail is asked about, by the reference under which it was ordered; the amount without tip. */
export type Question = { rail: 'qris' | 'ewallet'; reference: string; amountSen: bigint };

/** `unasked`: the rail has just been silent, and is left alone for a moment. */
export type RailAnswer = QrisInquiry | EwalletInquiry | { outcome: 'unasked' };

/** Asks a rail what has become of a payment. */
export type AskRail = (question: Question) => Promise<RailAnswer>;

/** So many questions without an answer in a row are a rail that is silent; it is then left alone for a while, so that whoever is due behind does not wait for it. */
const SILENT_AFTER = 8;
const SILENT_MS = 2_000;
/** Of one rail at once: half the connections to it, so that customers who buy find one. */
const AT_ONCE = 64;

/** `timeoutMs`: of one question. `now` is a monotonic clock. */
export function createAskRail(
  { qris, ewallet }: { qris: QrisRail; ewallet: EwalletRail },
  timeoutMs: number,
  now = () => performance.now(),
): AskRail {
  const lines = { qris: newLine(now), ewallet: newLine(now) };
  const send = ({ rail, reference, amountSen }: Question): Promise<QrisInquiry | EwalletInquiry> => {
    const name = { partnerReference: reference, railReference: '' };
    return callWithin<QrisInquiry | EwalletInquiry>(timeoutMs, (signal) =>
      rail === 'qris' ? qris.query(name, { signal }) : ewallet.inquirePayment({ ...name, amountSen }, { signal }),
    );
  };
  return async (question) => {
    const line = lines[question.rail];
    if (line.isSilent()) return { outcome: 'unasked' };
    await line.enter();
    try {
      if (line.isSilent()) return { outcome: 'unasked' };
      line.asked();
      const answer = await send(question);
      line.heard(answer.outcome !== 'unknown');
      return answer;
    } finally {
      line.leave();
    }
  };
}

/** The places at one rail, and whether it has answered lately. */
function newLine(now: () => number) {
  const waiting: (() => void)[] = [];
  let inside = 0;
  let unheard = 0;
  let probing = false;
  let silentUntil = Number.NEGATIVE_INFINITY;
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
    isSilent: () => unheard >= SILENT_AFTER && (now() < silentUntil || probing),
    asked(): void {
      probing = unheard >= SILENT_AFTER;
    },
    heard(isAnswer: boolean): void {
      probing = false;
      unheard = isAnswer ? 0 : unheard + 1;
      if (unheard >= SILENT_AFTER) silentUntil = now() + SILENT_MS;
    },
  };
}
