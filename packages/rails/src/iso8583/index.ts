export { answerTypeOf, isRequest, NotSentError, UnansweredError } from './exchanges.ts';
export { FrameReader, toFrame } from './frames.ts';
export { type Link, type LinkOptions, type LinkTls, openLink } from './link.ts';
export {
  type Fields,
  type Message,
  packMessage,
  UnpackableMessageError,
  UnreadableMessageError,
  unpackMessage,
} from './message.ts';
export { answerToHost } from './network.ts';
