import type { Refusal } from '@gerbang/core';

/** What goes out: the HTTP status and the JSON body. */
export type Rendered = { http: number; body: object };

/** Identifying fields of a request, null where it does not have one that is always echoed. */
export type Echo = Record<string, string | null>;

/** One of the shapes in which the API answers (merchant-api.md, conventions). `echo` gives identifying fields of the request. */
export type Envelope = {
  success(data: object, status: number, echo: () => Echo): Rendered;
  /** `data` is given where the operation was carried out and has failed; `echo` are identifying fields of the request. */
  failure(refusal: Refusal, more: { data?: object | undefined; echo?: Echo }): Rendered;
};
