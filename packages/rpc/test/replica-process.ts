import { serveLedger } from './harness.ts';

/**
 * A ledger in a process of its own, which a test can stop and kill: answers at once who it is, except to a call with the posting
 * key "never".
 */
const [host = '127.0.0.1', port = '0'] = process.argv.slice(2);
await serveLedger(
  {
    post: ({ postingKey }) =>
      postingKey === 'never' ? new Promise(() => {}) : Promise.resolve({ availableAfterSen: BigInt(process.pid) }),
  },
  { host, port: Number(port) },
);
process.send?.('ready');
