import { type Store, traced } from '@gerbang/store';

type SequenceDocument = { _id: string; last: bigint };

/** Numbers that ascend over all replicas and are never given twice; a crash may leave gaps. */
export type Sequence = { next(): Promise<bigint> };

/** The sequence of a name. */
export type Sequences = (name: string) => Sequence;

/** Each name has one sequence in this process. */
export function openSequences(store: Store): Sequences {
  const opened = new Map<string, Sequence>();
  return (name) => {
    const sequence = opened.get(name) ?? openSequence(store, name);
    opened.set(name, sequence);
    return sequence;
  };
}

/** Those who ask while a write is under way share the next one. */
function openSequence(store: Store, name: string): Sequence {
  const sequences = store.collection<SequenceDocument>('sequences');
  let waiting: PromiseWithResolvers<bigint>[] = [];
  let busy = false;

  const draw = async () => {
    busy = true;
    while (waiting.length > 0) {
      const served = waiting;
      waiting = [];
      try {
        const found = await traced('findOneAndUpdate', 'sequences', () =>
          sequences.findOneAndUpdate(
            { _id: name },
            { $inc: { last: BigInt(served.length) } },
            { upsert: true, returnDocument: 'after' },
          ),
        );
        if (found === null) throw new Error(`the sequence ${name} gave no number`);
        const first = found.last - BigInt(served.length) + 1n;
        for (const [i, one] of served.entries()) one.resolve(first + BigInt(i));
      } catch (error) {
        for (const one of served) one.reject(error);
      }
    }
    busy = false;
  };
  return {
    next() {
      const mine = Promise.withResolvers<bigint>();
      waiting.push(mine);
      if (!busy) void draw();
      return mine.promise;
    },
  };
}
