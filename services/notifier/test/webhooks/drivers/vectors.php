<?php
// Runs docs/webhooks/receive.php on the vectors of a file and prints what it makes of each, as JSON.
declare(strict_types=1);

[, $example, $vectors] = $argv;
require $example;

$results = array_map(function (array $v): array {
    $headers = array_change_key_case($v['headers']);
    return [
        'valid' => verify($v['client_secret'], $v['method'], $v['path'], $headers, $v['body'], $v['now']),
        'canonical_json' => $v['body'] === '' ? '' : normalize(json_decode($v['body'], false, 512, JSON_THROW_ON_ERROR)),
    ];
}, json_decode(file_get_contents($vectors), true, 512, JSON_THROW_ON_ERROR)['signatures']);
echo json_encode($results, JSON_THROW_ON_ERROR);
