<?php
// Receives Gerbang's webhooks. PHP 8.0 or newer, nothing else:  GERBANG_CLIENT_SECRET=... php -S 127.0.0.1:9000 receive.php
declare(strict_types=1);

const WINDOW_SECONDS = 300;

/** Whether Gerbang has sent this. $path has the query, $headers have lower-case names, $body is the bytes as received, $now is Unix seconds. */
function verify(string $secret, string $method, string $path, array $headers, string $body, float $now): bool
{
    $timestamp = $headers['x-timestamp'] ?? '';
    if (!preg_match('/\A[0-9]{1,15}\z/', $timestamp) || abs((int) $timestamp - $now) > WINDOW_SECONDS) {
        return false;
    }
    try {
        $normalized = $body === '' ? '' : normalize(json_decode($body, false, 512, JSON_THROW_ON_ERROR));
    } catch (JsonException) {
        return false;
    }
    $token = preg_replace('/\ABearer /', '', $headers['authorization'] ?? '');
    $stringToSign = implode(':', [$method, $path, $token, hash('sha256', $normalized), $timestamp]);
    return hash_equals(hash_hmac('sha512', $stringToSign, $secret), $headers['x-signature'] ?? '');
}

/** Keys sorted by UTF-16 code units, no white space, numbers as ECMAScript writes them. */
function normalize(mixed $value): string
{
    if ($value instanceof stdClass) {
        $keys = array_map('strval', array_keys((array) $value));
        // UTF-8 sorts as UTF-16 does once EE and EF, of U+E000 to U+FFFF, come after F0 to F4, of what lies beyond.
        $order = fn (string $key): string => strtr($key, "\xEE\xEF", "\xFE\xFF");
        usort($keys, fn (string $a, string $b): int => strcmp($order($a), $order($b)));
        return '{' . implode(',', array_map(fn (string $key): string => normalize($key) . ':' . normalize($value->{$key}), $keys)) . '}';
    }
    if (is_array($value)) {
        return '[' . implode(',', array_map('normalize', $value)) . ']';
    }
    if (is_int($value) || is_float($value)) {
        return number((float) $value);
    }
    return json_encode($value, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_LINE_TERMINATORS | JSON_THROW_ON_ERROR);
}

function number(float $value): string
{
    if ($value == 0) {
        return '0';
    }
    ini_set('serialize_precision', '-1');
    preg_match('/\A(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?\z/i', json_encode($value, JSON_THROW_ON_ERROR), $match);
    [, $sign, $whole, $fraction, $exponent] = $match + ['', '', '', '', '0'];
    $digits = ltrim($whole . $fraction, '0');
    $point = (int) $exponent + strlen($digits) - strlen($fraction);
    $digits = rtrim($digits, '0');
    if ($point > 21 || $point < -5) {
        $mantissa = substr_replace($digits, strlen($digits) > 1 ? '.' : '', 1, 0);
        return sprintf('%s%se%+d', $sign, $mantissa, $point - 1);
    }
    if ($point <= 0) {
        return $sign . '0.' . str_repeat('0', -$point) . $digits;
    }
    $digits = str_pad($digits, $point, '0');
    return $sign . (strlen($digits) > $point ? substr_replace($digits, '.', $point, 0) : $digits);
}

if (PHP_SAPI === 'cli-server') {
    http_response_code(500); // Until all is done: with an uncaught error PHP may answer 200, and the event would count as received.
    $secret = getenv('GERBANG_CLIENT_SECRET') ?: throw new RuntimeException('GERBANG_CLIENT_SECRET is not set');
    $headers = array_change_key_case(getallheaders());
    $body = file_get_contents('php://input');
    if (verify($secret, $_SERVER['REQUEST_METHOD'], $_SERVER['REQUEST_URI'], $headers, $body, microtime(true))) {
        // In production: insert X-Event-Id under a unique key, together with what the event changes, and skip what is there already.
        error_log(json_decode($body)->event . ' ' . $headers['x-event-id']);
        http_response_code(200);
    } else {
        http_response_code(401);
        $lines = array_map(fn (string $name): string => "$name: {$headers[$name]}\r\n", array_keys($headers));
        // For `gerbang signature explain refused.http`.
        file_put_contents('refused.http', "{$_SERVER['REQUEST_METHOD']} {$_SERVER['REQUEST_URI']} HTTP/1.1\r\n" . implode($lines) . "\r\n$body");
    }
}
