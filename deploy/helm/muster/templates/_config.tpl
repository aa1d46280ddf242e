{{- /* The scheduler's configuration, with a profile for each name. */}}
{{- define "muster.config" -}}
{{- $profiles := "    schedulerName: muster\n" }}
{{- range .Values.schedulerNames }}
{{- $profiles = printf "%s  - pluginConfig: *packing\n    schedulerName: %s\n" $profiles . }}
{{- end -}}
{{ .Files.Get "base/scheduler_config.yaml" | replace "    schedulerName: muster\n" $profiles }}
{{- end -}}

{{- /* Ends in a hash of the content, so that a change restarts the schedulers. */}}
{{- define "muster.configName" -}}
muster-scheduler-config-{{ include "muster.config" . | sha256sum | trunc 10 }}
{{- end -}}
