import { Counter, type Registry } from '@gerbang/runtime';

/** One helper a business event. */
export type Metrics = {
  tokenIssued(): void;
  commanded(command: string): void;
  /** An operator's command did not begin. */
  operatorRefused(why: string): void;
  /** The database has less of the audit log than was written. */
  auditBehind(): void;
  callbacksUpdated(): void;
  accountOpened(): void;
  accountUpdated(): void;
};

export function createMerchantMetrics(registry: Registry): Metrics {
  const tokens = new Counter({ name: 'gerbang_tokens_issued_total', help: 'Access tokens issued', registers: [registry] });
  const commands = new Counter({
    name: 'gerbang_operator_commands_total',
    help: "Operators' commands that took effect",
    labelNames: ['command'],
    registers: [registry],
  });
  const refusals = new Counter({
    name: 'gerbang_operator_refusals_total',
    help: "Operators' commands that were refused before they began, by why",
    labelNames: ['refusal'],
    registers: [registry],
  });
  const behind = new Counter({
    name: 'gerbang_audit_log_behind_total',
    help: 'Times that the database had less of the audit log than was written, or something else',
    registers: [registry],
  });
  const callbacks = new Counter({
    name: 'gerbang_callback_settings_updates_total',
    help: 'Callback settings changed by merchants',
    registers: [registry],
  });
  const opened = new Counter({
    name: 'gerbang_accounts_opened_total',
    help: 'Accounts opened by merchants',
    registers: [registry],
  });
  const updated = new Counter({
    name: 'gerbang_account_updates_total',
    help: 'Changes of accounts by merchants',
    registers: [registry],
  });
  return {
    tokenIssued: () => tokens.inc(),
    commanded: (command) => commands.inc({ command }),
    operatorRefused: (refusal) => refusals.inc({ refusal }),
    auditBehind: () => behind.inc(),
    callbacksUpdated: () => callbacks.inc(),
    accountOpened: () => opened.inc(),
    accountUpdated: () => updated.inc(),
  };
}
