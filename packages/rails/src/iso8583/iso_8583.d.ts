/** What we use of the library, which has no types of its own. */
declare module 'iso_8583' {
  class Iso8583 {
    constructor(message?: Record<string, string>, formats?: Record<string, Iso8583.FieldFormat>);
    /** The message without a length in front of it, or what is wrong with it. */
    getRawMessage(): Buffer | { error: string };
    getIsoJSON(bytes: Buffer, config: { lenHeader: false; bitmapEncoding: 'hex' }): Record<string, string> | { error: string };
  }
  namespace Iso8583 {
    type FieldFormat = { ContentType: string; Label: string; LenType: string; MaxLen: number };
  }
  export = Iso8583;
}
