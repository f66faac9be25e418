package apiextensions_test

import (
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"
)

// TestKept bounds what a server keeps of a definition: three states in the history, and compiled
// and published schemas. The controller keeps none, and follows no more than the metadata.
func TestKept(t *testing.T) { // not in parallel: it measures the heap
	const definitions, described = 20, 100 << 10
	s := newSite(t, newEngine(t))
	before := heap()
	for i := range definitions {
		name := fmt.Sprintf("k%d", i)
		d := s.definition("crontabs", name+"s", "crontab", name, "CronTab", "K"+name, "shortNames", "categories")
		schema := &d.Spec.Versions[0].Schema.OpenAPIV3Schema
		*schema = []byte(strings.Replace(string(*schema), `"type":"object"`,
			`"description":"`+strings.Repeat("x", described)+`","type":"object"`, 1))
		s.create(d)
		s.established(d.Name)
	}
	kept := float64(heap()-before) / definitions / described
	if t.Logf("a definition is kept %.1f times", kept); kept > 4.5 {
		t.Error("more than 4.5 times")
	}
	goruntime.KeepAlive(s)
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
