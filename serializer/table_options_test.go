package serializer_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askind/askind/conversion"
	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/csv"
	"github.com/askind/askind/serializer/text"
)

// rack is a list of machines of different ages.
func rack() *v1.MachineList {
	list := &v1.MachineList{ListMeta: metav1.ListMeta{ResourceVersion: "9"}}
	for i, name := range []string{"node-10", "node-9", "node-1"} {
		m := v1.Machine{ObjectMeta: metav1.ObjectMeta{
			Name: name, ResourceVersion: "1", Labels: map[string]string{"example.com/team": []string{
				"red", "blue",
				"red",
			}[i]},
			CreationTimestamp: metav1.NewTime(noon.Add(-45*24*time.Hour - time.Duration(i%2)*time.Second)),
		}}
		m.Spec.Zone, m.Spec.Hardware.Cores = "z1", int32(4*(3-i))
		list.Items = append(list.Items, m)
	}
	return list
}

func TestTableOptions(t *testing.T) {
	t.Parallel()
	f := newFleet(t, csv.Format(), text.Format())
	offer := serializer.Offer{Kind: v1.GroupVersion.WithKind("MachineList")}
	yes, no := true, false
	for _, c := range []struct {
		name, accept string
		options      metav1.TableOptions
		want         string
	}{
		{"text", "text/plain;as=Table", metav1.TableOptions{}, `
NAME      ZONE   CORES   MEMORY   DISK   PHASE   READY   AGE
node-10   z1     12      0                               45d
node-9    z1     8       0                               45d
node-1    z1     4       0                               45d
`},
		{"in order", "text/plain;as=Table", metav1.TableOptions{SortBy: []string{"-age,name"}, NoHeaders: &yes}, `
node-9    z1    8     0                       45d
node-1    z1    4     0                       45d
node-10   z1    12    0                       45d
`},
		{"labels", "text/plain;as=Table", metav1.TableOptions{LabelColumns: []string{"example.com/team", "tier"}, SortBy: []string{"team", "cores"}, Wide: &yes}, `
NAME      ZONE   CORES   MEMORY   DISK   PHASE   READY   AGE   POOL   ADDRESSES   TEAM   TIER
node-9    z1     8       0                               45d                      blue   
node-1    z1     4       0                               45d                      red    
node-10   z1     12      0                               45d                      red    
`},
		{"csv", "text/csv", metav1.TableOptions{
			LabelColumns: []string{"example.com/team"}, Wide: &no,
			SortBy: []string{"Name"},
		}, "\n" +
			"Name,Zone,Cores,Memory,Disk,Phase,Ready,Age,team\r\nnode-1,z1,4,0,,,,45d,red\r\nnode-9,z1,8,0,,,,45d,blue\r\nnode-10,z1,12,0,,,,45d,red\r\n"},
		{
			"json", "application/json;as=Table",
			metav1.TableOptions{
				IncludeObject: metav1.IncludeNone, NoHeaders: &yes, Wide: &no,
				SortBy: []string{"-Cores"},
			},
			"\n" + `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9"},"columnDefinitions":null,"rows":[` +
				`{"cells":["node-10","z1",12,"0",null,null,null,"45d"],"object":null},{"cells":["node-9","z1",8,"0",null,null,null,"45d"],"object":null},` +
				`{"cells":["node-1","z1",4,"0",null,null,null,"45d"],"object":null}]}` + "\n",
		},
		{
			"all columns unless asked", "application/json;as=TabularOutput",
			metav1.TableOptions{NoHeaders: &yes, SortBy: []string{"name"}},
			"\n" + `{"kind":"TabularOutput","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9"},"columns":[],"items":[` +
				`{"columns":["node-1","z1",4,"0",null,null,null,"45d",null,null]},{"columns":["node-9","z1",8,"0",null,null,null,"45d",null,null]},` +
				`{"columns":["node-10","z1",12,"0",null,null,null,"45d",null,null]}]}` + "\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rep, err := f.Negotiate([]string{c.accept}, offer)
			if err != nil {
				t.Fatal(err)
			}
			options, list := c.options, rack()
			got, err := rep.With(conversion.ScopeOptions{Options: &options, Now: noon}).Append(nil, list)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if !reflect.DeepEqual(list, rack()) || !reflect.DeepEqual(options, c.options) {
				t.Error("the list or the options were changed")
			}
		})
	}
}

// TestBadTableOptions checks that a mistake in the options is an answer, and no reason to go on to
// another clause of the header.
func TestBadTableOptions(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	accept := []string{"application/json;as=Table, application/json"}
	offer := serializer.Offer{Kind: v1.GroupVersion.WithKind("MachineList")}
	_, _, err := appendAcceptable(f, nil, accept, offer,
		conversion.ScopeOptions{Options: &metav1.TableOptions{SortBy: []string{"Coers"}}}, rack())
	const want = `sortBy: there is no column "Coers", only Name, Zone, Cores, Memory, Disk, Phase, Ready, Age, Pool, Addresses (did you mean "Cores"?)`
	if status := metav1.StatusOf(err); status.Code != 400 || status.Message != want {
		t.Errorf("got %d %s, %v", status.Code, status.Message, err)
	}
	if _, ok := errors.AsType[*runtime.ConvertError](err); !ok {
		t.Errorf("got %T", err)
	}
}

// TestTableOptionsOfWatches checks that a watch without headers has none in its first event either.
func TestTableOptionsOfWatches(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	rep, err := f.Negotiate([]string{"application/json;as=Table"},
		serializer.Offer{Kind: v1.GroupVersion.WithKind("MachineList"), Stream: "watch"})
	if err != nil {
		t.Fatal(err)
	}
	yes := true
	options := &metav1.TableOptions{
		IncludeObject: metav1.IncludeNone, NoHeaders: &yes,
		LabelColumns: []string{"example.com/team"}, SortBy: []string{"Age"},
	}
	var b bytes.Buffer
	w, err := rep.With(conversion.ScopeOptions{Options: options, Now: noon}).Events(&b)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Send(metav1.WatchAdded, &rack().Items[0]); err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"1"},"columnDefinitions":null,"rows":[` +
		`{"cells":["node-10","z1",12,"0",null,null,null,"45d",null,null,"red"],"object":null}]}}` + "\n"
	if got := b.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
