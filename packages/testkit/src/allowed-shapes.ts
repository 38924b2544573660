import { type Command, shapesOf } from './command-shape.ts';

/**
 * Where a shape may come from: our services, which have to run on MongoDB 7 and 8 and on a cluster sharded by hashed `_id`; the
 * simulator, which is in no production deployment and needs a replica set only; or tests, which prepare documents and damage
 * them.
 */
export type Source = 'service' | 'simulator' | 'test';

/** Shapes of commands, as `shapesOf` writes them, each with why MongoDB takes it and what it is for. */
export const ALLOWED_SHAPES: Readonly<Record<Source, Readonly<Record<string, string>>>> = {
  service: {
    // Aggregates: one document by `_id`, on condition of its version.
    'update one {* =, _id =} <- $inc $push($each) $set': 'an aggregate changes, with events',
    'update one {* =, _id =} <- $inc $push($each) $set $unset': 'an aggregate changes, loses fields, with events',
    'update one {* =, _id =} <- $inc $set': 'an aggregate changes without events',
    'update one {* =, _id =} <- $inc $set $unset': 'an aggregate changes and loses fields, without events',
    'delete one {* =, _id =}': 'removes a document if it is as it was read',
    'update many {_id $in} <- $pull({* $lte})': 'confirmed events leave the tails; a many-update may reach several shards',
    // Timers and leases, in the database's own time: `$expr` and `$$NOW` are no upsert.
    'findAndModify {$expr $$NOW $ifNull $lte, * $lte, _id =} <- [$set $$NOW $add]': 'a replica claims a due document',
    'findAndModify {$expr $$NOW $ifNull $lte, * $lte $type, _id =} <- [$set $$NOW $add]': 'a replica claims a due document',
    'update many {$expr $$NOW $ifNull $lte, * $lte, _id $in} <- [$set $$NOW $add]': 'a replica claims many due documents',
    'update many {$expr $$NOW $ifNull $lte, * $lte $type, _id $in} <- [$set $$NOW $add]': 'a replica claims many due documents',
    'update one {$expr $$NOW $add $eq $gt $lte $or, _id =} <- [$set $$NOW $add]': 'a replica takes the lease of the sweep',
    'update one {$expr $$NOW $lte, _id =} <- $set': 'a ledger instance takes a partition whose lease is over',
    'update one {$expr $$NOW $lte, _id =} <- [$set $$NOW $add]': 'a lease is taken when it is over',
    'update one {_id =} <- [$set $$NOW $add] (upsert)':
      'an instance writes its lease; `_id` is given, so the upsert knows its shard',
    'update one {* =, _id =} <- [$set $$NOW $add]': 'who holds a lease renews it',
    'update one {* =, _id =} <- [$set $$NOW]': 'who holds a lease gives it back',
    'update one {* =, _id =} <- $set': 'a document changes if it is as it was read',
    'update many {* =, _id $in} <- [$set $$NOW $add]': 'the leases of many claimed documents are renewed',
    // The ledger's projector and partitions.
    'update one {_id =} <- replacement (upsert)': 'a posting is projected again and again alike; `_id` is given',
    'update one {* $lt, _id =} <- $set (upsert)':
      'a balance is written where the stored one is older; where it is newer the upsert meets its `_id`, a duplicate key',
    'update one {_id =} <- $set': 'one document by `_id`',
    'findAndModify {* =, _id =} <- $inc $set': 'a partition gets a new epoch if its owner is who it was',
    // Numbers, keys, endpoints.
    'findAndModify {_id =} <- $inc (upsert)': 'a sequence goes on, or begins; `_id` is given',
    'findAndModify {_id =} <- $inc $set (upsert)': 'a count of a day goes on, or begins; `_id` is given',
    'update one {* $exists, * =, _id =} <- $set': 'an idempotency key without an answer is taken over',
    'update one {_id =} <- $max $setOnInsert (upsert)': 'an endpoint has failed; `_id` is given',
    'update one {* $exists, _id =} <- $set': 'operators are alerted to an endpoint once',
    // Windows of card testing; `_id` is given, so each upsert knows its shard.
    'update one {* $exists, * $lt, _id =} <- $inc $setOnInsert (upsert)':
      'an attempt counts in a window that lets it through; in another the upsert meets its `_id`, a duplicate key',
    'update one {_id =} <- $setOnInsert (upsert)': 'an attempt waits for its outcome',
    'findAndModify {_id =} <- remove': 'an attempt is taken for its outcome, once',
    'findAndModify {_id =} <- $inc $setOnInsert (upsert)': 'a decline counts in a window',
    'findAndModify {* $exists, _id =} <- $set': 'a window closes, once',
    'findAndModify {* $lte, _id =} <- remove': 'an endpoint acknowledges again',
    'delete one {_id =}': 'one document by `_id`',
    'delete many {_id $in}': 'signing keys that are over; a many-delete may reach several shards',
    // Deliveries.
    'update one {* $type, * =, _id =} <- $set $unset': 'a delivery is claimed, or ends, if it is as it was read',
    'update one {* =, _id =} <- $inc $push($each $slice) $set $unset': 'the outcome of an attempt',
    'findAndModify {* =, _id =} <- $inc $push($each $slice) $set': 'a redelivery that was asked for',
    'update many {* =, _id $in} <- $inc $set': 'deliveries are claimed together',
    'update many {* $lte, * =, _id $in} <- $set': 'deliveries are given back together',
    'update many {* $ne, _id $in} <- $inc $min $push($each $slice) $set': 'a run of redeliveries, once for each',
    // Reconciliation: the days of rails, by `_id`.
    'update one {* =, _id =} <- $set $unset': 'a run ends, if no other one has begun',
    'update one {_id =} <- $inc $set': 'a day is to be compared once more; `_id` is given',
    // Counts: on a cluster each shard counts its own.
    'aggregate [$match {* $type}, $group $sum]': 'a count for a metric',
    'aggregate [$match {* $gt, * $type}, $group $sum]': 'a count for a metric',
    'aggregate [$match {* $type, * =}, $limit, $group $sum]': 'the backlog of an endpoint, counted up to a limit',
    'aggregate [$match {* =}, $group $sum]': 'a count for a metric',
    // Indexes: none is unique, because a cluster sharded by hashed `_id` refuses such.
    'createIndexes {* 1}': 'a plain index',
    'createIndexes {* 1, * -1}': 'a list, newest first',
    'createIndexes {* 1, * 1}': 'a list of a kind by time',
    'createIndexes {* 1, * 1, * -1}': 'a list of a kind, newest first',
    'createIndexes {* 1, * 1, * 1}': 'counts of a kind and state',
    'createIndexes {* 1, * 1, _id 1}': 'a list of a day by owner',
    'createIndexes {* 1, * -1, _id -1}': 'a list, newest first, those of one moment by their ids',
    'createIndexes {* 1, * 1, * 1, * 1}': 'a statement',
    'createIndexes {* 1, * 1, * 1, * 1, * 1}': 'statements by account and time',
    'createIndexes {* 1, * 1, * 1, * 1, * 1, * 1, * 1} partial {* =}': 'the settlement listing',
    'createIndexes {* 1, _id 1}': 'a list by owner',
    'createIndexes {* 1, * -1} partial {* =}': 'a list of one product, newest first',
    'createIndexes {* 1, * 1} partial {* =}': 'the pending deliveries of an aggregate, in order',
    'createIndexes {* 1, * 1} partial {* $type}': 'what is due, by endpoint',
    'createIndexes {* 1, _id 1} partial {* =}': 'what is left to replay',
    'createIndexes {* 1, _id -1} partial {* $type}': 'a list of those that have a field, newest first',
    'createIndexes {* 1} partial {* $type}': 'what is due',
    'createIndexes {* 1} partial {* $exists}': 'unconfirmed events',
    'createIndexes {* 1} expireAfterSeconds 0': 'documents that are removed by themselves',
  },
  simulator: {
    'createIndexes {* 1} unique true': "the sandbox bank's own references",
    'createIndexes {* 1} sparse true': 'receipts that are due',
    'findAndModify {* $lte} <- $inc $set (sort)': 'the next receipt that is due; no shard is known, so not on a cluster',
    'findAndModify {* $lte, _id =} <- $inc': 'the clock only goes on',
    'update one {* $exists, * $lte, * =, _id =} <- $set': 'a paid transfer comes back, once',
    'update one {* $exists, * $gt, * $lte, * =, _id =} <- $set': 'cash is drawn, once',
    'update one {* $exists, * $gt, * =, _id =} <- $set': 'a withdrawal is canceled before anybody has drawn it',
    'update one {* $gt, _id =} <- $set': 'a payment of a code is canceled before it is made',
  },
  test: {
    'update one {$or [{* $lt}, {* =}], _id =} <- $set (upsert)': 'the lock on fail points',
    'update one {_id =} <- $inc $unset': 'a handled item',
    'update one {_id =} <- $unset': 'damages a document',
    'update one {_id =} <- $set $unset': 'damages a document',
    'update one {* =, _id =} <- $inc': 'damages a document',
    'update one {* =, _id =} <- replacement': 'damages a document',
    'update one {* =} <- $set': 'damages a document',
    'update many {} <- $set': 'damages all documents',
    'update many {} <- $unset': 'damages all documents',
    'update many {} <- [$set $concatArrays]': 'damages all documents',
    'update many {} <- $set $unset(positional)': 'writes postings as the version before did',
    'update many {* $exists, * $gt, * $type} <- $unset': 'forgets leases',
    'delete one {* =}': 'loses a document',
    'delete many {}': 'loses all documents',
    'delete many {* $gt, * =}': 'loses the newest postings',
    'aggregate [$match {}, $group $sum]': 'counts all',
    'aggregate [$match {* $exists}, $group $sum]': 'counts those with a field',
    'aggregate [$match {* $exists, * $type}, $group $sum]': 'counts unconfirmed things',
    'aggregate [$match {$or [{* $exists}, {* $ne}], * =}, $group $sum]': 'counts payments that are not done',
  },
};

const isAllowed = (source: Source, shape: string) => Object.hasOwn(ALLOWED_SHAPES[source], shape);

/**
 * Why a command of tests is refused: a shape of it is not on the list. Databases whose name ends with `simulator` are the sandbox
 * bank's.
 */
export function refuseNewShapes({ db, name, body }: { db: string; name: string; body: Command }): string | undefined {
  const known = (shape: string) =>
    isAllowed('service', shape) || isAllowed('test', shape) || (db.endsWith('simulator') && isAllowed('simulator', shape));
  const unknown = shapesOf(name, body).find((shape) => !known(shape));
  return unknown === undefined
    ? undefined
    : `a new shape of command on ${db}: ${unknown}. Where MongoDB 7, 8 and a cluster sharded by hashed _id take it, put it on the list of packages/testkit/src/allowed-shapes.ts with its reason`;
}
