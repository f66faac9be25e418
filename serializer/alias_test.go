package serializer_test

import (
	"cmp"
	"strings"
	"testing"

	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/yaml"
)

func TestFactoryOptionsErrors(t *testing.T) {
	t.Parallel()
	scheme := newScheme(t)
	for _, c := range []struct {
		name string
		o    serializer.FactoryOptions
		want string
	}{
		{
			"alias without slash",
			serializer.FactoryOptions{Aliases: []serializer.Alias{{Name: "csv", For: "text/csv"}}},
			`the alias "csv" is not a media type`,
		},
		{"alias twice", serializer.FactoryOptions{Aliases: []serializer.Alias{
			{Name: "a/b", For: "text/csv"},
			{Name: "A/B", For: "text/csv"},
		}}, "the alias a/b occurs twice"},
		{
			"alias of a wildcard",
			serializer.FactoryOptions{Aliases: []serializer.Alias{{Name: "a/b", For: "text/*"}}},
			"cannot stand for",
		},
		{"alias of two", serializer.FactoryOptions{Aliases: []serializer.Alias{{
			Name: "a/b",
			For:  "text/csv, text/yaml",
		}}}, "cannot stand for"},
		{"alias with a weight", serializer.FactoryOptions{Aliases: []serializer.Alias{{
			Name: "a/b",
			For:  "text/csv;q=1",
		}}}, "cannot stand for"},
		{
			"alias with an unknown parameter",
			serializer.FactoryOptions{Aliases: []serializer.Alias{{Name: "a/b", For: "text/csv;x=1"}}},
			"cannot stand for",
		},
		{
			"harmless word",
			serializer.FactoryOptions{HarmlessParameters: []string{"a b"}},
			"is not the name of a parameter",
		},
	} {
		if f, err := c.o.NewFactory(scheme, json.Format()); err == nil || f != nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
	many := make([]string, 65)
	for i := range many {
		many[i] = "a/b" + strings.Repeat("x", i)
	}
	if _, err := serializer.NewFactory(scheme, csvFormat(many...)); err == nil {
		t.Error("no error for too many media types")
	}
	f := newFactory(t)
	for i := range many {
		many[i] = "application/json"
	}
	if _, err := f.Negotiate(nil, serializer.Offer{MediaTypes: many}); err == nil {
		t.Error("no error for too many media types on offer")
	}
}

func TestAliases(t *testing.T) {
	t.Parallel()
	f := newRealFactory(t)
	for accept, want := range map[string]string{
		"application/json+vnd.kubernetes.export":                          "application/json;export=1 => gauges.example.com/v1 GaugeList export",
		"application/json+vnd.kubernetes.as+meta.k8s.io+v1+TabularOutput": "application/json;g=meta.k8s.io;v=v1;as=TabularOutput => meta.k8s.io/v1 TabularOutput",
		"text/csv":                  "text/csv;g=meta.k8s.io;v=v1;as=Table => meta.k8s.io/v1 Table",
		"text/csv;as=TabularOutput": "text/csv;g=meta.k8s.io;v=v1;as=TabularOutput => meta.k8s.io/v1 TabularOutput",
	} {
		if got := outcome(f.Negotiate([]string{accept}, allGauges)); got != want {
			t.Errorf("%s\n got %s\nwant %s", accept, got, want)
		}
	}
	for header, want := range map[string]string{"application/json+vnd.kubernetes.export": "json", "text/csv": "csv"} {
		if format, err := f.ForContentType(header); err != nil || format.Name != want {
			t.Errorf("%s: %v, %v", header, format, err)
		}
	}

	// One's own aliases come before those that are built in, and can take them away.
	o := serializer.FactoryOptions{Aliases: []serializer.Alias{
		{Name: "application/json+vnd.kubernetes.export", For: "application/yaml;export=1"},
		{Name: "text/csv"},
	}}
	own, err := o.NewFactory(f.Scheme(), json.Format(), yaml.Format(), csvFormat("text/csv"))
	if err != nil {
		t.Fatal(err)
	}
	if got := outcome(own.Negotiate([]string{"application/json+vnd.kubernetes.export"},
		oneGauge)); got != "application/yaml;export=1 => gauges.example.com/v1 Gauge export" {
		t.Errorf("got %s", got)
	}
	if got := outcome(own.Negotiate([]string{"text/csv"}, oneGauge)); got != refused {
		t.Errorf("got %s", got)
	}
}

func TestProduces(t *testing.T) {
	t.Parallel()
	f := newRealFactory(t)
	for verb, offer := range map[string]serializer.Offer{
		"get": oneGauge, "list": allGauges, "watch": {Kind: allGauges.Kind, Stream: "watch"},
	} {
		e, err := f.Endpoint(offer)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, h := range e.Produces() {
			names = append(names, h.MediaType)
			rep, err := f.Negotiate([]string{h.MediaType}, offer)
			if err != nil {
				t.Errorf("%s: %s: %v", verb, h.MediaType, err)
				continue
			}
			if want := h.AliasFor; rep.Target() != h.Target || want == "" && rep.ContentType() != h.MediaType ||
				want != "" && rep.ContentType() != want {
				t.Errorf("%s: %s is answered with %s, a %s", verb, h.MediaType, rep.ContentType(), rep.Target())
			}
			for _, p := range h.Optional {
				for _, value := range p.Values {
					if _, err := f.Negotiate([]string{h.MediaType + ";" + p.Name + "=" + value}, offer); err != nil ||
						p.Description == "" {
						t.Errorf("%s: %s with %s=%s: %v", verb, h.MediaType, p.Name, value, err)
					}
				}
			}
		}
		got := strings.Join(names, "\n")
		for _, want := range []string{
			"application/json", ";as=Table", "as=PartialObjectMetadata",
			"application/json+vnd.kubernetes.export",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s is missing in\n%s", verb, want, got)
			}
		}
		if csv := strings.Contains(got, "text/csv"); csv == (verb == "watch") { // which has no frames for events
			t.Errorf("%s: text/csv is listed: %t", verb, csv)
		}
		if stream := strings.Contains(got, "application/yaml;stream=watch"); stream != (verb == "watch") {
			t.Errorf("%s: %s", verb, got)
		}
	}
}

// TestProducesSome checks that an endpoint which offers some media types only has nothing of the
// others in its list.
func TestProducesSome(t *testing.T) {
	t.Parallel()
	f := newRealFactory(t)
	offer := oneGauge
	offer.MediaTypes = []string{"application/yaml"}
	e, err := f.Endpoint(offer)
	if err != nil {
		t.Fatal(err)
	}
	help := e.Produces()
	whole, err := f.Endpoint(oneGauge)
	if err != nil {
		t.Fatal(err)
	}
	if all := whole.Produces(); len(help) == 0 || len(all) <= len(help) {
		t.Errorf("all are %d, some are %d", len(all), len(help))
	}
	for _, h := range help {
		answer := cmp.Or(h.AliasFor, h.MediaType)
		if !strings.HasPrefix(answer, "application/yaml") {
			t.Errorf("%s is answered with %s", h.MediaType, answer)
		}
		if _, err := f.Negotiate([]string{h.MediaType}, offer); err != nil {
			t.Errorf("%s: %v", h.MediaType, err)
		}
	}
	offer.MediaTypes = []string{"application/jsonn"}
	if e, err := f.Endpoint(offer); err == nil || e != nil ||
		!strings.Contains(err.Error(), "application/jsonn") {
		t.Errorf("an unknown media type: %v, %v", e, err)
	}
	offer = oneGauge
	offer.Kind.Kind = "Gouge"
	if e, err := f.Endpoint(offer); err == nil || e != nil {
		t.Errorf("an unknown kind: %v, %v", e, err)
	}
}
