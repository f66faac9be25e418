package dynamic_test

import (
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/askind/askind/meta/dynamic"
)

// operator writes schemas of the kind that operators have: templates of pods, selectors and
// conditions, which recur in each version, each time with a long description of its own.
type operator struct{ described int }

// of returns a schema with a description and keywords.
func (o *operator) of(keywords string) string {
	o.described++
	return fmt.Sprintf(`{"description":"%d. %s",%s}`, o.described, strings.Repeat("What the field means. ", 8), keywords)
}

// object returns the schema of an object. Members alternate names and schemas.
func (o *operator) object(members ...string) string {
	var b strings.Builder
	for i := 0; i < len(members); i += 2 {
		fmt.Fprintf(&b, `,"%s":%s`, members[i], members[i+1])
	}
	return o.of(`"type":"object","properties":{` + strings.TrimPrefix(b.String(), ",") + `}`)
}

func (o *operator) list(items string) string {
	return o.of(`"type":"array","x-kubernetes-list-type":"atomic","items":` + items)
}

func (o *operator) keyed(key, items string) string {
	return o.of(`"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["` + key + `"],"items":` +
		strings.Replace(items, `"type":"object"`, `"type":"object","required":["`+key+`"]`, 1))
}

func (o *operator) text() string { return o.of(`"type":"string"`) }

func (o *operator) number() string { return o.of(`"type":"integer","format":"int32","minimum":1`) }

func (o *operator) quantity() string {
	return o.of(`"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}],` +
		`"pattern":"^[0-9]+[kMG]?$"`)
}

func (o *operator) quantities() string {
	return o.of(`"type":"object","additionalProperties":` + o.quantity())
}

func (o *operator) labels() string {
	return o.of(`"type":"object","additionalProperties":{"type":"string"}`)
}

func (o *operator) selector() string {
	operator := o.of(`"type":"string","enum":["In","NotIn","Exists"]`)
	return o.object("matchLabels", o.labels(), "matchExpressions",
		o.list(o.object("key", o.text(), "operator", operator, "values", o.list(o.text()))))
}

func (o *operator) probe() string {
	headers := o.keyed("name", o.object("name", o.text(), "value", o.text()))
	return o.object("exec", o.object("command", o.list(o.text())),
		"httpGet", o.object("path", o.text(), "port", o.quantity(), "httpHeaders", headers),
		"periodSeconds", o.number(), "timeoutSeconds", o.number(), "failureThreshold", o.number())
}

func (o *operator) container() string {
	ref := func() string {
		return o.object("key", o.text(), "name", o.text(), "optional", o.of(`"type":"boolean"`))
	}
	env := o.object("name", o.text(), "value", o.text(),
		"valueFrom", o.object("configMapKeyRef", ref(), "secretKeyRef", ref()))
	return o.object("name", o.of(`"type":"string","pattern":"^[a-z]+$","maxLength":63`), "image", o.text(),
		"args", o.list(o.text()), "command", o.list(o.text()), "env", o.keyed("name", env),
		"livenessProbe", o.probe(), "readinessProbe", o.probe(), "startupProbe", o.probe(),
		"resources", o.object("limits", o.quantities(), "requests", o.quantities()))
}

func (o *operator) pod() string {
	term := func() string {
		return o.object("labelSelector", o.selector(), "namespaceSelector", o.selector(), "topologyKey", o.text(),
			"namespaces", o.list(o.text()))
	}
	affinity := func() string {
		return o.object("preferred", o.list(o.object("weight", o.number(), "term", term())), "required", o.list(term()))
	}
	return o.object("containers", o.keyed("name", o.container()), "initContainers", o.keyed("name", o.container()),
		"affinity", o.object("podAffinity", affinity(), "podAntiAffinity", affinity()), "nodeSelector", o.labels(),
		"config", o.of(`"type":"object","x-kubernetes-preserve-unknown-fields":true`))
}

// version returns the schema of one version of a definition.
func (o *operator) version(definition, version int) []byte {
	own := func() string {
		members := []string{"replicas", o.of(`"type":"integer","default":1`)}
		for i := range 10 {
			members = append(members, fmt.Sprintf("own%dOf%d", i, definition), o.text())
		}
		return o.object(append(members, fmt.Sprintf("since%d", version), o.number())...)
	}
	spec := o.object("pod", o.pod(), "job", o.pod(), "selector", o.selector(), "own", own())
	spec = strings.TrimSuffix(spec, "}") + `,"x-kubernetes-validations":[{"rule":"has(self.pod)"}]}`
	return []byte(o.object("spec", spec, "status", o.object("conditions",
		o.keyed("type", o.object("type", o.text(), "status", o.text(), "reason", o.text())), "own", own())))
}

// TestKept bounds what compiled definitions keep in memory.
func TestKept(t *testing.T) { // not in parallel: it measures the heap
	const definitions = 20
	var o operator
	all := make([]dynamic.Definition, definitions)
	text, schemas := 0, 0
	for i := range all {
		all[i] = dynamic.Definition{Group: fmt.Sprintf("g%d.example.com", i), Kind: "Operator", Resource: "operators"}
		for v := range 3 {
			s := o.version(i, v)
			text, schemas = text+len(s), schemas+strings.Count(string(s), `"type":`)
			all[i].Versions = append(all[i].Versions,
				dynamic.Version{Name: fmt.Sprint("v", v+1), Storage: v == 0, Schema: s})
		}
	}
	kept := make([]*dynamic.Resource, definitions)
	before := heap()
	for i, d := range all {
		r, err := dynamic.New(d)
		if err != nil {
			t.Fatal(err)
		}
		kept[i] = r
	}
	per := float64(heap()-before) / float64(schemas)
	t.Logf("%d bytes and %d schemas in a definition; %.0f bytes kept for a schema", text/definitions, schemas/definitions, per)
	if per > 100 {
		t.Errorf("%.0f bytes are kept for a schema, more than 100", per)
	}
	goruntime.KeepAlive(kept)
	goruntime.KeepAlive(all)
}

// heap returns the bytes in use.
func heap() int64 {
	var m goruntime.MemStats
	for range 2 { // pools are emptied by the second collection
		goruntime.GC()
	}
	goruntime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func BenchmarkNew(b *testing.B) {
	var o operator
	d := dynamic.Definition{Group: "example.com", Kind: "Operator", Resource: "operators"}
	for v := range 3 {
		d.Versions = append(d.Versions,
			dynamic.Version{Name: fmt.Sprint("v", v+1), Storage: v == 0, Schema: o.version(1, v)})
	}
	b.SetBytes(int64(3 * len(d.Versions[0].Schema)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := dynamic.New(d); err != nil {
			b.Fatal(err)
		}
	}
}
