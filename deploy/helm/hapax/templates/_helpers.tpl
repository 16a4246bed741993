{{- define "hapax.name" -}}
{{- if contains "hapax" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-hapax" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "hapax.selector" -}}
app.kubernetes.io/name: hapax
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* The names of the Services in the cluster, by which clients without credentials call. */}}
{{- define "hapax.hosts" -}}
{{- include "hapax.names" (dict "root" . "hosts" .Values.http.hosts "services" (list (include "hapax.name" .) (printf "%s-headless" (include "hapax.name" .)))) }}
{{- end }}

{{- define "hapax.consoleHosts" -}}
{{- include "hapax.names" (dict "root" . "hosts" .Values.console.hosts "services" (list (printf "%s-console" (include "hapax.name" .)))) }}
{{- end }}

{{- define "hapax.names" -}}
{{- $names := .hosts }}
{{- $namespace := .root.Release.Namespace }}
{{- range $service := .services }}
{{- range $suffix := list "" (printf ".%s" $namespace) (printf ".%s.svc" $namespace) (printf ".%s.svc.cluster.local" $namespace) }}
{{- $names = append $names (printf "%s%s" $service $suffix) }}
{{- end }}
{{- end }}
{{- join "," $names }}
{{- end }}

{{- define "hapax.labels" -}}
{{ include "hapax.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "hapax.image" -}}
{{- with .Values.image }}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{- define "hapax.database" -}}
{{- $secret := required "database.existingSecret is required: a Secret with the password of the database" .Values.database.existingSecret }}
- name: database
  secret:
    secretName: {{ $secret }}
    defaultMode: 0440
{{- end }}

{{/* What every pod of the chart has: no root, no writable file, no token of the cluster. */}}
{{- define "hapax.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "hapax.container" -}}
image: {{ include "hapax.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}
