package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/format"
)

// Head is the folder of golden files for what the sources write today.
const Head = "HEAD"

// Compatibility fails the test unless everything that a release of the program has written is still
// read, and written again with the same bytes.
//
//	func TestCompatibility(t *testing.T) {
//		fuzz.Compatibility(t, scheme, "testdata/compatibility", fuzz.Record(*record))
//	}
//
// The directory has one folder for each release, and in it a file for each kind and format:
// v1.2.0/fleet.example.com.v1.Machine.json. The core group is called core; a kind that a format
// cannot write has no file for it. Each object has every field set, in a way that depends on the
// names of fields only.
//
// The folder [Head] is what the sources write today. It has to be complete and exact, so that every
// change of what is written shows as a change of a file that is reviewed. Pass [Record] with Head
// to write it anew, and with the name of a release, when there is one, to keep what it writes for
// good: the files of a release are never changed. In a test, let a flag say it:
//
//	var record = flag.String("record", "", "write the golden files of a release, or of HEAD")
//
//	go test -run TestCompatibility -record=HEAD      # after a change of a type, and look at the diff
//	go test -run TestCompatibility -record=v1.2.0    # when v1.2.0 is released
//
// A kind of an older release that the scheme has no more is an error, because those who have its
// objects can no longer be understood: name it with [Removed] if that is meant. Where the encoding
// of a release is not what would be written now, because a field was added that is always written
// for instance, the error says so; a file of the same name with .after behind it holds what the
// object is written as since, and is made by hand, as a decision.
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

// goldens is the directory of golden files.
type goldens struct {
	options
	factory *serializer.Factory
	dir     string
}

// releases are the folders in the directory.
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
			"there are no golden files in %s: run this test once with fuzz.Record(fuzz.Head) and commit what it writes",
			filepath.Join(g.dir, Head),
		)
	}
	return out, nil
}

// today returns the golden files that the scheme would have now, by name.
func (g *goldens) today() (map[string][]byte, error) {
	e := newExemplars(g.funcs)
	files := map[string][]byte{}
	var errs []error
	g.kinds(g.factory.Scheme(), func(k *runtime.Kind) {
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

// write records a release, or what is written today. A release that is recorded already may not
// differ.
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
			"the release %s is recorded already in %s: what a release has written does not change. Remove the folder if it has not been released after all", release, dir,
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

// discard removes the golden files of a folder that have no place in it any more.
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

// check returns what is wrong with a release.
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
		problems = append(problems, "the folder is empty: remove it, or bring its files back from version control")
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

// after ends the names of files that hold what an object of a release is written as since.
const after = ".after"

// checkFile reads a golden file and writes what it says again.
func (g *goldens) checkFile(release, name string) string {
	format := g.formatOf(name)
	if format == nil {
		return "the name does not end with that of a format: pass the format with fuzz.Formats, or remove the file"
	}
	gvk, ok := kindOf(strings.TrimSuffix(name, "."+format.Name))
	if !ok {
		return "the name is not that of a golden file, as group.version.Kind." + format.Name
	}
	k, known := g.factory.Scheme().Lookup(gvk)
	switch {
	case g.removed[gvk]:
		return ""
	case !known && release == Head:
		return fmt.Sprintf(
			"the scheme does not have the kind %s any more: run this test with fuzz.Record(fuzz.Head). Releases that have it keep their files", gvk,
		)
	case !known:
		return fmt.Sprintf(
			"the scheme does not have the kind %s, which %s has written: bring it back, or name it with fuzz.Removed if nobody has such objects any more", gvk, release,
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
			"what %s has written is not understood any more. A field that was there must stay, under its name and with its type: %v", release, err,
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
		return fmt.Sprintf("what %s has written is not written again as it was. If that is meant, put what is written now into %s. It differs %s",
			release, name+after, contrast("golden", want, "now   ", got))
	}
	return ""
}

// checkHead compares the files of [Head], whose names are given, with what the scheme writes.
func (g *goldens) checkHead(names []string) []string {
	const what = "run this test with fuzz.Record(fuzz.Head), look at what has changed, and commit it"
	files, err := g.today()
	if err != nil {
		return []string{err.Error()}
	}
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !slices.Contains(names, name) {
			problems = append(problems, fmt.Sprintf("%s: the kind or the format is new and has no golden file yet: %s",
				name, what))
			continue
		}
		text, err := os.ReadFile(filepath.Join(g.dir, Head, name))
		switch {
		case err != nil:
			problems = append(problems, err.Error())
		case !bytes.Equal(text, files[name]):
			problems = append(problems,
				fmt.Sprintf("%s: the type, or how it is written, has changed: %s. It differs %s", name, what,
					contrast("golden", text, "now   ", files[name])))
		}
	}
	return problems
}

// formatOf is the format that the name of a file ends with, nil if there is none.
func (g *goldens) formatOf(name string) *format.Format {
	for _, format := range g.formats {
		if strings.HasSuffix(strings.TrimSuffix(name, after), "."+format.Name) {
			return format
		}
	}
	return nil
}

// core is what the group without a name is called in the names of files.
const core = "core"

// fileOf is the name of the golden file for a kind and a format.
func fileOf(k *runtime.Kind, format *format.Format) string {
	gvk := k.GroupVersionKind()
	if gvk.Group == "" {
		gvk.Group = core
	}
	return strings.Join([]string{gvk.Group, gvk.Version, gvk.Kind, format.Name}, ".")
}

// kindOf takes the name of a golden file, without that of the format, apart.
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
