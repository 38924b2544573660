/** Items that are worked on at a time. */
const WIDTH = 8;

/** Does the work for each item, eight at a time. */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: WIDTH }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}
