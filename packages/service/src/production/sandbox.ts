import { type Check, textOf } from './settings.ts';

/**
 * What only a sandbox may have: a clock that can be set, webhooks to our own network, and another log level than info. Lower
 * ones write what services say to each other; higher ones leave out security events and the checkpoints of the audit log.
 */
export const checkSandbox: Check = ({ settings }) => {
  const reasons: string[] = [];
  if (textOf(settings, 'SANDBOX_CLOCK_URL') !== undefined)
    reasons.push('SANDBOX_CLOCK_URL is set; production has no other clock than real time');
  if (settings.get('WEBHOOK_ALLOW_PRIVATE') === true)
    reasons.push('WEBHOOK_ALLOW_PRIVATE is true; production sends no webhooks to private addresses');
  const level = textOf(settings, 'LOG_LEVEL');
  if (level !== undefined && level !== 'info') reasons.push('LOG_LEVEL is not safe: production requires info');
  return reasons;
};
