import { hasCardNumber, isPlainText, RefusalError, refuseField } from '@gerbang/core';

const NAME_CHARACTERS_MAX = 100;
const REFF_NO_CHARACTERS_MAX = 255;
const CONTROLS = 'must not have control characters';

/** An account's name without the blanks around it, 1 to 100 characters (contract §2 and §4). Refusals: validation of name. */
export function readName(given: string): string {
  const name = given.trim();
  if (name === '' || [...name].length > NAME_CHARACTERS_MAX)
    refuseInput('name', `must have 1 to ${NAME_CHARACTERS_MAX} characters`);
  if (!isPlainText(given)) refuseInput('name', CONTROLS);
  if (hasCardNumber(name)) refuseInput('name', 'must not have a card number');
  return name;
}

/** The merchant's own reference, free-form; empty for none. Refusals: validation of merchant_reff_no. */
export function readReffNo(given: string): string {
  if ([...given].length > REFF_NO_CHARACTERS_MAX)
    refuseInput('merchant_reff_no', `must have at most ${REFF_NO_CHARACTERS_MAX} characters`);
  if (!isPlainText(given)) refuseInput('merchant_reff_no', CONTROLS);
  return given;
}

function refuseInput(field: string, message: string): never {
  throw new RefusalError(refuseField(field, message));
}
