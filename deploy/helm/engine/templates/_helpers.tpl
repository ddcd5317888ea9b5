{{/* The names begin with that of the release: `engine` for the release `engine`. */}}
{{- define "engine.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels by which pods are found. Takes (root, name, component); an empty component is left out. */}}
{{- define "engine.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ index . 1 }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
{{- with index . 2 }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{/* Labels of an object. Takes the same. */}}
{{- define "engine.labels" -}}
{{- $root := index . 0 -}}
{{ include "engine.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version }}
{{- end -}}

{{/* An image by its digest, else its tag, else the version of the chart. Takes (root, image). */}}
{{- define "engine.image" -}}
{{- $root := index . 0 -}}
{{- $image := index . 1 -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ $image.tag | default $root.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* What all pods have alike: no rights in the cluster, no root, and their place. Takes (root, values of the pod). */}}
{{- define "engine.pod" -}}
{{- $root := index . 0 -}}
{{- $values := index . 1 -}}
automountServiceAccountToken: false
enableServiceLinks: false
# preStop, --shutdown-timeout-secs, and a little more.
terminationGracePeriodSeconds: 40
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Security of a container. */}}
{{- define "engine.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* Probes of a container. Takes the path of its readiness. */}}
{{- define "engine.probes" -}}
startupProbe:
  httpGet: { path: /healthz/live, port: http }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /healthz/live, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: {{ . }}, port: http }
  periodSeconds: 5
  timeoutSeconds: 3
lifecycle:
  # Until no service sends requests any more.
  preStop: { exec: { command: [sleep, '5'] } }
{{- end -}}

{{/* Annotations of pods. Takes (root, port, values of the pod, text whose change restarts the pods). */}}
{{- define "engine.annotations" -}}
prometheus.io/scrape: {{ not (index . 0).Values.serviceMonitor.enabled | quote }}
prometheus.io/port: {{ index . 1 | quote }}
prometheus.io/path: /metrics
checksum/config: {{ index . 3 | sha256sum }}
{{- with (index . 2).podAnnotations }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Egress to the name servers of the cluster. */}}
{{- define "engine.dns" -}}
- to:
    - namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: kube-system } }
      podSelector: { matchLabels: { k8s-app: kube-dns } }
  ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
{{- end -}}

{{/* A configuration map. Takes (root, options). */}}
{{- define "engine.options" -}}
{{- range $name, $value := . }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end -}}

{{/* Options as variables of a container. */}}
{{- define "engine.variables" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}
