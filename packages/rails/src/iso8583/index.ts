export { NotSentError, UnansweredError } from './exchanges.ts';
export { FrameReader, toFrame } from './frames.ts';
export { type Link, type LinkOptions, openLink } from './link.ts';
export { type Fields, type Message, packMessage, UnreadableMessageError, unpackMessage } from './message.ts';
