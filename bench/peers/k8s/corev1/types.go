package corev1

import corev1 "k8s.io/api/core/v1"

// What the types themselves do not say.

// +askind:sensitive:fields=data;stringData
type _ = corev1.Secret
