import type { Socket } from 'node:net';

/**
 * Services that follow the clock by long polling. An advance wakes their polls; the next poll with the new offset says that it
 * has been taken. Polls have no names, so each connection counts once; one that closes is not waited for.
 */
export type ClockFollowers = {
  /**
   * Resolves when the offset has grown, after `waitMs`, when the follower has gone, or on release. Also acknowledges `afterMs`.
   */
  wait(follower: Socket, afterMs: number, waitMs: number): Promise<void>;
  /**
   * Wakes all that wait; resolves when as many have acknowledged the offset, at the latest after `patienceMs`. Tells how many
   * have not.
   */
  notify(offsetMs: number, patienceMs: number): Promise<number>;
  /** Wakes all, now and from now on: the service stops. */
  release(): void;
};

type Notification = { offsetMs: number; woken: Set<Socket>; counted: Set<Socket>; missing: number; taken: () => void };

export function createClockFollowers(): ClockFollowers {
  const waiting = new Map<Socket, () => void>();
  const notifications = new Set<Notification>();
  const known = new WeakSet<Socket>();
  let released = false;

  const count = (notification: Notification, follower: Socket) => {
    if (notification.counted.has(follower)) return;
    notification.counted.add(follower);
    notification.missing--;
    if (notification.missing === 0) notification.taken();
  };
  const watch = (follower: Socket) => {
    if (known.has(follower)) return;
    known.add(follower);
    follower.once('close', () => {
      waiting.get(follower)?.();
      for (const notification of notifications) if (notification.woken.has(follower)) count(notification, follower);
    });
  };

  return {
    wait(follower, afterMs, waitMs) {
      watch(follower);
      for (const notification of notifications) if (afterMs >= notification.offsetMs) count(notification, follower);
      if (released || follower.destroyed) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          if (waiting.get(follower) === wake) waiting.delete(follower);
          resolve();
        };
        const timer = setTimeout(wake, waitMs);
        waiting.set(follower, wake);
      });
    },
    async notify(offsetMs, patienceMs) {
      const woken = new Set(waiting.keys());
      if (woken.size === 0) return 0;
      const notification: Notification = { offsetMs, woken, counted: new Set(), missing: woken.size, taken: () => {} };
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, patienceMs);
        notification.taken = () => {
          clearTimeout(timer);
          resolve();
        };
        notifications.add(notification);
        for (const wake of [...waiting.values()]) wake();
      });
      notifications.delete(notification);
      return notification.missing;
    },
    release() {
      released = true;
      for (const wake of [...waiting.values()]) wake();
    },
  };
}
