import { RoutingService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { implement, startRpcServer } from '@gerbang/rpc';
import { createLogger } from '@gerbang/runtime';
import { MongoClient } from 'mongodb';

/**
 * What a lone posting can't do without, one after the other and nothing else: a call that looks one document up by `_id` and
 * inserts one durably. Any idempotent method serves. RPC_PORT, MONGODB_URI, MONGODB_DB_PREFIX. Runs until SIGTERM.
 */
const { RPC_PORT, MONGODB_URI, MONGODB_DB_PREFIX } = process.env;
const mongo = new MongoClient(MONGODB_URI ?? '', {
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'majority' },
});
const documents = mongo.db(`${MONGODB_DB_PREFIX}bare`).collection<{ _id: string; sen: number }>('chain');
const run = Date.now();
let n = 0;
const server = await startRpcServer({
  host: '127.0.0.1',
  port: Number(RPC_PORT),
  tls: undefined,
  log: createLogger({ service: 'chain', level: 'warn' }),
  ready: () => true,
  implementations: [
    implement(
      RoutingService,
      {
        locate: async () => ({}),
        async listPartitions() {
          const _id = `${run}-${n++}`;
          if ((await documents.findOne({ _id })) === null) await documents.insertOne({ _id, sen: 1 });
          return {};
        },
      },
      [],
    ),
  ],
});
process.once('SIGTERM', () => void server.close().finally(() => mongo.close()));
