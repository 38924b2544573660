import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '@gerbang/core';
import type { Store } from './connection.ts';
import { isDuplicateKey } from './duplicate-key.ts';

type AuditDocument = {
  _id: bigint;
  schema: number;
  at: Date;
  operator: string;
  command: string;
  target: string;
  before: string;
  after: string;
  previous_hash: string;
  hash: string;
};

/** Documents fetched at a time when the whole chain is read. */
const BATCH = 500;

/** Who did what to what, and what it was before and after; JSON without secrets. */
export type AuditEntry = { operator: string; command: string; target: string; before: Json; after: Json };

export type AuditRecord = {
  seq: bigint;
  at: Date;
  operator: string;
  command: string;
  target: string;
  before: string;
  after: string;
  hash: string;
};

/** The append-only, hash-chained log of what operators have done (architecture §8). */
export type AuditLog = {
  /** Appends before the command takes effect: what has happened is always in the log; what is in the log may have failed. */
  append(entry: AuditEntry, nowMs: number): Promise<void>;
  /**
   * The newest entries first, and whether the chain is unbroken from the first entry to the last, also where it is older than
   * those listed.
   */
  list(limit: number): Promise<{ records: AuditRecord[]; intact: boolean }>;
};

/** Opens the service's audit log. */
export function openAuditLog(store: Store): AuditLog {
  const log = store.collection<AuditDocument>('audit_log');
  return {
    async append(entry, nowMs) {
      for (;;) {
        const last = await log.findOne({}, { sort: { _id: -1 }, readConcern: 'linearizable' });
        const content = {
          _id: (last?._id ?? 0n) + 1n,
          schema: 1,
          at: new Date(nowMs),
          operator: entry.operator,
          command: entry.command,
          target: entry.target,
          before: canonicalJson(entry.before),
          after: canonicalJson(entry.after),
          previous_hash: last?.hash ?? '',
        };
        try {
          await log.insertOne({ ...content, hash: hashOf(content) });
          return;
        } catch (error) {
          // Another operator's entry took this number: chain to that one.
          if (!isDuplicateKey(error)) throw error;
        }
      }
    },
    async list(limit) {
      const records: AuditRecord[] = [];
      let intact = true;
      let newer: AuditDocument | undefined;
      for await (const document of log.find({}, { sort: { _id: -1 }, batchSize: BATCH })) {
        intact &&= document.hash === hashOf(document) && (newer === undefined || follows(newer, document));
        if (records.length < limit) records.push(toRecord(document));
        newer = document;
      }
      intact &&= newer === undefined || (newer._id === 1n && newer.previous_hash === '');
      return { records, intact };
    },
  };
}

function follows(newer: AuditDocument, older: AuditDocument): boolean {
  return newer._id === older._id + 1n && newer.previous_hash === older.hash;
}

function toRecord({ _id, at, operator, command, target, before, after, hash }: AuditDocument): AuditRecord {
  return { seq: _id, at, operator, command, target, before, after, hash };
}

function hashOf(document: Omit<AuditDocument, 'hash'>): string {
  const { _id, schema, at, operator, command, target, before, after, previous_hash } = document;
  const content = [String(_id), schema, at.toISOString(), operator, command, target, before, after, previous_hash];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}
