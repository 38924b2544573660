import { isLoopback } from './addresses.ts';
import { type Check, fileReasons, textOf } from './settings.ts';

/** The acquirer's host for ISO 8583 gets card numbers: by TLS, and it is not this machine, where only the simulator is. */
export const checkCardHost: Check = ({ settings }) => {
  if (textOf(settings, 'CARD_ACQUIRER') !== 'iso8583') return [];
  const host = textOf(settings, 'CARD_ISO8583_HOST') ?? '';
  const key = textOf(settings, 'CARD_ISO8583_TLS_KEY');
  return [
    ...(settings.get('CARD_ISO8583_TLS') === true ? [] : ['CARD_ISO8583_TLS is not safe: production requires TLS']),
    ...(isLoopback(URL.parse(`https://${host}`)?.hostname ?? host)
      ? ['CARD_ISO8583_HOST is not safe: no acquirer answers on this machine, only the simulator does']
      : []),
    ...(key === undefined ? [] : fileReasons('CARD_ISO8583_TLS_KEY', key)),
  ];
};
