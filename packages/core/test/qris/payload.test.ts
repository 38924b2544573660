import { describe, expect, test } from 'vitest';
import { crc16 } from '../../src/qris/crc16.ts';
import { readObjects } from '../../src/qris/data-object.ts';
import { readPayload } from '../../src/qris/payload.ts';

/**
 * The example of EMVCo's specification of merchant-presented codes: its objects are not in order, and its lengths count
 * characters.
 */
const EMVCO_EXAMPLE =
  '00020101021229300012D156000000000510A93FO3230Q31280012D15600000001030812345678520441115802CN5914BEST TRANSPORT6007BEIJING' +
  '64200002ZH0104最佳运输0202北京540523.7253031565502016233030412340603***0708A60086670902ME91320016A011223344998877070812345678' +
  '6304A13A';

describe('CRC-16/CCITT-FALSE', () => {
  test.each([
    ['123456789', '29B1'],
    ['', 'FFFF'],
    [EMVCO_EXAMPLE.slice(0, -4), 'A13A'],
  ])('of %j is %s', (text, expected) => expect(crc16(text)).toBe(expected));
});

test('EMVCo’s example is read, checksum and lengths alike', () => {
  const values = new Map(readPayload(EMVCO_EXAMPLE).map(({ tag, value }) => [tag, value]));
  expect([...values.keys()].join(' ')).toBe('00 01 29 31 52 58 59 60 64 54 53 55 62 91');
  expect(values.get('59')).toBe('BEST TRANSPORT');
  expect(values.get('54')).toBe('23.72');
  expect(readObjects(values.get('64') ?? '')).toEqual([
    { tag: '00', value: 'ZH' },
    { tag: '01', value: '最佳运输' },
    { tag: '02', value: '北京' },
  ]);
});
