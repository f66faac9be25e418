package main

import (
	"fmt"

	"github.com/askind/askind/conversion"
	fleetv1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	fleetv1alpha1 "github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	fleetv1beta1 "github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// conversionGraph shows the versions of the Machine of the example, and what the steps between them
// lose.
func conversionGraph() (*picture, error) {
	scheme, err := runtime.NewScheme(fleetv1.AddTo, fleetv1beta1.AddTo, fleetv1alpha1.AddTo, inventoryv1.AddTo,
		metav1.AddTo)
	if err != nil {
		return nil, err
	}
	hub := fleetv1.GroupVersion.WithKind("Machine")
	p := begin(880, 300, "Every version of Machine is converted to and from v1; routes between others lead through it")
	p.box(360, 100, 200, 92, "core", "fleet.example.com/v1", "Machine, the hub", "and the version that is stored")
	for _, n := range []struct {
		gvk  schema.GroupVersionKind
		x, y int
		line string
	}{
		{fleetv1beta1.GroupVersion.WithKind("Machine"), 14, 30, "M268 90 L356 128"},
		{fleetv1alpha1.GroupVersion.WithKind("Machine"), 14, 180, "M268 220 L356 166"},
		{inventoryv1.GroupVersion.WithKind("Machine"), 626, 100, "M564 146 H622"},
	} {
		if !scheme.CanConvert(n.gvk, hub.GroupVersion()) || !scheme.CanConvert(hub, n.gvk.GroupVersion()) {
			return nil, fmt.Errorf("%s and %s do not convert", n.gvk, hub)
		}
		to, err := scheme.Losses(n.gvk, hub.GroupVersion())
		if err != nil {
			return nil, err
		}
		from, err := scheme.Losses(hub, n.gvk.GroupVersion())
		if err != nil {
			return nil, err
		}
		width := 250
		if n.x > 440 {
			width = 242
		}
		p.box(n.x, n.y, width, 92, "", n.gvk.GroupVersion().String(),
			"to v1: "+count(to), "from v1: "+count(from))
		p.line("both", n.line)
	}
	p.line("both dashed", "M60 126 V176")
	p.text(72, 156, "small", "two steps, by way of v1")
	p.text(626, 216, "small", "a kind of another group")
	p.text(626, 236, "small", "with the same data")
	return p, nil
}

// count describes how many losses of a conversion are on record.
func count(losses []conversion.Loss) string {
	switch len(losses) {
	case 0:
		return "no loss"
	case 1:
		return "1 loss"
	}
	return fmt.Sprintf("%d losses", len(losses))
}

// flow shows the way of an object from what a program or a user has to what a client gets.
func flow() *picture {
	p := begin(880, 192,
		"Objects of any version go through the scheme and come out as the representation that a client asked for")
	p.box(14, 20, 220, 152, "", "objects", "Go structs of v1, v1beta1", "YAML and JSON of users",
		"bytes in memory, in one file,", "or on etcd", "in any version")
	p.text(262, 82, "small", "decode")
	p.line("arrow", "M238 96 H328")
	p.box(332, 20, 216, 152, "core", "scheme", "default and validate", "convert between versions",
		"show as another kind: Table,", "metadata, Scale, your own", "generated, plain functions")
	p.text(576, 82, "small", "encode")
	p.line("arrow", "M552 96 H642")
	p.box(646, 20, 220, 152, "", "representation", "JSON, YAML, protobuf, CBOR,", "CSV, text, pages for browsers",
		"in the version and the form", "that the client asked for:", "kubectl, client-go, curl")
	return p
}

// list shows how a server answers a list.
func list() *picture {
	p := begin(880, 330,
		"A list is read from one state of the store; stored bytes are copied or projected where they can be")
	p.box(14, 20, 190, 92, "", "GET …/machines", "Accept, resourceVersion,", "limit, selectors")
	p.line("arrow", "M206 66 H246")
	p.box(250, 20, 190, 92, "", "negotiate", "media type, kind, version", "or 406 with alternatives")
	p.line("arrow", "M442 66 H482")
	p.box(486, 20, 194, 92, "core", "one state of the store", "a tree at one revision,", "read without a lock")
	p.line("", "M580 114 V132")
	p.text(690, 62, "small", "selected by labels and fields,")
	p.text(690, 80, "small", "a page at a time")
	p.box(14, 150, 270, 92, "",
		"as it is stored", "the version and format of the store:", "bytes are copied, with their revision")
	p.box(304, 150, 270, 92, "",
		"from the bytes", "tables and metadata: the fields that", "they show are read, and no others")
	p.box(594, 150, 270, 92, "",
		"by way of an object", "decode, convert, show as a kind,", "encode; other versions once for all")
	p.line("", "M149 132 H730")
	for _, x := range []int{149, 439, 730} {
		p.line("arrow", fmt.Sprintf("M%d 132 V146", x))
		p.line("arrow", fmt.Sprintf("M%d 244 V276", x))
	}
	p.box(14, 280, 850, 36, "core", "one stream to the client, a few objects in memory at a time")
	return p
}

// watch shows a list and a watch in time.
func watch() *picture {
	p := begin(880, 290,
		"A client lists at revision 12 and watches from there; "+
			"after a break it goes on after the last revision that it saw")
	p.text(14, 50, "head", "writes")
	p.line("arrow", "M90 45 H866")
	for _, w := range []struct {
		x    int
		what string
	}{{130, "11 add a"}, {230, "12 add b"}, {380, "13 change a"}, {500, "14 delete b"}, {640, "15 add c"}, {
		760,
		"16 change c",
	}} {
		p.dot(w.x, 45)
		p.text(w.x, 30, "small middle", w.what)
	}
	p.text(14, 140, "head", "client")
	p.line("arrow", "M90 135 H866")
	p.line("arrow dashed", "M270 50 V128")
	p.box(196, 152, 160, 72, "core", "list", "a, b at revision 12")
	p.line("arrow", "M380 52 V128")
	p.line("arrow", "M500 52 V128")
	p.box(372, 152, 160, 72, "core", "watch from 12", "13 MODIFIED a, 14 …")
	p.text(574, 128, "small middle", "broken")
	p.line("dashed", "M540 135 H610")
	p.line("arrow", "M690 52 V128")
	p.line("arrow", "M760 52 V128")
	p.box(612, 152, 238, 72, "core", "watch from 14", "15 ADDED c, 16 MODIFIED c")
	p.text(196, 252, "small",
		"Nothing is missing and nothing comes twice. A bookmark moves the client on where nothing concerns it;")
	p.text(196, 270, "small", "one that comes back later than the history reaches gets 410, and lists again.")
	return p
}
