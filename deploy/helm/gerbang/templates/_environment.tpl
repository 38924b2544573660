{{/* The variables of a service. Given (dict "root" "row" "rows"). */}}
{{- define "gerbang.environment" -}}
{{- $root := .root -}}
{{- $row := .row -}}
{{- $rows := .rows -}}
{{- $values := $root.Values -}}
{{- $secret := printf "gerbang-%s" $row.name -}}
- { name: GERBANG_ENV, value: {{ $values.environment }} }
- { name: NODE_OPTIONS, value: "--max-old-space-size={{ include "gerbang.heapMib" $row }}" }
- name: POD_NAME
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
- { name: ADMIN_HOST, value: 0.0.0.0 }
- { name: ADMIN_PORT, value: "{{ int $row.adminPort }}" }
{{- with $row.rpcPort }}
- { name: RPC_HOST, value: 0.0.0.0 }
- { name: RPC_PORT, value: "{{ int . }}" }
{{- end }}
{{- range $variable, $port := $row.listens }}
- { name: {{ $variable | replace "_PORT" "_HOST" }}, value: 0.0.0.0 }
- { name: {{ $variable }}, value: "{{ int $port }}" }
{{- end }}
{{- if $row.hasInstances }}
- { name: LEDGER_INSTANCE, value: $(POD_NAME) }
- { name: LEDGER_ADDRESS, value: "$(POD_NAME).{{ include "gerbang.host" (dict "root" $root "name" $row.name) }}:{{ int $row.rpcPort }}" }
{{- end }}
{{- range $row.calls }}
- { name: {{ include "gerbang.variable" . }}_RPC, value: "{{ include "gerbang.host" (dict "root" $root "name" .) }}:{{ int (get $rows .).rpcPort }}" }
{{- end }}
{{- if $row.confirms }}
{{- $sources := list }}
{{- range $name, $other := $rows }}
{{- if eq ($other.events | default "") "publish" }}
{{- $sources = append $sources (printf "%s=%s:%d" $name (include "gerbang.host" (dict "root" $root "name" $name)) (int $other.rpcPort)) }}
{{- end }}
{{- end }}
- { name: EVENT_SOURCES, value: {{ join "," $sources | quote }} }
{{- end }}
{{- if $values.certificates.enabled }}
- { name: RPC_TLS_CA, value: /run/gerbang/tls/ca.crt }
- { name: RPC_TLS_CERT, value: /run/gerbang/tls/tls.crt }
- { name: RPC_TLS_KEY, value: /run/gerbang/tls/tls.key }
- { name: RPC_TRUST_DOMAIN, value: {{ $values.certificates.trustDomain }} }
{{- end }}
{{- if $row.database }}
{{ include "gerbang.secretVariable" (dict "name" "MONGODB_URI" "secret" $secret) }}
- { name: MONGODB_DB_PREFIX, value: {{ $values.mongodb.prefix }} }
{{- end }}
{{- if $row.events }}
- { name: NATS_URL, value: {{ $values.nats.url | quote }} }
- { name: NATS_USER, value: {{ $row.name }} }
{{ include "gerbang.secretVariable" (dict "name" "NATS_PASSWORD" "secret" $secret) }}
{{- if $values.trust.configMap }}
- { name: NATS_TLS_CA, value: /etc/gerbang/trust/ca.crt }
{{- end }}
- { name: STREAM_REPLICAS, value: "{{ int $values.nats.streamReplicas }}" }
{{- end }}
{{- if $row.keys }}
{{- if hasPrefix "env:" $values.keys.store }}
{{ include "gerbang.secretVariable" (dict "name" "GERBANG_KEKS" "secret" $secret) }}
{{- else }}
- { name: KEYS, value: {{ $values.keys.store | quote }} }
- { name: KEYS_PREFIX, value: {{ $values.keys.prefix }} }
{{- if contains "vault:" $values.keys.store }}
- { name: KEYS_VAULT_ROLE, value: {{ $values.keys.vaultRole }} }
- { name: KEYS_VAULT_JWT_FILE, value: /var/run/secrets/vault/token }
{{- end }}
{{- end }}
{{- end }}
{{- if $row.railPartners }}
- { name: RAIL_PARTNERS, value: /run/gerbang/rail-partners.json }
{{- end }}
{{- range concat ($row.rails | default list) ($row.optionalRails | default list) }}
{{- $rail := get $values.rails . }}
{{- if and (not $rail) (has . ($row.rails | default list)) }}
{{- fail (printf "rails.%s is not set; %s needs it (docs/configuration.md#names-of-rails)" . $row.name) }}
{{- end }}
{{- if $rail }}
{{- $name := . }}
{{- range $setting, $value := $rail.env }}
- { name: RAIL_{{ $name }}_{{ $setting }}, value: {{ tpl $value $root | quote }} }
{{- end }}
{{- range $setting := $rail.secrets | default (list "CLIENT_SECRET" "PRIVATE_KEY") }}
{{ include "gerbang.secretVariable" (dict "name" (printf "RAIL_%s_%s" $name $setting) "secret" $secret) }}
{{- end }}
{{- end }}
{{- end }}
{{- with $values.telemetry.endpoint }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ . | quote }} }
{{- end }}
{{- if and $values.trust.configMap $values.telemetry.endpoint }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/gerbang/trust/ca.crt }
{{- end }}
{{- if eq $row.scale "cpu" }}
{{- /* Each replica allows its share of every rate; with more of them merchants get more than their rate, never less. */}}
- { name: REPLICAS, value: "{{ int $row.replicas }}" }
{{- end }}
{{- if eq $values.environment "sandbox" }}
{{- with get $rows "simulator" }}
- { name: SANDBOX_CLOCK_URL, value: "http://{{ include "gerbang.host" (dict "root" $root "name" "simulator") }}:{{ int .listens.SIMULATOR_PORT }}/sandbox/clock" }
{{- end }}
{{- end }}
{{- range $variable, $value := $row.env }}
- { name: {{ $variable }}, value: {{ tpl (toString $value) $root | quote }} }
{{- end }}
{{- range $row.secrets }}
{{ include "gerbang.secretVariable" (dict "name" . "secret" $secret) }}
{{- end }}
{{- if include "gerbang.privateSources" (dict "root" $root "row" $row) }}
- { name: GERBANG_PRIVATE_FILES, value: "/etc/gerbang/private:/run/gerbang" }
{{- end }}
{{- end -}}

{{- define "gerbang.secretVariable" -}}
- name: {{ .name }}
  valueFrom: { secretKeyRef: { name: {{ .secret }}, key: {{ .name }} } }
{{- end -}}

{{/* The private files of a service, as sources of a projected volume. Empty where it has none. */}}
{{- define "gerbang.privateSources" -}}
{{- if .root.Values.certificates.enabled }}
- secret:
    name: gerbang-{{ .row.name }}-tls
    items:
      - { key: ca.crt, path: tls/ca.crt }
      - { key: tls.crt, path: tls/tls.crt }
      - { key: tls.key, path: tls/tls.key }
{{- end }}
{{- if .row.railPartners }}
- secret:
    name: {{ .root.Values.secrets.railPartners }}
    items:
      - { key: rail-partners.json, path: rail-partners.json }
{{- end }}
{{- end -}}

{{/* The names of a service's secret variables, as its environment refers to them; JSON. */}}
{{- define "gerbang.secretNames" -}}
{{- $rows := include "gerbang.services" .root | fromJson -}}
{{- $names := list -}}
{{- range include "gerbang.environment" (dict "root" .root "row" .row "rows" $rows) | fromYamlArray -}}
{{- with .valueFrom }}{{- with .secretKeyRef }}{{- $names = append $names .key -}}{{- end -}}{{- end -}}
{{- end -}}
{{- toJson $names -}}
{{- end -}}
