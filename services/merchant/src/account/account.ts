import { type Refusal, refuse } from '@gerbang/core';

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

export type AccountCommand =
  | { type: 'set-frozen'; frozen: boolean }
  /** The merchant's own change; what is undefined stays as it is. */
  | { type: 'update'; name: string | undefined; active: boolean | undefined };

export type AccountEvent =
  | { type: 'frozen'; atMs: number }
  | { type: 'unfrozen'; atMs: number }
  | { type: 'updated'; name: string; active: boolean; atMs: number };

/** A new, active account. */
export function newAccount(name: string, isDefault: boolean, nowMs: number, merchantReffNo = ''): Account {
  return { name, merchantReffNo, isDefault, active: true, frozen: false, createdAtMs: nowMs, updatedAtMs: nowMs };
}

/**
 * Decides a command. An empty list: it is so already. Refusals: frozen, for the merchant's changes of a frozen account (contract
 * §2).
 */
export function decide(account: Account, command: AccountCommand, nowMs: number): AccountEvent[] | Refusal {
  switch (command.type) {
    case 'set-frozen':
      if (account.frozen === command.frozen) return [];
      return [{ type: command.frozen ? 'frozen' : 'unfrozen', atMs: nowMs }];
    case 'update': {
      if (account.frozen) return refuse('frozen');
      const { name = account.name, active = account.active } = command;
      if (name === account.name && active === account.active) return [];
      return [{ type: 'updated', name, active, atMs: nowMs }];
    }
    default:
      return command satisfies never;
  }
}

/** The account after an event. */
export function evolve(account: Account, event: AccountEvent): Account {
  switch (event.type) {
    case 'frozen':
      return { ...account, frozen: true, updatedAtMs: event.atMs };
    case 'unfrozen':
      return { ...account, frozen: false, updatedAtMs: event.atMs };
    case 'updated':
      return { ...account, name: event.name, active: event.active, updatedAtMs: event.atMs };
    default:
      return event satisfies never;
  }
}
