/** Permits for status streams, which stay open for long. */
export type StreamPermits = {
  /** Takes a permit and gives what returns it; undefined when there is none left, for this address or at all. */
  take(address: string): (() => void) | undefined;
  taken(): number;
};

/** `addressMax` is generous, because whole towns share an address of their mobile network. */
export function createStreamPermits(max: number, addressMax: number): StreamPermits {
  const ofAddress = new Map<string, number>();
  let taken = 0;
  return {
    taken: () => taken,
    take(address) {
      const own = ofAddress.get(address) ?? 0;
      if (taken >= max || own >= addressMax) return undefined;
      taken++;
      ofAddress.set(address, own + 1);
      let isFree = false;
      return () => {
        if (isFree) return;
        isFree = true;
        taken--;
        const left = (ofAddress.get(address) ?? 1) - 1;
        if (left > 0) ofAddress.set(address, left);
        else ofAddress.delete(address);
      };
    },
  };
}
