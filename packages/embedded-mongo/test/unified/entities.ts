import { lockFailPoints } from '@gerbang/fail-points';
import { type ClientSession, type Collection, type Db, GridFSBucket, MongoClient } from 'mongodb';
import type { Json } from './file.ts';
import { type ObservedEvent, observe } from './observe.ts';

/** The named things of one test, what was observed of its clients, and what has to be undone after it. */
export class World {
  readonly entities = new Map<string, unknown>();
  readonly events = new Map<string, ObservedEvent[]>();
  readonly #closing: (() => Promise<unknown>)[] = [];
  readonly #uri: string;
  /** Every client of the test bears it and fail points are restricted to it, so that nobody else on the server is struck. */
  readonly #appName: string;

  /** Whether fail points tell the clients of the test apart by their names. */
  readonly #named: boolean;
  /** A server has one fail point of a kind: no other test sets its own meanwhile. */
  #locked = false;

  constructor(uri: string, appName: string, named: boolean) {
    this.#uri = uri;
    this.#appName = appName;
    this.#named = named;
  }

  #own(name: unknown): string {
    return this.#named && name !== undefined ? `${this.#appName} ${String(name)}` : this.#appName;
  }

  client(name: unknown): MongoClient {
    return this.#find(name, (value) => value instanceof MongoClient);
  }

  session(name: unknown): ClientSession {
    return this.#find(name, (value) => typeof value === 'object' && value !== null && 'endSession' in value);
  }

  /** What a command observed by a client was, in the order in which they were sent. */
  eventsOf(client: unknown): ObservedEvent[] {
    return this.events.get(String(client)) ?? [];
  }

  #find<T>(name: unknown, is: (value: unknown) => boolean): T {
    const entity = this.entities.get(String(name));
    if (!is(entity)) throw new Error(`entity ${String(name)} is not there`);
    return entity as T;
  }

  /**
   * Creates what one item of `createEntities` describes; a client of whose topology something is expected is connected at once.
   */
  async create(item: Json): Promise<void> {
    const [kind = ''] = Object.keys(item);
    const spec = item[kind] as Json;
    const made = this.#make(kind, spec);
    this.entities.set(String(spec.id), made);
    const observed = (spec.observeEvents as string[] | undefined) ?? [];
    if (made instanceof MongoClient && observed.some((name) => /^(server|topology)/.test(name))) await made.connect();
  }

  #make(kind: string, spec: Json): unknown {
    switch (kind) {
      case 'client':
        return this.#makeClient(spec);
      case 'database':
        return this.client(spec.client).db(String(spec.databaseName), spec.databaseOptions as Json);
      case 'collection': {
        const database = this.entities.get(String(spec.database)) as Db;
        return database.collection(String(spec.collectionName), spec.collectionOptions as Json) satisfies Collection;
      }
      case 'bucket':
        return new GridFSBucket(this.entities.get(String(spec.database)) as Db, spec.bucketOptions as Json);
      case 'session': {
        const session = this.client(spec.client).startSession(spec.sessionOptions as Json);
        this.#closing.unshift(() => session.endSession());
        return session;
      }
      case 'thread':
        return { running: Promise.resolve() };
      default:
        throw new Error(`entity ${kind} is not known to the runner`);
    }
  }

  #makeClient(spec: Json): MongoClient {
    const id = String(spec.id);
    const given = (spec.uriOptions as Json | undefined) ?? {};
    const client = new MongoClient(this.#uri, {
      ...given,
      appName: this.#own(given.appname ?? given.appName),
      ...(spec.serverApi !== undefined && { serverApi: spec.serverApi as never }),
      monitorCommands: true,
    });
    this.events.set(id, observe(client, spec));
    this.#closing.push(() => client.close());
    return client;
  }

  /** Sets a fail point for the clients of this test and switches it off after it. */
  async setFailPoint(client: MongoClient, failPoint: Json): Promise<unknown> {
    const data = (failPoint.data as Json | undefined) ?? {};
    if (!this.#locked) {
      const lock = await lockFailPoints(this.#uri);
      this.#closing.unshift(() => lock.off());
      this.#locked = true;
    }
    this.#closing.unshift(() => client.db('admin').command({ configureFailPoint: failPoint.configureFailPoint, mode: 'off' }));
    // A fail point for every client strikes every client of this test, whatever name the test gave it.
    if (data.appName === undefined && this.#named) return client.db('admin').command(failPoint);
    return client.db('admin').command({ ...failPoint, data: { ...data, appName: this.#own(data.appName) } });
  }

  /** Ends everything, fail points first. */
  async close(): Promise<void> {
    for (const close of this.#closing) await close();
  }
}
