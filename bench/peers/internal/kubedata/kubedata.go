// Package kubedata generates objects of k8s.io/api as in a busy cluster, the same on every run.
package kubedata

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/askind/askind/internal/dice"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func diceOf(i int) dice.Dice { return dice.New(i, 0x6b756265) }

func hex(d dice.Dice, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "0123456789abcdef"[d.IntN(16)]
	}
	return string(b)
}

func uid(d dice.Dice) types.UID {
	return types.UID(hex(d, 8) + "-" + hex(d, 4) + "-4" + hex(d, 3) + "-8" + hex(d, 3) + "-" + hex(d, 12))
}

// at returns the time some seconds after a moment of the year 2026, in the local zone, as it is in
// what was decoded.
func at(seconds int) metav1.Time { return metav1.Unix(1_772_000_000+int64(seconds), 0) }

func quantity(s string) resource.Quantity {
	q := resource.MustParse(s)
	_ = q.String() // fills the cache, as decoding does
	return q
}

// Pod returns the pod of a number: about 9 KB of JSON with three containers and the records of two
// managers.
func Pod(i int) *corev1.Pod {
	d := diceOf(i)
	app := dice.Of(d, "checkout", "search", "billing", "image-resize", "session-store", "ingest")
	set := app + "-" + d.ID(10)
	name := set + "-" + d.ID(5)
	zone := dice.Of(d, "a", "b", "c")
	created := i * 7
	ip := fmt.Sprintf("10.%d.%d.%d", i>>16&255, i>>8&255, i&255)
	uid, owner := uid(d), uid(d)
	// The sets of fields name the owner and the address, so that those of no two pods are the same.
	byController := strings.ReplaceAll(fieldsOfController, "6f1c2a3e-0b57-4c55-9d53-2f3d1c6a7e90", string(owner))
	byKubelet := strings.ReplaceAll(fieldsOfKubelet, "10.1.0.17", ip)
	return &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, GenerateName: set + "-", Namespace: dice.Of(d, "production", "staging",
				"team-payments"), UID: uid,
			ResourceVersion: strconv.Itoa(481_516_234 + i*3), Generation: 1, CreationTimestamp: at(created),
			Labels: map[string]string{
				"app.kubernetes.io/name": app, "app.kubernetes.io/instance": app + "-" +
					dice.Of(d, "blue", "green"), "app.kubernetes.io/managed-by": "Helm",
				"app.kubernetes.io/version": fmt.Sprintf("1.%d.%d", d.IntN(40), d.IntN(9)),
				"pod-template-hash":         set[len(app)+1:], "topology.kubernetes.io/zone": "eu-central-1" + zone,
			},
			Annotations: map[string]string{
				"checksum/config": hex(d, 64),
				"cni.example.com/status": `[{"name":"default","interface":"eth0","ips":["` + ip +
					`"],"default":true,"dns":{}}]`,
				"kubectl.kubernetes.io/restartedAt": at(created - 60).UTC().Format(time.RFC3339),
				"prometheus.io/port":                "9090",
				"prometheus.io/scrape":              "true",
			},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: set, UID: owner,
				Controller: new(true), BlockOwnerDeletion: new(true),
			}},
			ManagedFields: managers(created, "v1", byController, byKubelet),
		},
		Spec:   podSpec(d, app, zone, i),
		Status: podStatus(d, app, ip, created),
	}
}

func podSpec(d dice.Dice, app, zone string, i int) corev1.PodSpec {
	token := "kube-api-access-" + d.ID(5)
	spec := corev1.PodSpec{
		Volumes: []corev1.Volume{
			{Name: "config", VolumeSource: corev1.VolumeSource{
				ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: app +
					"-config"}, DefaultMode: new(int32(420))},
			}},
			{Name: "cache", VolumeSource: corev1.VolumeSource{
				EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: new(quantity("2Gi"))},
			}},
			{Name: token, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
				DefaultMode: new(int32(420)),
				Sources: []corev1.VolumeProjection{
					{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{
						ExpirationSeconds: new(int64(3607)),
						Path:              "token",
					}},
					{ConfigMap: &corev1.ConfigMapProjection{
						LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"},
						Items:                []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}},
					}},
					{DownwardAPI: &corev1.DownwardAPIProjection{
						Items: []corev1.DownwardAPIVolumeFile{{
							Path:     "namespace",
							FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"},
						}},
					}},
				},
			}}},
		},
		InitContainers: []corev1.Container{container(d, app, "migrate", token, 0)},
		Containers: []corev1.Container{
			container(d, app, app, token, 8080),
			container(d, app, "proxy", token, 15001),
		},
		RestartPolicy: corev1.RestartPolicyAlways, TerminationGracePeriodSeconds: new(int64(30)),
		DNSPolicy:          corev1.DNSClusterFirst,
		ServiceAccountName: app, DeprecatedServiceAccount: app,
		NodeName: fmt.Sprintf("ip-10-0-%d-%d.eu-central-1.compute.internal", i%16, i%251),
		SecurityContext: &corev1.PodSecurityContext{
			RunAsUser: new(int64(1000)), RunAsNonRoot: new(true),
			FSGroup:        new(int64(2000)),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Affinity: &corev1.Affinity{
			NodeAffinity: requiredNodes(
				corev1.NodeSelectorRequirement{
					Key: "topology.kubernetes.io/zone", Operator: corev1.NodeSelectorOpIn,
					Values: []string{"eu-central-1" + zone},
				},
				corev1.NodeSelectorRequirement{
					Key: "node.kubernetes.io/instance-type", Operator: corev1.NodeSelectorOpNotIn,
					Values: []string{"t3.small", "t3.micro"},
				},
			),
			PodAntiAffinity: preferApart(corev1.PodAffinityTerm{
				LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app.kubernetes.io/name": app}},
				TopologyKey:   "kubernetes.io/hostname",
			}),
		},
		SchedulerName: corev1.DefaultSchedulerName,
		Tolerations: []corev1.Toleration{
			{
				Key: "node.kubernetes.io/not-ready", Operator: corev1.TolerationOpExists,
				Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300)),
			},
			{
				Key: "node.kubernetes.io/unreachable", Operator: corev1.TolerationOpExists,
				Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300)),
			},
		},
		Priority: new(int32(0)), EnableServiceLinks: new(true), PreemptionPolicy: new(corev1.PreemptLowerPriority),
	}
	spec.InitContainers[0].LivenessProbe, spec.InitContainers[0].ReadinessProbe = nil, nil
	return spec
}

func container(d dice.Dice, app, name, token string, port int32) corev1.Container {
	c := corev1.Container{
		Name: name, Image: fmt.Sprintf("registry.example.com/%s/%s:1.%d.%d", app, name, d.IntN(40),
			d.IntN(9)), ImagePullPolicy: corev1.PullIfNotPresent,
		Args: []string{"--config=/etc/" + app + "/config.yaml", "--log-format=json", "--listen=0.0.0.0:" +
			strconv.Itoa(int(port))},
		Env: []corev1.EnvVar{
			{Name: "POD_NAME", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{
				APIVersion: "v1",
				FieldPath:  "metadata.name",
			}}},
			{Name: "POD_IP", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{
				APIVersion: "v1",
				FieldPath:  "status.podIP",
			}}},
			{
				Name: "DATABASE_PASSWORD",
				ValueFrom: &corev1.EnvVarSource{
					SecretKeyRef: &corev1.SecretKeySelector{
						LocalObjectReference: corev1.LocalObjectReference{Name: app + "-db"}, Key: "password",
					},
				},
			},
			{Name: "GOMEMLIMIT", ValueFrom: &corev1.EnvVarSource{
				ResourceFieldRef: &corev1.ResourceFieldSelector{Resource: "limits.memory", Divisor: quantity("1")},
			}},
			{Name: "OTEL_EXPORTER_OTLP_ENDPOINT", Value: "http://otel-collector.observability:4317"},
			{Name: "LOG_LEVEL", Value: dice.Of(d, "info", "debug", "warn")},
		},
		Resources: corev1.ResourceRequirements{
			Limits: corev1.ResourceList{corev1.ResourceCPU: quantity("2"), corev1.ResourceMemory: quantity("2Gi")},
			Requests: corev1.ResourceList{
				corev1.ResourceCPU:    quantity("250m"),
				corev1.ResourceMemory: quantity("512Mi"),
			},
		},
		VolumeMounts: []corev1.VolumeMount{
			{Name: "config", ReadOnly: true, MountPath: "/etc/" + app},
			{Name: "cache", MountPath: "/var/cache/" + app},
			{Name: token, ReadOnly: true, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount"},
		},
		TerminationMessagePath:   corev1.TerminationMessagePathDefault,
		TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: new(false),
			ReadOnlyRootFilesystem:   new(true), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
	}
	if name != app { // the others are simpler
		c.Env, c.SecurityContext = c.Env[4:], nil
	}
	if port == 0 {
		c.Args, c.VolumeMounts = c.Args[:1], c.VolumeMounts[:1]
		return c
	}
	c.Ports = []corev1.ContainerPort{
		{Name: "http", ContainerPort: port, Protocol: corev1.ProtocolTCP},
		{Name: "metrics", ContainerPort: 9090, Protocol: corev1.ProtocolTCP},
	}
	probe := func(path string, after int32) *corev1.Probe {
		return &corev1.Probe{
			ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
				Path: path,
				Port: intstr.FromString("http"), Scheme: corev1.URISchemeHTTP,
			}},
			InitialDelaySeconds: after, TimeoutSeconds: 1, PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 3,
		}
	}
	c.LivenessProbe, c.ReadinessProbe = probe("/healthz", 15), probe("/readyz", 5)
	return c
}

func podStatus(d dice.Dice, app, ip string, created int) corev1.PodStatus {
	condition := func(t corev1.PodConditionType, seconds int) corev1.PodCondition {
		return corev1.PodCondition{Type: t, Status: corev1.ConditionTrue, LastTransitionTime: at(created + seconds)}
	}
	status := func(name string, state corev1.ContainerState, ready bool) corev1.ContainerStatus {
		digest := hex(d, 64)
		return corev1.ContainerStatus{
			Name: name, State: state, Ready: ready, RestartCount: int32(d.IntN(3)), Image: "registry.example.com/" +
				app + "/" + name + ":latest",
			ImageID: "registry.example.com/" + app + "/" + name + "@sha256:" + digest, ContainerID: "containerd://" +
				hex(d, 64), Started: new(ready),
		}
	}
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at(created + 4)}}
	done := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		Reason:    "Completed",
		StartedAt: at(created + 1), FinishedAt: at(created + 3), ContainerID: "containerd://" + hex(d, 64),
	}}
	return corev1.PodStatus{
		Phase: corev1.PodRunning,
		Conditions: []corev1.PodCondition{
			condition(corev1.PodReadyToStartContainers, 1), condition(corev1.PodInitialized,
				3), condition(corev1.PodReady, 20),
			condition(corev1.ContainersReady, 20), condition(corev1.PodScheduled, 0),
		},
		HostIP: "10.0.3.17", HostIPs: []corev1.HostIP{{IP: "10.0.3.17"}}, PodIP: ip, PodIPs: []corev1.PodIP{{IP: ip}},
		StartTime:             new(at(created)),
		InitContainerStatuses: []corev1.ContainerStatus{status("migrate", done, true)},
		ContainerStatuses:     []corev1.ContainerStatus{status(app, running, true), status("proxy", running, true)},
		QOSClass:              corev1.PodQOSBurstable,
	}
}

// managers returns the record of the program that made an object and of the one that reports on it.
func managers(created int, apiVersion, spec, status string) []metav1.ManagedFieldsEntry {
	entry := func(manager, subresource, fields string, seconds int) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{
			Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: apiVersion,
			Time:       new(at(seconds)),
			FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(fields)}, Subresource: subresource,
		}
	}
	return []metav1.ManagedFieldsEntry{
		entry("kube-controller-manager", "", spec, created),
		entry("kubelet", "status", status, created+20),
	}
}

// What the two set, in the form that structured-merge-diff gives it.
const (
	fieldsOfController = `{"f:metadata":{"f:annotations":{".":{},"f:checksum/config":{},"f:kubectl.kubernetes.io/restartedAt":{},"f:prometheus.io/port":{},"f:prometheus.io/scrape":{}},"f:generateName":{},"f:labels":{".":{},"f:app.kubernetes.io/instance":{},"f:app.kubernetes.io/name":{},"f:pod-template-hash":{}},"f:ownerReferences":{".":{},"k:{\"uid\":\"6f1c2a3e-0b57-4c55-9d53-2f3d1c6a7e90\"}":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":{".":{},"f:args":{},"f:env":{".":{},"k:{\"name\":\"LOG_LEVEL\"}":{".":{},"f:name":{},"f:value":{}},"k:{\"name\":\"POD_NAME\"}":{".":{},"f:name":{},"f:valueFrom":{".":{},"f:fieldRef":{}}}},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:ports":{".":{},"k:{\"containerPort\":8080,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:name":{},"f:protocol":{}}},"f:resources":{".":{},"f:limits":{".":{},"f:cpu":{},"f:memory":{}},"f:requests":{".":{},"f:cpu":{},"f:memory":{}}}}},"f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:serviceAccountName":{},"f:terminationGracePeriodSeconds":{},"f:volumes":{".":{},"k:{\"name\":\"cache\"}":{".":{},"f:emptyDir":{".":{},"f:sizeLimit":{}},"f:name":{}},"k:{\"name\":\"config\"}":{".":{},"f:configMap":{".":{},"f:defaultMode":{},"f:name":{}},"f:name":{}}}}}`
	fieldsOfKubelet    = `{"f:status":{"f:conditions":{"k:{\"type\":\"ContainersReady\"}":{".":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}},"k:{\"type\":\"Initialized\"}":{".":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}},"k:{\"type\":\"Ready\"}":{".":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}}},"f:containerStatuses":{},"f:hostIP":{},"f:initContainerStatuses":{},"f:phase":{},"f:podIP":{},"f:podIPs":{".":{},"k:{\"ip\":\"10.1.0.17\"}":{".":{},"f:ip":{}}},"f:startTime":{}}}`
)

// ConfigMap returns a small object: about 400 bytes of JSON.
func ConfigMap(i int) *corev1.ConfigMap {
	d := diceOf(i)
	return &corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{
			Name: "settings-" + d.ID(5), Namespace: "production", UID: uid(d),
			ResourceVersion:   strconv.Itoa(481_516_234 + i),
			CreationTimestamp: at(i), Labels: map[string]string{
				"app.kubernetes.io/name":       "search",
				"app.kubernetes.io/managed-by": "Helm",
			},
		},
		Data: map[string]string{"log.level": "info", "feature.ranking": "v2", "cache.size": "512Mi"},
	}
}

// Deployment returns a deployment of three containers: about 8 KB of JSON.
func Deployment(i int) *appsv1.Deployment {
	d := diceOf(i)
	app := dice.Of(d, "checkout", "search", "billing")
	labels := map[string]string{"app.kubernetes.io/name": app, "app.kubernetes.io/instance": app + "-blue"}
	spec := podSpec(d, app, "a", i)
	spec.NodeName, spec.Priority, spec.Volumes = "", nil, spec.Volumes[:2]
	created := i * 7
	condition := func(t appsv1.DeploymentConditionType, reason, message string) appsv1.DeploymentCondition {
		return appsv1.DeploymentCondition{
			Type: t, Status: corev1.ConditionTrue, LastUpdateTime: at(created + 90),
			LastTransitionTime: at(created + 60), Reason: reason, Message: message,
		}
	}
	return &appsv1.Deployment{
		TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{
			Name: app + "-blue", Namespace: "production", UID: uid(d), ResourceVersion: strconv.Itoa(481_516_234 + i),
			Generation: 7, CreationTimestamp: at(created),
			Labels: labels, Annotations: map[string]string{
				"deployment.kubernetes.io/revision": "7",
				"meta.helm.sh/release-name":         app, "meta.helm.sh/release-namespace": "production",
			},
			ManagedFields: managers(created, "apps/v1", fieldsOfController,
				`{"f:status":{"f:availableReplicas":{},"f:conditions":{".":{},"k:{\"type\":\"Available\"}":{".":{},"f:status":{},"f:type":{}}},"f:observedGeneration":{},"f:replicas":{}}}`),
		},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(3)), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{
				Labels:      labels,
				Annotations: map[string]string{"checksum/config": hex(d, 64)},
			}, Spec: spec},
			Strategy: appsv1.DeploymentStrategy{
				Type: appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{
					MaxUnavailable: new(intstr.FromString("25%")), MaxSurge: new(intstr.FromInt32(1)),
				},
			},
			RevisionHistoryLimit: new(int32(10)), ProgressDeadlineSeconds: new(int32(600)),
		},
		Status: appsv1.DeploymentStatus{
			ObservedGeneration: 7, Replicas: 3, UpdatedReplicas: 3, ReadyReplicas: 3, AvailableReplicas: 3,
			Conditions: []appsv1.DeploymentCondition{
				condition(appsv1.DeploymentAvailable, "MinimumReplicasAvailable",
					"Deployment has minimum availability."),
				condition(appsv1.DeploymentProgressing, "NewReplicaSetAvailable", `ReplicaSet "`+app+
					`-blue-6d4cf56db6" has successfully progressed.`),
			},
		},
	}
}

// requiredNodes returns the affinity for nodes that meet all requirements.
func requiredNodes(requirements ...corev1.NodeSelectorRequirement) *corev1.NodeAffinity {
	return &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: requirements}},
	}}
}

// preferApart returns the anti-affinity that weighs one term with 100.
func preferApart(term corev1.PodAffinityTerm) *corev1.PodAntiAffinity {
	return &corev1.PodAntiAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{
			{Weight: 100, PodAffinityTerm: term},
		},
	}
}
