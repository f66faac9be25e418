package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/format"
)

// Head is the folder of the golden files for the current encoding.
const Head = "HEAD"

// Compatibility fails the test unless everything that a release of the program has written can
// still be read, and is written again with the same bytes.
//
//	func TestCompatibility(t *testing.T) {
//		fuzz.Compatibility(t, scheme, "testdata/compatibility", fuzz.Record(*record))
//	}
//
// The directory has one folder for each release, and in it a file for each kind and format:
// v1.2.0/fleet.example.com.v1.Machine.json. The core group is called core; a kind that a format
// cannot write has no file for it. Each object has every field set, to values that depend only on
// the names of fields.
//
// The folder [Head] holds the current encoding. It has to be complete and exact, so that every
// change of the encoding shows up in review as a change of a file. Pass [Record] with Head to
// update it, and with the name of a new release to record that release permanently: the files of a
// release are never changed. In a test, use a flag:
//
//	var record = flag.String("record", "", "write the golden files of a release, or of HEAD")
//
//	go test -run TestCompatibility -record=HEAD      # after a change of a type, and look at the diff
//	go test -run TestCompatibility -record=v1.2.0    # when v1.2.0 is released
//
// A kind of an older release that is no longer in the scheme is an error, because its existing
// objects can no longer be read; if it was removed on purpose, pass [Removed]. If the encoding of a
// release differs from the current one, for example because of a new field that is always written,
// the error says so. To accept the difference, create a file of the same name with the suffix
// .after that holds the new encoding.
func Compatibility(t TB, s *runtime.Scheme, dir string, opts ...Option) {
	t.Helper()
	o := settle(opts)
	f, err := serializer.NewFactory(s, o.formats...)
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	g := &goldens{options: o, factory: f, dir: dir}
	if o.record != "" {
		if err := g.write(o.record); err != nil {
			t.Errorf("%v", err)
			return
		}
		t.Logf("recorded %s", filepath.Join(dir, o.record))
	}
	releases, err := g.releases()
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	for _, release := range releases {
		each(t, release, func() string { return g.check(release) })
	}
}

// goldens holds the directory of golden files and the settings.
type goldens struct {
	options
	factory *serializer.Factory
	dir     string
}

// releases returns the folders in the directory.
func (g *goldens) releases() ([]string, error) {
	entries, err := os.ReadDir(g.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []string
	for _, entry := range entries {
		if entry.IsDir() {
			out = append(out, entry.Name())
		}
	}
	if !slices.Contains(out, Head) {
		return nil, fmt.Errorf(
			"there are no golden files in %s: run this test once with fuzz.Record(fuzz.Head) and commit its output",
			filepath.Join(g.dir, Head),
		)
	}
	return out, nil
}

// today returns the golden files of the current scheme, by name.
func (g *goldens) today() (map[string][]byte, error) {
	files := map[string][]byte{}
	var errs []error
	g.kinds(g.factory.Scheme(), func(k *runtime.Kind) {
		e := newExemplars(append(kubernetesFuncs(reflect.TypeOf(k.New())), g.funcs...))
		obj, err := e.object(k)
		if err != nil {
			errs = append(errs, err)
			return
		}
		for _, format := range g.formatsOf(k) {
			text, err := g.factory.Append(nil, obj, serializer.EncodeOptions{
				MediaType: format.MediaTypes[0],
				Pretty:    true,
			})
			if err != nil {
				errs = append(errs, fmt.Errorf("%s as %s: %w", k, format.Name, err))
				continue
			}
			files[fileOf(k, format)] = text
		}
	})
	return files, errors.Join(errs...)
}

// write records a release, or the current encoding. A release is recorded only once.
func (g *goldens) write(release string) error {
	if release != filepath.Base(release) || strings.HasPrefix(release, ".") {
		return fmt.Errorf("%q is not a name for the golden files of a release: it becomes the name of a folder", release)
	}
	files, err := g.today()
	if err != nil {
		return err
	}
	dir := filepath.Join(g.dir, release)
	if release == Head {
		if err := g.discard(dir, files); err != nil {
			return err
		}
	} else if _, err := os.Stat(dir); err == nil {
		return fmt.Errorf(
			"the release %s is already recorded in %s. Remove the folder if it was never released", release, dir,
		)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// discard removes obsolete golden files from a folder.
func (g *goldens) discard(dir string, files map[string][]byte) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		if _, ok := files[entry.Name()]; !ok && !entry.IsDir() && g.formatOf(entry.Name()) != nil {
			if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// check returns the problems of a release.
func (g *goldens) check(release string) string {
	entries, err := os.ReadDir(filepath.Join(g.dir, release))
	if err != nil {
		return err.Error()
	}
	var problems []string
	var names []string
	for _, entry := range entries {
		if !entry.IsDir() && !strings.HasSuffix(entry.Name(), after) {
			names = append(names, entry.Name())
		}
	}
	if len(names) == 0 && release != Head {
		problems = append(problems, "the folder is empty: remove it, or restore its files from version control")
	}
	for _, name := range names {
		if problem := g.checkFile(release, name); problem != "" {
			problems = append(problems, name+": "+problem)
		}
	}
	if release == Head {
		problems = append(problems, g.checkHead(names)...)
	}
	return strings.Join(problems, "\n")
}

// after is the suffix of files that hold the newer encoding of a release's object.
const after = ".after"

// checkFile reads a golden file and encodes its object again.
func (g *goldens) checkFile(release, name string) string {
	format := g.formatOf(name)
	if format == nil {
		return "the name does not end with the name of a format: pass the format with fuzz.Formats, or remove the file"
	}
	gvk, ok := kindOf(strings.TrimSuffix(name, "."+format.Name))
	if !ok {
		return "the name does not have the form group.version.Kind." + format.Name
	}
	k, known := g.factory.Scheme().Lookup(gvk)
	switch {
	case g.removed[gvk]:
		return ""
	case !known && release == Head:
		return fmt.Sprintf(
			"the scheme no longer has the kind %s: run this test with fuzz.Record(fuzz.Head). Releases that have it keep "+
				"their files", gvk,
		)
	case !known:
		return fmt.Sprintf(
			"the scheme does not have the kind %s, which %s has written: restore it, or pass fuzz.Removed if no such "+
				"objects exist any more", gvk, release,
		)
	case g.skip != nil && g.skip(k):
		return ""
	}
	path := filepath.Join(g.dir, release, name)
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	mediaType := format.MediaTypes[0]
	obj, err := g.factory.Decode(text, serializer.DecodeOptions{
		File: path, MediaType: mediaType,
		Strictness: serializer.FailOnProblems, DefaultKind: gvk,
	})
	if err != nil {
		return fmt.Sprintf(
			"the output of %s can no longer be read. Existing fields must keep their names and types: %v", release, err,
		)
	}
	want := text
	if since, err := os.ReadFile(path + after); err == nil {
		want = since
	}
	got, err := g.factory.Append(nil, obj, serializer.EncodeOptions{MediaType: mediaType, Pretty: true})
	if err != nil {
		return err.Error()
	}
	if !bytes.Equal(got, want) {
		return fmt.Sprintf("the output of %s is now written differently. If that is intended, store the new output in "+
			"%s. It differs %s",
			release, name+after, contrast("golden", want, "now   ", got))
	}
	return ""
}

// checkHead compares the files of [Head], given by name, with the output of the scheme.
func (g *goldens) checkHead(names []string) []string {
	const what = "run this test with fuzz.Record(fuzz.Head), review the changes, and commit them"
	files, err := g.today()
	if err != nil {
		return []string{err.Error()}
	}
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !slices.Contains(names, name) {
			problems = append(problems, fmt.Sprintf("%s: the kind or the format is new and has no golden file: %s",
				name, what))
			continue
		}
		text, err := os.ReadFile(filepath.Join(g.dir, Head, name))
		switch {
		case err != nil:
			problems = append(problems, err.Error())
		case !bytes.Equal(text, files[name]):
			problems = append(problems,
				fmt.Sprintf("%s: the type, or its encoding, has changed: %s. It differs %s", name, what,
					contrast("golden", text, "now   ", files[name])))
		}
	}
	return problems
}

// formatOf returns the format that the name of a file ends with, or nil.
func (g *goldens) formatOf(name string) *format.Format {
	for _, format := range g.formats {
		if strings.HasSuffix(strings.TrimSuffix(name, after), "."+format.Name) {
			return format
		}
	}
	return nil
}

// core is the name of the core group in file names.
const core = "core"

// fileOf returns the name of the golden file for a kind and a format.
func fileOf(k *runtime.Kind, format *format.Format) string {
	gvk := k.GroupVersionKind()
	if gvk.Group == "" {
		gvk.Group = core
	}
	return strings.Join([]string{gvk.Group, gvk.Version, gvk.Kind, format.Name}, ".")
}

// kindOf parses the name of a golden file without the suffix of the format.
func kindOf(name string) (schema.GroupVersionKind, bool) {
	rest, kind, ok := cutLast(name)
	group, version, ok2 := cutLast(rest)
	if group == core {
		group = ""
	}
	return schema.GroupVersionKind{Group: group, Version: version, Kind: kind}, ok && ok2
}

func cutLast(s string) (before, last string, ok bool) {
	i := strings.LastIndexByte(s, '.')
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+1:], true
}
