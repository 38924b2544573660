import { FrameKind } from '@gerbang/proto/gerbang/rpc/v1/lane';
import { Client, type ClientDuplexStream, status } from '@grpc/grpc-js';
import type { TlsFiles } from '../certificate-files.ts';
import { tooLarge, wasUnable } from '../refusal-status.ts';
import { channelCredentials } from '../tls.ts';
import { Assembly } from './assembly.ts';
import { CallTable } from './call-table.ts';
import type { ClientCall } from './client-call.ts';
import { FadingCount } from './fading-count.ts';
import type { LaneFrame } from './frame-codec.ts';
import { FLOW_WINDOW_BYTES, MESSAGE_BYTES_MAX, Outgoing, openMethod } from './frames.ts';
import type { LaneLoss } from './losses.ts';
import { Outbox } from './outbox.ts';

const OPEN_TIMEOUT_MS = 3_000;
/** A lane on which nothing has come for so long is asked whether anybody is there: with calls open, and without. */
const PING_AFTER_MS = { busy: 1_000, idle: 10_000 };
/** Without an answer new calls prefer other lanes after the first, and the lane is given up after the second. */
const SUSPECT_AFTER_MS = 1_000;
const GIVEN_UP_AFTER_MS = 5_000;

export type LaneEnd = {
  /** Undefined where it ended as it should: this side has closed it, or the server has left and all its calls are answered. */
  loss: LaneLoss | undefined;
  /** For logs. */
  reason: string;
  /** Calls that certainly never left. */
  unsent: ClientCall[];
  /** How many had left; they have failed with UNAVAILABLE. */
  failed: number;
};

export type LaneEvents = {
  opened(lane: ClientLane): void;
  /** The server is going away: the lane finishes what is open and takes no more. */
  leaving(lane: ClientLane): void;
  /** The lane is gone. */
  closed(lane: ClientLane, end: LaneEnd): void;
};

/** The client's end of a lane, with a connection of its own. */
export class ClientLane {
  readonly address: string;
  readonly #client: Client;
  readonly #stream: ClientDuplexStream<LaneFrame[], LaneFrame[]>;
  readonly #outbox: Outbox;
  readonly #events: LaneEvents;
  readonly #calls = new CallTable<ClientCall>();
  readonly #unable = new FadingCount();
  readonly #openedBy: NodeJS.Timeout;
  #state: 'opening' | 'open' | 'leaving' | 'closed' = 'opening';
  #lastId = 0;
  #heardMs = performance.now();
  #pingedMs: number | undefined;

  /** `serverName` is the name that the certificate must have, where that is not the address itself. */
  constructor(address: string, options: { tls: TlsFiles | undefined; serverName: string | undefined }, events: LaneEvents) {
    this.address = address;
    this.#events = events;
    this.#client = new Client(address, channelCredentials(options.tls), {
      'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
      'grpc-node.flow_control_window': FLOW_WINDOW_BYTES,
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_http_proxy': 0,
      'grpc.enable_retries': 0,
      'grpc.service_config_disable_resolution': 1,
      ...(options.serverName !== undefined && {
        'grpc.ssl_target_name_override': options.serverName,
        'grpc.default_authority': options.serverName,
      }),
    });
    const { path, requestSerialize, responseDeserialize } = openMethod;
    this.#stream = this.#client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    this.#outbox = new Outbox((frames, written) => this.#stream.write(frames, written));
    this.#stream.on('data', (frames: LaneFrame[]) => this.#receive(frames));
    // Every end comes with a status, that of a failure too; an error without a listener would end the process.
    this.#stream.on('error', () => {});
    this.#stream.on('status', ({ code, details }) => {
      if (code === status.OK) this.#close('ended', 'the server has ended it');
      else this.#close('broken', details);
    });
    // Where this process itself stood still, what has come meanwhile is read first.
    this.#openedBy = setTimeout(() => setImmediate(() => this.#giveUpOpening()), OPEN_TIMEOUT_MS);
  }

  get state(): 'opening' | 'open' | 'leaving' | 'closed' {
    return this.#state;
  }

  /**
   * Calls under way, and those that the server was unable to do a short while ago. Without these one that fails at once would
   * have the fewest, and get nearly all: they count as if they had taken as long as a slow one.
   */
  load(nowMs: number): number {
    return this.#calls.size + this.#unable.at(nowMs);
  }

  /** Whether it has been silent for longer than a living server is. */
  isSuspect(nowMs: number): boolean {
    return this.#pingedMs !== undefined && nowMs - this.#pingedMs >= SUSPECT_AFTER_MS;
  }

  send(call: ClientCall): void {
    do this.#lastId = (this.#lastId + 1) >>> 0 || 1;
    while (this.#calls.get(this.#lastId) !== undefined);
    call.id = this.#lastId;
    call.lane = this;
    const { path: method, traceparent, authorization } = call;
    const head = { kind: FrameKind.CALL, callId: call.id, method, traceparent, authorization };
    call.outgoing = new Outgoing(head, call.request, { deadlineMs: call.deadlineMs });
    this.#calls.add(call);
    this.#outbox.push(call.outgoing);
  }

  /** The caller no longer waits for the call; the server is told if it has the call already. */
  abandon(call: ClientCall): void {
    this.#forget(call);
    if (call.outgoing?.begun) this.#outbox.push(new Outgoing({ kind: FrameKind.CANCEL, callId: call.id }));
  }

  /**
   * Asks a silent server whether it is there, and gives up one that does not answer. `stalledMs`: how long this process itself
   * has just stood still.
   */
  check(nowMs: number, stalledMs: number): void {
    if (this.#state === 'opening' || this.#state === 'closed') return;
    if (this.#pingedMs !== undefined) {
      this.#pingedMs += stalledMs;
      if (nowMs - this.#pingedMs >= GIVEN_UP_AFTER_MS) {
        this.#close('silent', `the server has been silent for ${GIVEN_UP_AFTER_MS} ms`);
      }
      return;
    }
    const silentMs = nowMs - this.#heardMs - stalledMs;
    if (silentMs < (this.#calls.size > 0 ? PING_AFTER_MS.busy : PING_AFTER_MS.idle)) return;
    this.#pingedMs = nowMs;
    this.#outbox.push(new Outgoing({ kind: FrameKind.PING }));
  }

  /** Takes no more calls, and closes when those under way have been answered. */
  retire(): void {
    if (this.#state === 'opening') this.close();
    if (this.#state === 'open') this.#state = 'leaving';
    this.#endWhenDone();
  }

  /** Closes now; calls under way fail. */
  close(): void {
    this.#close(undefined, 'closed');
  }

  #giveUpOpening(): void {
    if (this.#state === 'opening') this.#close('not_opened', `no answer within ${OPEN_TIMEOUT_MS} ms`);
  }

  #receive(frames: LaneFrame[]): void {
    this.#heardMs = performance.now();
    this.#pingedMs = undefined;
    for (const frame of frames) {
      switch (frame.kind) {
        case FrameKind.ANSWER:
        case FrameKind.FAILURE:
          this.#answer(frame);
          break;
        case FrameKind.CHUNK:
          this.#continue(frame);
          break;
        case FrameKind.WELCOME:
          clearTimeout(this.#openedBy);
          this.#state = 'open';
          this.#events.opened(this);
          break;
        case FrameKind.GOING_AWAY:
          this.#state = 'leaving';
          this.#events.leaving(this);
          this.#endWhenDone();
          break;
        // PONG has said all by coming; frames of a later version mean nothing here.
        default:
      }
    }
  }

  #answer(frame: LaneFrame): void {
    const call = this.#calls.get(frame.callId);
    // The answer to a call that was given up.
    if (call === undefined) return;
    if (frame.more) call.assembly = new Assembly(frame);
    else this.#settle(call, frame, frame.payload);
  }

  #continue(frame: LaneFrame): void {
    const call = this.#calls.get(frame.callId);
    if (call?.assembly === undefined) return;
    if (!call.assembly.add(frame)) {
      this.abandon(call);
      call.fail(tooLarge('the answer is too large'));
    } else if (!frame.more) this.#settle(call, call.assembly.first, call.assembly.payload());
  }

  #settle(call: ClientCall, first: LaneFrame, payload: Uint8Array): void {
    this.#forget(call);
    if (first.kind === FrameKind.ANSWER) {
      call.succeed(payload);
      return;
    }
    const detail = payload.byteLength > 0 ? payload : undefined;
    const error = call.fail({ code: first.status, message: first.message, detail });
    if (error !== undefined && wasUnable(error)) this.#unable.add(this.#heardMs);
  }

  #forget(call: ClientCall): void {
    this.#calls.delete(call.id);
    call.assembly = undefined;
    if (call.outgoing !== undefined) call.outgoing.dropped = true;
    this.#endWhenDone();
  }

  #endWhenDone(): void {
    if (this.#state !== 'leaving' || this.#calls.size > 0) return;
    this.#outbox.whenEmpty(() => {
      this.#outbox.close();
      this.#stream.end();
      // The server answers this by ending its own side, as it answers a ping.
      this.#pingedMs ??= performance.now();
    });
  }

  #close(how: LaneLoss | undefined, reason: string): void {
    if (this.#state === 'closed') return;
    const loss = this.#lossOf(how);
    this.#state = 'closed';
    clearTimeout(this.#openedBy);
    this.#outbox.close();
    this.#stream.cancel();
    this.#client.close();
    const unsent: ClientCall[] = [];
    let failed = 0;
    for (const call of this.#calls.all()) {
      this.#calls.delete(call.id);
      if (call.outgoing?.begun) {
        failed++;
        call.unavailable(`the lane to ${this.address} broke after the call had left: ${reason}`);
      } else unsent.push(call);
    }
    this.#events.closed(this, { loss, reason, unsent, failed });
  }

  #lossOf(how: LaneLoss | undefined): LaneLoss | undefined {
    if (how === undefined || (this.#state === 'leaving' && this.#calls.size === 0)) return undefined;
    return this.#state === 'opening' ? 'not_opened' : how;
  }
}
