import { describe, expect, it } from 'vitest';
import {
  FrameReader,
  type Message,
  packMessage,
  toFrame,
  UnreadableMessageError,
  unpackMessage,
} from '../../src/iso8583/index.ts';

const authorisation: Message = {
  type: '0100',
  fields: {
    2: '4411111111111118',
    3: '000000',
    4: '000025000000',
    7: '1122100000',
    11: '000001',
    14: '3912',
    22: '812',
    41: 'GERBANG1',
    42: 'GERBANG00000001',
    48: '9203123',
    49: '360',
  },
};

/** Bytes that pyiso8583, which shares no code with ours, has written for the same messages. */
const RECORDED: readonly { message: Message; hex: string }[] = [
  {
    message: authorisation,
    hex: '303130307224040000c18000313634343131313131313131313131313138303030303030303030303235303030303030313132323130303030303030303030313339313238313247455242414e473147455242414e47303030303030303130303739323033313233333630',
  },
  {
    message: { type: '0800', fields: { 7: '1122100000', 11: '000002', 70: '301' } },
    hex: '303830308220000000000000040000000000000031313232313030303030303030303032333031',
  },
  {
    message: {
      type: '0420',
      fields: { ...authorisation.fields, 7: '1122100500', 11: '000003', 90: '010000000111221000000000000000000000000000' },
    },
    hex: '30343230f224040000c180000000004000000000313634343131313131313131313131313138303030303030303030303235303030303030313132323130303530303030303030333339313238313247455242414e473147455242414e47303030303030303130303739323033313233333630303130303030303030313131323231303030303030303030303030303030303030303030303030303030',
  },
];

describe('a message', () => {
  it.each(RECORDED)('of type $message.type is the bytes of another implementation, both ways', ({ message, hex }) => {
    expect(packMessage(message).toString('hex')).toBe(hex);
    expect(unpackMessage(Buffer.from(hex, 'hex'))).toEqual(message);
  });

  it.each([
    ['an amount that is too long', { 4: '1000025000000' }],
    ['an amount that is too short', { 4: '25' }],
    ['letters in a number', { 11: '00000x' }],
  ])('with %s is not packed, and the error shows no value', (_what, fields) => {
    const wrong = { ...authorisation, fields: { ...authorisation.fields, ...fields } };
    expect(() => packMessage(wrong)).toThrow(/can not be packed/);
    expect(() => packMessage(wrong)).not.toThrow(/4411/);
  });
});

it('takes a second bitmap that is empty', () => {
  const short = packMessage(authorisation);
  const first = Buffer.from(short.subarray(4, 12));
  first.writeUInt8(first.readUInt8(0) | 0x80, 0);
  expect(unpackMessage(Buffer.concat([short.subarray(0, 4), first, Buffer.alloc(8), short.subarray(12)]))).toEqual(authorisation);
});

describe('bytes that are no message', () => {
  const bytes = packMessage(authorisation);
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(80)],
    ['a message cut short', bytes.subarray(0, bytes.length - 1)],
    ['a message and one byte more', Buffer.concat([bytes, Buffer.from('1')])],
    ['a type that there is not', Buffer.concat([Buffer.from('9999'), bytes.subarray(4)])],
    ['letters in a number', Buffer.from(bytes.toString('latin1').replace('000025000000', '0000250000xx'), 'latin1')],
    ['a length that points past the end', Buffer.from(bytes.toString('latin1').replace('164411', '994411'), 'latin1')],
  ])('%s', (_what, wrong) => {
    expect(() => unpackMessage(wrong)).toThrow(UnreadableMessageError);
    expect(() => unpackMessage(wrong)).not.toThrow(/4411/);
  });

  it('are refused at each place at which the message is cut', () => {
    for (let end = 0; end < bytes.length; end++)
      expect(() => unpackMessage(bytes.subarray(0, end))).toThrow(UnreadableMessageError);
  });
});

describe('frames', () => {
  it('come back whole, however the stream is cut', () => {
    const messages = [Buffer.from('a'), Buffer.from('longer'), Buffer.alloc(4_096, 'x')];
    const stream = Buffer.concat(messages.map(toFrame));
    for (const size of [1, 2, 3, 7, 1_000, stream.length]) {
      const reader = new FrameReader();
      const read: Buffer[] = [];
      for (let at = 0; at < stream.length; at += size) read.push(...reader.read(stream.subarray(at, at + size)));
      expect(read).toEqual(messages);
    }
  });

  it.each([
    ['no length', '0000'],
    ['more than a message has', 'ffff'],
  ])('with %s break the stream', (_what, header) => {
    expect(() => new FrameReader().read(Buffer.from(header, 'hex'))).toThrow('a frame says it has');
  });
});
