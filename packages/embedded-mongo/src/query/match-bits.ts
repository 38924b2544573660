import { Binary, Decimal128, Double } from 'bson';
import { isNumeric } from '../bson/types.ts';
import { failure } from '../errors.ts';

/** `$bitsAllSet` and its kin: the operand is a number, bytes or a list of positions. */
export function compileBits(name: string, operand: unknown): (value: unknown) => boolean {
  const positions = positionsOf(name, operand);
  const all = name === '$bitsAllSet' || name === '$bitsAllClear';
  const set = name === '$bitsAllSet' || name === '$bitsAnySet';
  return (value) => {
    const bit = bitReader(value);
    if (!bit) return false;
    return all ? positions.every((position) => bit(position) === set) : positions.some((position) => bit(position) === set);
  };
}

function positionsOf(name: string, operand: unknown): number[] {
  if (Array.isArray(operand)) {
    return operand.map((position) => {
      const number = typeof position === 'bigint' ? Number(position) : position instanceof Double ? position.value : position;
      if (typeof number !== 'number' || !Number.isInteger(number) || number < 0) {
        throw failure('BadValue', `bit positions must be an integer >= 0 but got: ${String(position)}`);
      }
      return number;
    });
  }
  if (isNumeric(operand) && !(Number.isInteger(Number(operand)) && Number(operand) >= 0))
    throw failure('FailedToParse', `Expected a non-negative integer in: ${name}: ${String(operand)}`);
  const bits = operand instanceof Binary ? operand.position * 8 : 64;
  const bit = bitReader(operand);
  if (!bit) throw failure('BadValue', `${name} takes an Array, a number, or a BinData but received: ${String(operand)}`);
  const positions: number[] = [];
  for (let position = 0; position < bits; position++) if (bit(position)) positions.push(position);
  return positions;
}

function bitReader(value: unknown): ((position: number) => boolean) | undefined {
  if (value instanceof Binary) return (position) => (((value.buffer[position >> 3] ?? 0) >> (position & 7)) & 1) === 1;
  const number = value instanceof Double ? value.value : value instanceof Decimal128 ? Number(value.toString()) : value;
  if (typeof number !== 'bigint' && (typeof number !== 'number' || !Number.isInteger(number))) return undefined;
  const integer = BigInt(number);
  // Integers go on with their sign to the left.
  return (position) => ((integer >> BigInt(Math.min(position, 63))) & 1n) === 1n;
}
