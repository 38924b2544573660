import { createPermits, type PermitRefusal } from '@gerbang/runtime';

/**
 * Bytes of bodies that have begun and not ended. What arrives at once is never counted, so most requests do not come here.
 */
export type UnfinishedBodies = {
  /** Takes bytes for a caller: a merchant, or an address as long as no more is known. Gives why not, where it has too many. */
  take(caller: string, bytes: number): PermitRefusal | undefined;
  give(caller: string, bytes: number): void;
};

const MIB = 1024 * 1024;

/** At most `maxMib` of all callers, and `callerMaxMib` of one. */
export function createUnfinishedBodies(options: { maxMib: number; callerMaxMib: number }): UnfinishedBodies {
  return createPermits({ max: options.maxMib * MIB, keyMax: options.callerMaxMib * MIB });
}
