package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/askind/askind/meta"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// mediaTypes are the formats of files by the endings of their names.
var mediaTypes = map[string]string{".yaml": "application/yaml", ".yml": "application/yaml", ".json": "application/json"}

// loadError is everything that is wrong with the files of a directory, in the order of the files and of their text.
type loadError struct{ problems []error }

// Error lists the problems, one a line.
func (e *loadError) Error() string {
	lines := make([]string, len(e.problems))
	for i, p := range e.problems {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap makes each problem visible to errors.Is and errors.As.
func (e *loadError) Unwrap() []error { return e.problems }

// load reads all files of a directory into a new store. Messages show the names of the files below dir. What is wrong does not keep the rest
// from being read, so that one run tells everything; the error is then a [*loadError].
func load(ctx context.Context, f *serializer.Factory, fsys fs.FS, dir string, now func() time.Time) (*store, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	l := &loader{factory: f, store: newStore(f.Scheme(), now)}
	files := 0
	for _, entry := range entries { // sorted by name
		mediaType, ok := mediaTypes[path.Ext(entry.Name())]
		if !ok || entry.IsDir() {
			continue
		}
		files++
		data, err := fs.ReadFile(fsys, entry.Name())
		if err != nil {
			l.problems = append(l.problems, err)
			continue
		}
		l.file(ctx, path.Join(dir, entry.Name()), mediaType, data)
	}
	switch {
	case files == 0:
		return nil, fmt.Errorf("%s has no .yaml, .yml or .json files", dir)
	case l.problems != nil:
		return nil, &loadError{problems: l.problems}
	}
	return l.store, nil
}

type loader struct {
	factory  *serializer.Factory
	store    *store
	problems []error
}

// file adds the objects of one file. Each is decoded strictly, then gets the defaults of the version that it is written in, and is validated in
// it, so that messages are about what the author wrote, where it was written.
func (l *loader) file(ctx context.Context, name, mediaType string, data []byte) {
	format, err := l.factory.ForContentType(mediaType)
	if err != nil {
		l.problems = append(l.problems, err)
		return
	}
	// What the store has to say comes when an object is decoded; its document knows where it stands.
	next, stop := iter.Pull2(format.Documents(data))
	defer stop()
	for obj, err := range l.factory.DecodeAll(data, serializer.DecodeOptions{
		File: name, MediaType: mediaType, Strictness: serializer.Fail, Default: true, Validate: true,
	}) {
		doc, _, _ := next()
		if err != nil {
			l.problems = append(l.problems, inOrder(err))
			continue
		}
		if err := l.add(ctx, obj, func(path *schema.Path) string { return name + ":" + doc.Locate(path).String() }); err != nil {
			l.problems = append(l.problems, err)
		}
	}
}

// inOrder brings what validation found into the order of the text.
func inOrder(err error) error {
	if found, ok := errors.AsType[runtime.FieldErrors](err); ok {
		slices.SortStableFunc(found, func(a, b *runtime.FieldError) int { return cmp.Compare(a.Position.Offset, b.Position.Offset) })
	}
	return err
}

// add puts an object, or the items of a list, into the store. The function locate says where a path of the object stands.
func (l *loader) add(ctx context.Context, obj runtime.Object, locate func(*schema.Path) string) error {
	kind, err := l.store.scheme.KindOf(obj)
	if err != nil {
		return err
	}
	if kind.ItemKind() == nil {
		source := locate(nameOf)
		if !served(kind) {
			source = locate(schema.NewPath("kind"))
		}
		_, err := l.store.add(ctx, obj, source, false)
		return l.wrap(kind, obj, source, err)
	}
	items, err := meta.Items(kind, obj)
	if err != nil {
		return err
	}
	var errs []error
	for i, item := range items {
		source := locate(schema.NewPath("items").Index(i).Join(nameOf))
		_, err := l.store.add(ctx, item, source, false)
		if err := l.wrap(kind.ItemKind(), item, source, err); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// nameOf is where the name of an object stands, which is where it is told from others.
var nameOf = schema.NewPath("metadata", "name")

// wrap says which object an error is about, on every line of it.
func (l *loader) wrap(kind *runtime.Kind, obj runtime.Object, source string, err error) error {
	if err == nil {
		return nil
	}
	about := source + ": " + kind.Name()
	if m, merr := meta.Accessor(kind, obj); merr == nil {
		about += fmt.Sprintf(" %q", strings.TrimPrefix(m.Namespace+"/"+m.Name, "/"))
	}
	found, ok := errors.AsType[runtime.FieldErrors](err)
	if !ok {
		return fmt.Errorf("%s: %w", about, err)
	}
	errs := make([]error, len(found))
	for i, e := range found {
		errs[i] = fmt.Errorf("%s: %w", about, e)
	}
	return errors.Join(errs...)
}
