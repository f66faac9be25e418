package serializer_test

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/yaml"
)

func TestNewFactoryErrors(t *testing.T) {
	t.Parallel()
	scheme := newScheme(t)
	for _, c := range []struct {
		name    string
		formats []*format.Format
		want    string
	}{
		{"none", nil, "at least one format"},
		{"nil", []*format.Format{json.Format(), nil}, "format 2 is nil"},
		{
			"twice",
			[]*format.Format{json.Format(), yaml.Format(), json.Format()},
			"application/json belongs to the formats json and json",
		},
		{
			"shared",
			[]*format.Format{json.Format(), csvFormat("text/csv", "Application/JSON")},
			"application/json belongs to the formats json and csv",
		},
		{"no media type", []*format.Format{csvFormat()}, "the format csv has no media type"},
		{"no slash", []*format.Format{csvFormat("csv")}, `"csv" of the format csv is not a media type`},
		{"wildcard", []*format.Format{csvFormat("text/*")}, "is not a media type"},
		{"parameters", []*format.Format{csvFormat("text/csv;header=present")}, "is not a media type"},
	} {
		if f, err := serializer.NewFactory(scheme, c.formats...); err == nil || f != nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
	if _, err := serializer.NewFactory(nil, json.Format()); err == nil {
		t.Error("no error without a scheme")
	}
}

func TestForContentType(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	for header, want := range map[string]string{
		"": "json", " \t": "json", "application/json": "json", "Application/Yaml": "yaml",
		"application/json; charset=UTF-8":    "json",
		"application/json;charset=\"utf-8\"": "json", "application/yaml;stream=x": "yaml", "text/yaml": "yaml",
		"application/json;charset=latin1": "", "application/xml": "", "application/json,application/yaml": "",
		"json": "", "*/*": "", "application/json;x": "",
	} {
		format, err := f.ForContentType(header)
		if want != "" {
			if err != nil || format.Name != want {
				t.Errorf("%q: got %v, %v, want %s", header, format, err, want)
			}
			continue
		}
		var e *serializer.UnsupportedMediaTypeError
		if !errors.As(err, &e) || e.ContentType != header || len(e.MediaTypes) != len(f.MediaTypes()) {
			t.Errorf("%q: got %v, %v", header, format, err)
			continue
		}
		if code, reason, message := e.Status(); code != 415 || reason != "UnsupportedMediaType" ||
			err.Error() != "serializer: "+message {
			t.Errorf("%q: status %d %s %s", header, code, reason, message)
		}
	}
}

// TestFormatOfInput checks that of several formats that may be that of an input the first is taken,
// and that no input is in a format that cannot be read.
func TestFormatOfInput(t *testing.T) {
	t.Parallel()
	refusing := errors.New("this is the other format")
	other := *yaml.Format()
	other.Name, other.MediaTypes = "other", []string{"application/x-other"}
	other.Documents = func([]byte, schema.Limits) iter.Seq2[format.Document, error] {
		return func(yield func(format.Document, error) bool) { yield(nil, refusing) }
	}
	data, err := newFactory(t).Append(nil, wantMachine(4), serializer.EncodeOptions{MediaType: "application/yaml"})
	if err != nil {
		t.Fatal(err)
	}
	for _, formats := range [][]*format.Format{{yaml.Format(), &other}, {json.Format(), &other, yaml.Format()}} {
		f, err := serializer.NewFactory(newScheme(t), append(formats, csvFormat("text/csv"))...)
		if err != nil {
			t.Fatal(err)
		}
		first := formats[0].Name == "yaml"
		if _, err := f.Decode(data); (err == nil) != first || !first && !errors.Is(err, refusing) {
			t.Errorf("%s before %s: %v", formats[0].Name, formats[1].Name, err)
		}
		_, err = f.Decode(data, serializer.DecodeOptions{MediaType: "text/csv"})
		if !errors.Is(err, format.ErrWriteOnly) {
			t.Errorf("a format that can only be written: %v", err)
		}
	}
}
