package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/askind/askind/client"
	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
)

// TestShardSelector requests parts of a resource in all forms of a list, and deletes one part.
func TestShardSelector(t *testing.T) {
	t.Parallel()
	const shards = 3
	s, _ := withBoats(t)
	for i := range 30 {
		name := fmt.Sprintf("m%02d", i)
		if w := request(s, "POST", machines, machine(`"name":"`+name+`"`)); w.Code != http.StatusCreated {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		if w := request(s, "POST", boats, boat(name)); w.Code != http.StatusCreated {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	all := client.Of[v1.Machine](s.Client())
	owner := map[string]int{}
	for shard := range shards {
		for m, err := range all.All(t.Context(), client.Shard(shard, shards)) {
			if err != nil {
				t.Fatal(err)
			}
			if other, twice := owner[m.Name]; twice {
				t.Errorf("%s is in the shards %d and %d", m.Name, other, shard)
			}
			owner[m.Name] = shard
		}
	}
	if len(owner) != 30 {
		t.Errorf("the shards have %d objects", len(owner))
	}
	const lower = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"
	query := "?shardSelector=" + url.QueryEscape(lower)
	for _, path := range []string{machines, boats} {
		count := -1
		for _, accept := range []string{
			"application/json", "application/yaml", "application/cbor",
			"application/json;as=Table;g=meta.k8s.io;v=v1", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
			"application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
		} {
			w := request(s, "GET", path+query, "", "Accept: "+accept)
			if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "shardInfo") &&
				!strings.Contains(accept, "protobuf") || !strings.Contains(w.Body.String(), lower) {
				t.Errorf("%s, %s: %d %.300s", path, accept, w.Code, w.Body)
			}
			n := 0
			for i := range 30 {
				if strings.Contains(w.Body.String(), fmt.Sprintf("m%02d", i)) {
					n++
				}
			}
			if count < 0 {
				count = n
			}
			if n != count || n == 0 || n == 30 {
				t.Errorf("%s, %s: %d objects, before %d", path, accept, n, count)
			}
		}
	}
	run(t, s, machines, []step{
		{
			name: "a malformed selector", method: "GET", path: machines + "?shardSelector=uid",
			code: http.StatusBadRequest, want: []string{"shardSelector", "shardRange(object.metadata.uid"},
		},
		{
			name: "a malformed selector of a watch", method: "GET", path: machines + "?watch=1&shardSelector=uid",
			code: http.StatusBadRequest, want: []string{"shardSelector"},
		},
		{
			name: "a malformed selector of a deletion", method: "DELETE", path: machines + "?shardSelector=uid",
			code: http.StatusBadRequest, want: []string{"shardSelector"},
		},
		{
			name: "cluster scope", method: "GET", path: sites + query, code: http.StatusOK,
			want: []string{`"shardInfo":{"selector":"shardRange(`},
		},
	})
	w := watch(t, s, machines+query+"&watch=1")
	if err := all.In("default").DeleteAll(t.Context(), client.Shard(1, shards)); err != nil {
		t.Fatal(err)
	}
	left, err := all.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range left.Items {
		if owner[m.Name] == 1 {
			t.Errorf("%s of the deleted shard is left", m.Name)
		}
		delete(owner, m.Name)
	}
	for name, shard := range owner {
		if shard != 1 {
			t.Errorf("%s of shard %d is gone", name, shard)
		}
	}
	if event, name, line := w.next(); event != metav1.WatchAdded || name == "" {
		t.Errorf("a watch begins with %s", line)
	}
	for _, bad := range [][2]int{{3, 3}, {-1, 3}, {0, 0}} {
		if _, err := all.List(t.Context(), client.Shard(bad[0], bad[1])); err == nil {
			t.Errorf("shard %d of %d is accepted", bad[0], bad[1])
		}
	}
}
