/** Who runs and who owns what, as the database has it at one moment. */
export type Topology = {
  /** Instances whose lease runs and that are not about to end. */
  instances: readonly { id: string; address: string }[];
  partitions: readonly { name: string; owner: string; epoch: bigint }[];
};

/** What one instance does next to spread the partitions. */
export type Moves = {
  /** Partitions of instances that are gone, and those that are its own and that it must have open. */
  hold: string[];
  /** At most one a round, so that a merchant meets few moves. */
  give: { partition: string; to: string } | undefined;
};

/**
 * The rule by which partitions spread over the instances that run (README): every instance computes it from the same picture, so
 * that they agree mostly; where they do not, claims are conditional and the journal fences. Orphans go one by one to the instance
 * that has the fewest. Once there are none, the instance with the most gives one to the instance with the fewest, until they
 * differ by one at most.
 */
export function planMoves(me: string, { instances, partitions }: Topology): Moves {
  const shares = new Map(instances.map(({ id }): [string, string[]] => [id, []]));
  const orphans: string[] = [];
  for (const { name, owner } of [...partitions].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const share = shares.get(owner);
    if (share === undefined) orphans.push(name);
    else share.push(name);
  }
  for (const name of orphans) fewest(shares)?.[1].push(name);
  const hold = shares.get(me) ?? [];
  const [poorest, richest] = [fewest(shares), most(shares)];
  const partition = richest?.[0] === me ? hold.at(-1) : undefined;
  const isEven = poorest === undefined || hold.length - poorest[1].length < 2;
  if (orphans.length > 0 || partition === undefined || isEven) return { hold, give: undefined };
  return { hold: hold.slice(0, -1), give: { partition, to: poorest[0] } };
}

/** Where calls about a partition go: to its owner, or to the instance that the rule names; undefined when no instance runs. */
export function addressFor(name: string, topology: Topology): string | undefined {
  const { instances, partitions } = topology;
  const owner = partitions.find((one) => one.name === name)?.owner;
  const others = partitions.filter((one) => one.name !== name);
  const wanted: Topology = { instances, partitions: [...others, { name, owner: owner ?? '', epoch: 0n }] };
  const found = instances.find(({ id }) => id === owner) ?? instances.find(({ id }) => planMoves(id, wanted).hold.includes(name));
  return found?.address;
}

type Share = [id: string, partitions: string[]];

function fewest(shares: ReadonlyMap<string, string[]>): Share | undefined {
  return byCount(shares)[0];
}

function most(shares: ReadonlyMap<string, string[]>): Share | undefined {
  return byCount(shares).at(-1);
}

/** The fewest first; of equals the one whose id comes first. */
function byCount(shares: ReadonlyMap<string, string[]>): Share[] {
  return [...shares].sort(([a, one], [b, other]) => one.length - other.length || (a < b ? -1 : 1));
}
