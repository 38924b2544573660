import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { COMPENSATIONS, INTENTS, type Posting, type Result, SIDES } from '../src/posting/posting.ts';

/** `owed`: what is owed, as a negative number. */
type Account = { available: bigint; held: bigint; pending: bigint; reserve: bigint; owed: bigint };

/**
 * What the ledger promises, said as simply as possible: per merchant account five numbers, four of the house, and per key the
 * first answer.
 */
export class Model {
  readonly accounts = new Map<string, Account>();
  readonly house = { rail: 0n, fees: 0n, vendors: 0n, suspense: 0n };
  readonly answers = new Map<string, { posting: Posting; answer: string }>();

  post(posting: Posting): string {
    const known = this.answers.get(posting.key);
    if (known !== undefined) return isDeepStrictEqual(known.posting, posting) ? known.answer : 'conflict';
    const refused = this.#carryOut(posting);
    const answer = refused ?? String(this.account(posting.merchantId, posting.accountId).available);
    this.answers.set(posting.key, { posting, answer });
    return answer;
  }

  account(merchantId: string, accountId: string): Account {
    const name = `${merchantId}/${accountId}`;
    const account = this.accounts.get(name) ?? { available: 0n, held: 0n, pending: 0n, reserve: 0n, owed: 0n };
    this.accounts.set(name, account);
    return account;
  }

  /** Everything that there is; zero, always. */
  sum(): bigint {
    const { rail, fees, vendors, suspense } = this.house;
    return [...this.accounts.values()].reduce(
      (sum, one) => sum + one.available + one.held + one.pending + one.reserve + one.owed,
      rail + fees + vendors + suspense,
    );
  }

  /** The refusal, if there is one; then nothing has moved. */
  #carryOut(posting: Posting): string | undefined {
    const { merchantId, accountId, amountSen: net, feeSen: fee, side } = posting;
    const account = this.account(merchantId, accountId);
    const { house } = this;
    const gross = net + fee;
    /** Takes from the account, unless there is less. */
    const take = (amounts: Partial<Account>): string | undefined => {
      if ((amounts.pending ?? 0n) > account.pending || (amounts.held ?? 0n) > account.held) return 'internal';
      if ((amounts.reserve ?? 0n) > account.reserve) return 'internal';
      if ((amounts.available ?? 0n) > account.available) return 'insufficient_balance';
      account.available -= amounts.available ?? 0n;
      account.held -= amounts.held ?? 0n;
      account.pending -= amounts.pending ?? 0n;
      account.reserve -= amounts.reserve ?? 0n;
      return undefined;
    };
    const takeSide = (sen: bigint): string | undefined => {
      if (side !== 'suspense') return take({ [side]: sen });
      house.suspense -= sen;
      return undefined;
    };
    const giveSide = (sen: bigint) => {
      if (side === 'suspense') house.suspense += sen;
      else account[side] += sen;
    };
    /** Every sen in turn: to what is owed while something is. */
    const repayFirst = (sen: bigint) => {
      for (let left = sen; left > 0n; left--) account[account.owed < 0n ? 'owed' : 'available']++;
    };
    switch (posting.intent) {
      case 'hold': {
        const refused = take({ available: gross });
        if (refused === undefined) account.held += gross;
        return refused;
      }
      case 'capture': {
        const refused = take({ held: gross });
        if (refused !== undefined) return refused;
        house.rail += net;
        this.#takeFee(posting);
        return undefined;
      }
      case 'release': {
        const refused = take({ held: gross });
        if (refused === undefined) account.available += gross;
        return refused;
      }
      case 'transfer': {
        const refused = take({ available: net });
        if (refused === undefined) this.account(merchantId, posting.destinationAccountId).available += net;
        return refused;
      }
      case 'settle': {
        const refused = take({ pending: net });
        if (refused === undefined) repayFirst(net);
        return refused;
      }
      case 'credit':
        house[posting.fromSuspense ? 'suspense' : 'rail'] -= gross;
        this.#takeFee(posting);
        giveSide(net);
        return undefined;
      case 'refund': {
        const refused = side === 'pending' ? take({ pending: net, available: fee }) : takeSide(gross);
        if (refused === undefined) house.rail += gross;
        return refused;
      }
      case 'compensate':
        return this.#compensate(posting, takeSide, giveSide);
      case 'reserve':
        for (let left = gross; left > 0n; left--) account[account.available > 0n ? 'available' : 'owed']--;
        account.reserve += gross;
        return undefined;
      case 'restore': {
        const refused = take({ reserve: gross });
        if (refused === undefined) repayFirst(gross);
        return refused;
      }
      case 'forfeit': {
        const refused = take({ reserve: gross });
        if (refused !== undefined) return refused;
        house.rail += net;
        this.#takeFee(posting);
        return undefined;
      }
      default:
        return posting.intent satisfies never;
    }
  }

  /** The house keeps of a fee what is not the vendor's; `sign` is −1 where it is given back. */
  #takeFee({ feeSen, vendorFeeSen }: Posting, sign = 1n): void {
    this.house.fees += sign * (feeSen - vendorFeeSen);
    this.house.vendors += sign * vendorFeeSen;
  }

  #compensate(
    posting: Posting,
    takeSide: (sen: bigint) => string | undefined,
    giveSide: (sen: bigint) => void,
  ): string | undefined {
    const { house } = this;
    const { compensation, amountSen: net, feeSen: fee } = posting;
    if (compensation === 'payout-returned') {
      house.rail -= net;
      this.#takeFee(posting, -1n);
      giveSide(net + fee);
      return undefined;
    }
    const isPayout = compensation === 'payout-made';
    const refused = takeSide(isPayout ? net + fee : net);
    if (refused !== undefined) return refused;
    house.rail += isPayout ? net : net + fee;
    this.#takeFee(posting, isPayout ? 1n : -1n);
    return undefined;
  }
}

/** A result in the model's words. */
export const said = (result: Result) => ('refused' in result ? result.refused : String(result.availableAfterSen));

/** Postings over few accounts and few keys, so that they meet often; as they come through the checks of a request. */
export const postings: fc.Arbitrary<Posting> = fc
  .record({
    key: fc.integer({ min: 0, max: 60 }).map((n) => `key-${n}`),
    intent: fc.constantFrom(...INTENTS),
    merchantId: fc.constantFrom('M', 'N'),
    accountId: fc.constantFrom('A', 'B'),
    amountSen: fc.bigInt(1n, 20n),
    feeSen: fc.constantFrom(0n, 3n),
    vendorFeeSen: fc.constantFrom(0n, 0n, 2n, 4n),
    side: fc.constantFrom(...SIDES),
    fromSuspense: fc.boolean(),
    compensation: fc.constantFrom(...COMPENSATIONS).filter((one) => one !== ''),
  })
  .map((one) => {
    const isSided = one.intent === 'credit' || one.intent === 'refund' || one.intent === 'compensate';
    const side = isSided ? one.side : 'available';
    const takesFee =
      one.intent === 'capture' || one.intent === 'credit' || one.intent === 'compensate' || one.intent === 'forfeit';
    return {
      ...one,
      side,
      feeSen: one.intent === 'transfer' || side === 'suspense' ? 0n : one.feeSen,
      vendorFeeSen: takesFee && side !== 'suspense' ? one.vendorFeeSen : 0n,
      fromSuspense: one.intent === 'credit' && side !== 'suspense' && one.fromSuspense,
      compensation: one.intent === 'compensate' ? one.compensation : '',
      rail: 'bank-transfer',
      product: 'disbursement',
      transactionId: 't',
      referenceNumber: 'r',
      description: '',
      destinationAccountId: one.intent !== 'transfer' ? '' : one.accountId === 'A' ? 'B' : 'A',
    };
  });
