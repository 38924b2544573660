/** A part of what is signed, or of how. */
export type Component =
  | 'method'
  | 'path'
  | 'access_token'
  | 'body'
  | 'timestamp'
  | 'client_id'
  | 'day'
  | 'string_to_sign'
  | 'secret'
  | 'algorithm'
  | 'signature'
  | 'undetermined';

/** What went wrong in one component. `cause` is a stable code, `message` is for the developer who looks for it. */
export type Difference = { component: Component; cause: Cause; message: string };

/** What commonly goes wrong, by component. */
const CAUSES = {
  method_not_upper_case: ['method', 'the method was not in capitals'],
  method_other: ['method', 'another method was signed than the one that was sent'],
  method_left_out: ['method', 'the method was left out'],

  path_without_query: ['path', 'the path was signed without its query; the query belongs to it'],
  path_with_host: ['path', 'the address was signed with its host; only path and query are signed'],
  path_without_leading_slash: ['path', 'the path was signed without its leading slash'],
  path_with_other_trailing_slash: ['path', 'the slash at the end of the path is not as it was sent'],
  path_decoded: ['path', 'the path was percent-decoded; it is signed as it is sent'],
  path_encoded: ['path', 'the path was percent-encoded once more; it is signed as it is sent'],
  path_query_sorted: ['path', 'the parameters of the query were sorted; they are signed in the order in which they are sent'],
  path_in_lower_case: ['path', 'the path was put into small letters; it is signed as it is sent'],
  path_left_out: ['path', 'the path was left out, or only a slash was signed'],

  token_missing: ['access_token', 'the header Authorization is missing, or is not "Bearer" and a token'],
  token_with_bearer: ['access_token', 'the token was signed with the word Bearer; only the token is signed'],
  token_with_white_space: ['access_token', 'the token was signed with white space around it'],
  token_left_out: ['access_token', 'the token was left out'],
  token_is_partner_id: ['access_token', 'X-PARTNER-ID was signed in place of the token'],

  body_not_json: [
    'body',
    'the body is not JSON that the gateway reads; a request with it is refused before its signature is looked at',
  ],
  keys_not_sorted: ['body', 'the keys were not sorted; they are sorted at every depth'],
  keys_sorted_outermost_only: ['body', 'only the outermost keys were sorted; they are sorted at every depth'],
  keys_sorted_without_case: ['body', 'the keys were sorted without regard to case; capitals come before small letters'],
  keys_sorted_by_code_point: ['body', 'the keys were sorted by code points; they are sorted by UTF-16 code units'],
  white_space: ['body', 'white space was left between the tokens of the JSON (separators=(",", ":") in Python)'],
  unicode_escaped: [
    'body',
    'characters beyond ASCII were escaped as \\uXXXX; they stay as they are (ensure_ascii=False in Python, JSON_UNESCAPED_UNICODE in PHP)',
  ],
  slashes_escaped: ['body', 'slashes were escaped as \\/; they stay as they are (JSON_UNESCAPED_SLASHES in PHP)'],
  html_escaped: [
    'body',
    '<, > and & were escaped as \\u003c, \\u003e and \\u0026; they stay as they are (SetEscapeHTML(false) in Go)',
  ],
  escapes_as_received: ['body', 'escapes in texts were kept as they came; texts are written anew, as JSON.stringify does'],
  numbers_as_received: ['body', 'numbers were kept as they came; they are written as ECMAScript does (1.0 as 1, 1e3 as 1000)'],
  numbers_as_floats: ['body', 'whole numbers were written as 1.0; they are written as ECMAScript does (1)'],
  body_as_received: ['body', 'the body was hashed as it was sent; its normalized JSON is hashed'],
  trailing_newline: ['body', 'a line feed at the end was hashed as well (echo adds one, printf %s does not)'],
  byte_order_mark: ['body', 'a byte order mark was hashed as well'],
  double_encoded: ['body', 'the JSON was encoded a second time, as a text'],
  sent_double_encoded: ['body', 'the JSON was signed, but sent encoded a second time, as a text'],
  data_only: ['body', 'only the field data was hashed; the whole body is hashed'],
  body_left_out: ['body', 'the body was signed as an empty one'],
  empty_body_not_empty: ['body', 'an empty body was signed as {}, [] or null; the hash is that of the empty text'],
  latin1: ['body', 'the JSON was hashed as ISO 8859-1; it is hashed as UTF-8'],
  hash_in_capitals: ['body', 'the hash of the body was written in capitals; it is lower-case hex'],
  hash_in_base64: ['body', 'the hash of the body was written in Base64; it is lower-case hex'],
  hash_sha512: ['body', 'the body was hashed by SHA-512; it is hashed by SHA-256'],
  hash_other: ['body', 'the body was hashed by SHA-1 or MD5; it is hashed by SHA-256'],
  hash_keyed: ['body', 'the body was hashed with the secret as key (HMAC); it is hashed by plain SHA-256'],
  body_not_hashed: ['body', 'the JSON itself was signed; its SHA-256 is signed'],

  timestamp_not_unix_seconds: ['timestamp', 'X-Timestamp is not Unix seconds, 10 digits; a request with it is refused'],
  timestamp_in_milliseconds: ['timestamp', 'milliseconds were signed; X-Timestamp and what is signed are Unix seconds'],
  timestamp_in_seconds: ['timestamp', 'seconds were signed, but X-Timestamp has another form; it is Unix seconds too'],
  timestamp_in_iso_8601: ['timestamp', 'a date was signed; X-Timestamp and what is signed are Unix seconds'],
  timestamp_taken_twice: ['timestamp', 'another second was signed than X-Timestamp has; take the time once and use it for both'],
  timestamp_of_the_body: ['timestamp', 'a timestamp out of the body was used; X-Timestamp is'],
  timestamp_left_out: ['timestamp', 'the timestamp was left out'],
  timestamp_missing: ['timestamp', 'the header X-Timestamp is missing'],

  client_id_is_partner_id: ['client_id', 'X-PARTNER-ID was signed in place of the client id'],
  day_of_utc: ['day', 'the date in UTC was signed; it is the date in Jakarta (UTC+7)'],
  day_other: ['day', 'another day was signed; it is today in Jakarta (UTC+7)'],
  day_with_dashes: ['day', 'the day was written with dashes; it is YYYYMMDD'],

  method_differs: ['method', 'the method in your string to sign is not the one received'],
  path_differs: ['path', 'the path in your string to sign is not the one received'],
  token_differs: ['access_token', 'the token in your string to sign is not the one received'],
  body_differs: ['body', 'the hash in your string to sign is not that of the body received; compare the normalized JSON'],
  timestamp_differs: ['timestamp', 'the timestamp in your string to sign is not the one received'],
  string_unlike: ['string_to_sign', 'your string to sign is not METHOD:ENDPOINT:ACCESS_TOKEN:hashed_body:TIMESTAMP'],

  separator: ['string_to_sign', 'the parts were joined in another way'],
  secret_with_white_space: ['secret', 'the secret was used with white space or a line feed around it (or has lost some)'],
  secret_quoted: ['secret', 'the secret was used with quotation marks around it'],
  secret_decoded: ['secret', 'the secret was decoded from hex or Base64; its text is the key as it stands'],
  secret_in_other_case: ['secret', 'the secret was used in other case'],
  partner_id_as_secret: ['secret', 'X-PARTNER-ID was used as the key; the client secret is'],
  token_as_secret: ['secret', 'the access token was used as the key; the client secret is'],
  secret_other: ['secret', 'your string to sign does not come to the signature received with this secret: another one was used'],

  hmac_other: ['algorithm', 'the HMAC is of SHA-256, SHA-384, SHA-1 or MD5; it is of SHA-512'],
  not_an_hmac: ['algorithm', 'a plain SHA-512 was taken; it is an HMAC-SHA512'],
  key_and_text_swapped: ['algorithm', 'key and text of the HMAC were swapped; the secret is the key'],

  signature_missing: ['signature', 'the header X-Signature is missing or empty'],
  signature_in_capitals: ['signature', 'the signature is written in capitals; it is lower-case hex'],
  signature_in_base64: ['signature', 'the signature is written in Base64; it is lower-case hex'],
  signature_wrapped: ['signature', 'there is something around the signature; X-Signature is 128 hex digits alone'],
  signature_cut: ['signature', 'only a part of the signature is there; it has 128 hex digits'],
  signature_unreadable: ['signature', 'the signature is neither hex nor Base64; it is 128 lower-case hex digits'],
  unexplained: [
    'undetermined',
    'no usual mistake explains the signature: another secret was used, or something else was signed than what was received; compare your string to sign with the one above, part by part',
  ],
} as const satisfies Record<string, readonly [Component, string]>;

export type Cause = keyof typeof CAUSES;

/** Every cause that can be named. */
export const CAUSE_NAMES = Object.keys(CAUSES);

/** The difference of this cause; `detail` follows its message. */
export function difference(cause: Cause, detail = ''): Difference {
  const [component, message] = CAUSES[cause];
  return { component, cause, message: detail === '' ? message : `${message}: ${detail}` };
}
