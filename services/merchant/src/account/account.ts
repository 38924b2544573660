/** An account of a merchant. `active` is the merchant's own switch, `frozen` the operators'; frozen outweighs. */
export type Account = {
  name: string;
  merchantReffNo: string;
  isDefault: boolean;
  active: boolean;
  frozen: boolean;
  createdAtMs: number;
  updatedAtMs: number;
};

export type AccountCommand = { type: 'set-frozen'; frozen: boolean };

export type AccountEvent = { type: 'frozen'; atMs: number } | { type: 'unfrozen'; atMs: number };

/** A new, active account. */
export function newAccount(name: string, isDefault: boolean, nowMs: number): Account {
  return { name, merchantReffNo: '', isDefault, active: true, frozen: false, createdAtMs: nowMs, updatedAtMs: nowMs };
}

/** Decides a command. An empty list: it is so already. */
export function decide(account: Account, command: AccountCommand, nowMs: number): AccountEvent[] {
  switch (command.type) {
    case 'set-frozen':
      if (account.frozen === command.frozen) return [];
      return [{ type: command.frozen ? 'frozen' : 'unfrozen', atMs: nowMs }];
    default:
      return command.type satisfies never;
  }
}

/** The account after an event. */
export function evolve(account: Account, event: AccountEvent): Account {
  switch (event.type) {
    case 'frozen':
      return { ...account, frozen: true, updatedAtMs: event.atMs };
    case 'unfrozen':
      return { ...account, frozen: false, updatedAtMs: event.atMs };
    default:
      return event satisfies never;
  }
}
