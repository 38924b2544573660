import { newUlid } from '@gerbang/core';
import type { Store } from '@gerbang/store';
import type { Between, HistoryName, Row } from './row.ts';

/** What a test has made of a row. The rail's books stay as they are. */
export type RowChange = Partial<Pick<Row, 'amountSen' | 'status' | 'remark'>>;

/** Rows that tests have added, changed or dropped; durable, as the books are. */
export type HistoryChanges = {
  add(name: HistoryName, row: Omit<Row, 'id'>): Promise<Row>;
  change(name: HistoryName, id: string, change: RowChange): Promise<void>;
  drop(name: HistoryName, id: string): Promise<void>;
  forget(name: HistoryName): Promise<void>;
  /** The rows as they are told: without those that were dropped, and with those that were added. */
  apply(name: HistoryName, rows: readonly Row[], between: Between): Promise<Row[]>;
};

type ChangeDocument = {
  _id: string;
  schema: number;
  history: HistoryName;
  kind: 'added' | 'changed' | 'dropped';
  at?: Date;
  direction?: Row['direction'];
  amount_sen?: bigint;
  status?: Row['status'];
  remark?: string;
};

export async function openHistoryChanges(store: Store): Promise<HistoryChanges> {
  const changes = store.collection<ChangeDocument>('history_changes');
  await changes.createIndex({ history: 1 }, { name: 'history' });
  const keyOf = (name: HistoryName, id: string) => `${name}:${id}`;
  const put = async (document: ChangeDocument) => {
    await changes.replaceOne({ _id: document._id }, document, { upsert: true });
  };
  return {
    async add(name, row) {
      const id = newUlid(Date.now());
      const { atMs, direction, ...fields } = row;
      await put({
        _id: keyOf(name, id),
        schema: 1,
        history: name,
        kind: 'added',
        at: new Date(atMs),
        direction,
        ...toFields(fields),
      });
      return { id, ...row };
    },
    async change(name, id, change) {
      const known = await changes.findOne({ _id: keyOf(name, id) }, { readConcern: 'linearizable' });
      const before = known ?? { _id: keyOf(name, id), schema: 1, history: name, kind: 'changed' as const };
      await put({ ...before, ...toFields(change) });
    },
    drop: (name, id) => put({ _id: keyOf(name, id), schema: 1, history: name, kind: 'dropped' }),
    async forget(name) {
      for await (const { _id } of changes.find({ history: name }, { projection: { _id: 1 } })) await changes.deleteOne({ _id });
    },
    async apply(name, rows, { fromMs, toMs }) {
      const found = await changes.find({ history: name }).toArray();
      const byId = new Map(found.map((document) => [document._id, document]));
      const told = rows.flatMap((row) => {
        const change = byId.get(keyOf(name, row.id));
        if (change?.kind === 'dropped') return [];
        return [change === undefined ? row : { ...row, ...fromFields(change) }];
      });
      return [...told, ...found.flatMap(toAdded).filter(({ atMs }) => atMs >= fromMs && atMs < toMs)];
    },
  };
}

function toFields({ amountSen, status, remark }: RowChange): Partial<ChangeDocument> {
  return {
    ...(amountSen !== undefined && { amount_sen: amountSen }),
    ...(status !== undefined && { status }),
    ...(remark !== undefined && { remark }),
  };
}

function fromFields({ amount_sen: amountSen, status, remark }: ChangeDocument): RowChange {
  return {
    ...(amountSen !== undefined && { amountSen }),
    ...(status !== undefined && { status }),
    ...(remark !== undefined && { remark }),
  };
}

function toAdded({ _id, history, kind, at, direction, amount_sen, status, remark = '' }: ChangeDocument): Row[] {
  if (kind !== 'added' || at === undefined || direction === undefined || amount_sen === undefined || status === undefined)
    return [];
  return [{ id: _id.slice(history.length + 1), atMs: at.getTime(), amountSen: amount_sen, direction, status, remark }];
}
