import { Socket } from 'node:net';

/**
 * Calls `gone` when the bootstrap that started this process has ended, however it did: it holds the other end of a pipe
 * (GERBANG_PARENT_FD).
 */
export function onParentGone(gone: () => void): void {
  const descriptor = process.env.GERBANG_PARENT_FD;
  if (descriptor === undefined) return;
  // The processes started from here have no such pipe.
  delete process.env.GERBANG_PARENT_FD;
  // A socket, not a file stream: a blocked read of a file would keep the process from exiting.
  new Socket({ fd: Number(descriptor), readable: true, writable: false }).on('end', gone).on('error', gone).resume().unref();
}
