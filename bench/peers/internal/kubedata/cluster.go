package kubedata

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/askind/askind/internal/dice"
)

// ClusterPod returns the pod of a number as one among the pods of a cluster. They are made from
// [Pod], and differ in which parts they have, in how many there are, and in what the managers own:
//
//	part                 how often, or how many
//	phase                Running 85 %, Succeeded 8 %, Pending 5 % (no IP, no statuses), Failed 2 %
//	containers           1 in 50 %, 2 in 30 %, 3 in 15 %, 5 in 5 %
//	init containers      0 in 65 %, 1 in 25 %, 2 in 10 %
//	env of a container   0 in 15 %, up to 8 in 65 %, up to 30 in 20 %; values of 1 to 80 bytes
//	args, ports, probes  60 %, 70 % and 60 % of containers
//	resources            none 15 %, requests alone 25 %, both 60 %
//	volumes              the token 95 %, each of the two others 55 %, up to 3 secrets 30 %
//	affinity             none 60 %, of nodes 20 %, of pods 10 %, both 10 %
//	tolerations          2, 3 or 6
//	labels               1 to 12
//	annotations          none 20 %, up to 4 in 55 %, up to 9 in 25 %; in 12 % the last applied
//	                     configuration, of 0.5 to 4 KiB
//	owner                90 %: ReplicaSet, DaemonSet, StatefulSet or Job
//	managers             the controller (in 5 % kubectl), the kubelet if there is a status, a network
//	                     plugin 30 %, kubectl 10 %; 15 % of entries are of clients that state no
//	                     subresource
//	field sets           what the pod has, with its own names, in the order of the keys
//
// No two of the first thousands have the same layout. JSON of them has 6 to 26 KB, the median is
// about 11.5 KB.
func ClusterPod(i int) *corev1.Pod {
	pod := Pod(i)
	d := dice.New(i, 0x636c7573746572)
	vary(d, pod)
	pod.ManagedFields = owned(d, pod, i*7)
	return pod
}

// Pods returns the list of the first n pods of a cluster.
func Pods(n int) *corev1.PodList {
	list := &corev1.PodList{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"},
		ListMeta: metav1.ListMeta{ResourceVersion: "481999999"}, Items: make([]corev1.Pod, n),
	}
	for i := range list.Items {
		list.Items[i] = *ClusterPod(i)
		list.Items[i].TypeMeta = metav1.TypeMeta{} // items of typed lists do not state it
	}
	return list
}

// happens reports true in so many of a hundred cases.
func happens(d dice.Dice, percent int) bool { return d.IntN(100) < percent }

// letters returns so many letters, which are in the same order for programs that take the digits in
// names for numbers.
func letters(d dice.Dice, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = 'a' + byte(d.IntN(26))
	}
	return string(b)
}

// words returns a text of so many bytes, in which some are escaped in JSON.
func words(d dice.Dice, n int) string {
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(dice.Of(d, "the ", "pool ", "of=", "workers/", "eu-1 ", "8080 ", "retry, ", "日本 ", `"no" `,
			"a&b "))
	}
	return strings.ToValidUTF8(b.String()[:n], "")
}

func vary(d dice.Dice, pod *corev1.Pod) {
	spec, status := &pod.Spec, &pod.Status
	app := pod.Labels["app.kubernetes.io/name"]
	template := spec.Containers[0]
	names := []string{app, "proxy", "log-shipper", "metrics", "config-reloader"}
	spec.Containers = nil
	for n := range dice.Of(d, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 5) {
		spec.Containers = append(spec.Containers, varied(d, template, names[n], int32(8080+n)))
	}
	first := spec.InitContainers[0]
	spec.InitContainers = nil
	for n := range dice.Of(d, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2) {
		c := varied(d, first, []string{"migrate", "wait-for-db"}[n], 0)
		c.Ports, c.LivenessProbe, c.ReadinessProbe = nil, nil, nil
		spec.InitContainers = append(spec.InitContainers, c)
	}
	volumes := spec.Volumes
	spec.Volumes = nil
	for n, percent := range []int{55, 55, 95} {
		if happens(d, percent) {
			spec.Volumes = append(spec.Volumes, volumes[n])
		}
	}
	if happens(d, 30) {
		for n := range 1 + d.IntN(3) {
			name := "secret-" + strconv.Itoa(n)
			spec.Volumes = append(spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
				Secret: &corev1.SecretVolumeSource{SecretName: app + "-" + d.ID(5), DefaultMode: new(int32(420))},
			}})
		}
	}
	switch affinity := dice.Of(d, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3); affinity {
	case 0:
		spec.Affinity = nil
	case 1:
		spec.Affinity.PodAntiAffinity = nil
	case 2:
		spec.Affinity.NodeAffinity = nil
	}
	for range dice.Of(d, 0, 0, 0, 1, 4) {
		spec.Tolerations = append(spec.Tolerations, corev1.Toleration{
			Key: "pool.example.com/" + d.ID(4), Operator: corev1.TolerationOpEqual, Value: d.ID(6),
			Effect: corev1.TaintEffectNoSchedule,
		})
	}
	if happens(d, 40) {
		spec.SecurityContext = new(corev1.PodSecurityContext)
	}
	if happens(d, 50) {
		spec.PriorityClassName, spec.Priority = "business-critical", new(int32(100_000))
	}
	if happens(d, 20) {
		spec.NodeSelector = map[string]string{"kubernetes.io/os": "linux", "pool": d.ID(5)}
	}
	metadataOf(d, pod)
	statusOf(d, spec, status)
}

func varied(d dice.Dice, template corev1.Container, name string, port int32) corev1.Container {
	c := *template.DeepCopy()
	c.Name, c.Image = name, strings.Replace(c.Image, ":", "/"+name+":", 1)
	most := dice.Of(d, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 30, 30, 30, 30)
	known := c.Env
	c.Env = nil
	if most > 0 {
		for n := range 1 + d.IntN(most) {
			if n < len(known) && happens(d, 50) {
				c.Env = append(c.Env, known[n])
				continue
			}
			c.Env = append(c.Env, corev1.EnvVar{
				Name:  dice.Of(d, "DB", "CACHE", "FEATURE", "OTEL") + "_" + strings.ToUpper(letters(d, 5)),
				Value: words(d, 1+d.IntN(80)),
			})
		}
	}
	if !happens(d, 60) {
		c.Args = nil
	}
	if happens(d, 70) && len(c.Ports) > 0 {
		c.Ports[0].ContainerPort = port
	} else {
		c.Ports = nil
	}
	if c.Ports == nil || !happens(d, 60) {
		c.LivenessProbe, c.ReadinessProbe = nil, nil
	} else {
		c.LivenessProbe.HTTPGet.Port = intstr.FromInt32(port)
	}
	switch dice.Of(d, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2) {
	case 0:
		c.Resources = corev1.ResourceRequirements{}
	case 1:
		c.Resources.Limits = nil
	}
	c.VolumeMounts = c.VolumeMounts[:d.IntN(len(c.VolumeMounts)+1)]
	return c
}

func metadataOf(d dice.Dice, pod *corev1.Pod) {
	for _, key := range slices.Sorted(maps.Keys(pod.Labels)) {
		if happens(d, 40) && len(pod.Labels) > 1 {
			delete(pod.Labels, key)
		}
	}
	for range d.IntN(7) {
		pod.Labels[dice.Of(d, "team", "tier", "example.com/", "release-")+letters(d, 4)] = d.ID(1 + d.IntN(20))
	}
	switch dice.Of(d, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2) {
	case 0:
		pod.Annotations = nil
	case 1:
		for _, key := range slices.Sorted(maps.Keys(pod.Annotations)) {
			if happens(d, 50) {
				delete(pod.Annotations, key)
			}
		}
	default:
		for range d.IntN(5) {
			pod.Annotations["example.com/note-"+letters(d, 3)] = words(d, 10+d.IntN(200))
		}
	}
	if pod.Annotations != nil && happens(d, 12) {
		pod.Annotations["kubectl.kubernetes.io/last-applied-configuration"] = words(d, 512+d.IntN(3600))
	}
	if len(pod.Annotations) == 0 {
		pod.Annotations = nil
	}
	if happens(d, 10) {
		pod.OwnerReferences, pod.GenerateName = nil, ""
		return
	}
	owner := &pod.OwnerReferences[0]
	owner.Kind = dice.Of(d, "ReplicaSet", "ReplicaSet", "ReplicaSet", "DaemonSet", "StatefulSet", "Job")
	switch owner.Kind {
	case "Job":
		owner.APIVersion = "batch/v1"
	case "StatefulSet":
		pod.GenerateName = ""
	}
}

func statusOf(d dice.Dice, spec *corev1.PodSpec, status *corev1.PodStatus) {
	template := status.ContainerStatuses[0]
	done := status.InitContainerStatuses[0].State
	of := func(c *corev1.Container, state corev1.ContainerState) corev1.ContainerStatus {
		s := *template.DeepCopy()
		s.Name, s.Image, s.State, s.RestartCount = c.Name, c.Image, *state.DeepCopy(), int32(d.IntN(4)*d.IntN(4))
		s.Ready = state.Running != nil
		s.ContainerID = "containerd://" + hex(d, 64)
		if s.RestartCount > 0 {
			s.LastTerminationState = done
		}
		return s
	}
	state := template.State
	switch phase := d.IntN(100); {
	case phase < 85:
	case phase < 93:
		status.Phase, state = corev1.PodSucceeded, done
	case phase < 98:
		*status = corev1.PodStatus{Phase: corev1.PodPending, QOSClass: status.QOSClass}
		if happens(d, 70) {
			status.Conditions = []corev1.PodCondition{{
				Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
				Message: "0/" + strconv.Itoa(3+d.IntN(90)) + " nodes are available: insufficient memory.",
			}}
			spec.NodeName = ""
		}
		return
	default:
		status.Phase, status.Reason = corev1.PodFailed, "Evicted"
		status.Message = words(d, 60+d.IntN(100))
		state = done
	}
	status.InitContainerStatuses, status.ContainerStatuses = nil, nil
	for i := range spec.InitContainers {
		status.InitContainerStatuses = append(status.InitContainerStatuses, of(&spec.InitContainers[i], done))
	}
	for i := range spec.Containers {
		status.ContainerStatuses = append(status.ContainerStatuses, of(&spec.Containers[i], state))
	}
	if happens(d, 50) { // an older kubelet
		status.HostIPs, status.Conditions = nil, status.Conditions[1:]
	}
}

// owned returns the entries of the managers of a pod.
func owned(d dice.Dice, pod *corev1.Pod, created int) []metav1.ManagedFieldsEntry {
	var out []metav1.ManagedFieldsEntry
	add := func(manager, subresource string, fields any, seconds int) {
		text := appendFields(nil, fields)
		if happens(d, 15) {
			subresource = ""
		}
		out = append(out, metav1.ManagedFieldsEntry{
			Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: new(at(seconds)),
			FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: text}, Subresource: subresource,
		})
	}
	all := plain(pod)
	metadata := all["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	inMetadata := map[string]any{}
	for _, name := range []string{"annotations", "generateName", "labels", "ownerReferences"} {
		if v, ok := metadata[name]; ok {
			inMetadata[name] = v
		}
	}
	maker := "kube-controller-manager"
	switch {
	case happens(d, 5):
		maker = "kubectl-run"
	case happens(d, 25):
		maker = "argo-rollouts"
	}
	spec := all["spec"].(map[string]any)
	delete(spec, "nodeName")
	delete(spec, "tolerations")
	add(maker, "", map[string]any{"metadata": inMetadata, "spec": spec}, created)
	if happens(d, 30) && annotations != nil {
		key := dice.Of(d, "cni.example.com/status", "k8s.v1.cni.cncf.io/networks")
		status := map[string]any{"annotations": map[string]any{key: ""}}
		add("multus", "status", map[string]any{"metadata": status}, created+1)
	}
	if pod.Status.StartTime != nil {
		add("kubelet", "status", map[string]any{"status": all["status"]}, created+4+d.IntN(1000))
	}
	if happens(d, 10) {
		add("kubectl-edit", "", map[string]any{"metadata": map[string]any{
			"labels":      map[string]any{letters(d, 6): ""},
			"annotations": map[string]any{"example.com/" + letters(d, 5): ""},
		}}, created+int(time.Hour/time.Second))
	}
	return out
}

// plain returns an object as encoding/json sees it.
func plain(obj any) map[string]any {
	text, err := json.Marshal(obj)
	var out map[string]any
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		panic(err)
	}
	return out
}

// keys are the members by which the elements of lists are told apart, one list of them for each
// kind of element.
var keys = [][]string{{"containerPort", "protocol"}, {"mountPath"}, {"ip"}, {"uid"}, {"type"}, {"name"}}

// appendFields appends the set of the fields that a value has.
func appendFields(dst []byte, value any) []byte {
	dst = append(dst, '{')
	from := len(dst)
	member := func(name string, value any) {
		if len(dst) > from {
			dst = append(dst, ',')
		}
		dst = append(strconv.AppendQuote(dst, name), ':')
		dst = appendFields(dst, value)
	}
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			member("f:"+name, v[name])
		}
	case []any:
		elements := map[string]any{}
		for _, element := range v {
			m, ok := element.(map[string]any)
			if !ok {
				break // the list is owned as a whole
			}
			for _, names := range keys {
				key := map[string]any{}
				for _, name := range names {
					if k, ok := m[name]; ok {
						key[name] = k
					}
				}
				if len(key) != len(names) {
					continue
				}
				text, err := json.Marshal(key)
				if err != nil {
					panic(err)
				}
				elements["k:"+string(text)] = m
				break
			}
		}
		for _, key := range slices.Sorted(maps.Keys(elements)) {
			member(key, elements[key])
		}
	}
	return append(dst, '}')
}
