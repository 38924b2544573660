{{/* The rows that run here, by name, each over the defaults: the simulator only in a sandbox. As JSON. */}}
{{- define "gerbang.services" -}}
{{- $rows := dict -}}
{{- range $name, $row := .Values.services -}}
{{- if or (not $row.sandboxOnly) (eq $.Values.environment "sandbox") -}}
{{- $_ := set $rows $name (mustMergeOverwrite (deepCopy $.Values.defaults) (deepCopy $row) (dict "name" $name)) -}}
{{- end -}}
{{- end -}}
{{- toJson $rows -}}
{{- end -}}

{{/* Whose gRPC a row calls: what it lists, and those who publish events where it confirms them. Given (dict "row" "rows"); JSON. */}}
{{- define "gerbang.calls" -}}
{{- $calls := .row.calls | default list -}}
{{- if .row.confirms -}}
{{- range $name, $other := .rows -}}
{{- if eq ($other.events | default "") "publish" -}}{{- $calls = append $calls $name -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $calls | uniq | sortAlpha | toJson -}}
{{- end -}}

{{- define "gerbang.labels" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/part-of: gerbang
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{- define "gerbang.selector" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- end -}}

{{- define "gerbang.image" -}}
{{- $digest := get .root.Values.image.digests .name -}}
{{- if $digest -}}
{{ .root.Values.image.registry }}/gerbang-{{ .name }}@{{ $digest }}
{{- else -}}
{{ .root.Values.image.registry }}/gerbang-{{ .name }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* The name under which a service is reached, as its certificate has it. */}}
{{- define "gerbang.host" -}}
{{ .name }}.{{ .root.Release.Namespace }}.svc
{{- end -}}

{{- define "gerbang.variable" -}}
{{ . | upper | replace "-" "_" }}
{{- end -}}

{{/* What is left of the memory limit for Node's old generation: without the young one (3 × 32 MiB), what is beside the heap, and a tenth. */}}
{{- define "gerbang.heapMib" -}}
{{- $mib := sub (sub (div (mul (int .limitMib) 9) 10) 96) (int .offHeapMib) -}}
{{- if lt $mib 96 -}}{{- fail (printf "%s: limitMib %d leaves a heap of %d MiB; 96 is the least" .name (int .limitMib) $mib) -}}{{- end -}}
{{- $mib -}}
{{- end -}}

{{/* How every container of ours runs. */}}
{{- define "gerbang.securityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
readOnlyRootFilesystem: true
allowPrivilegeEscalation: false
privileged: false
capabilities: { drop: [ALL] }
seccompProfile: { type: RuntimeDefault }
{{- end -}}
