package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/askind/askind/store"
	"github.com/askind/askind/store/file"
	"go.yaml.in/yaml/v4"
)

// document is an object as it is exported.
type document struct {
	Key    string    `yaml:"key"`
	Object yaml.Node `yaml:"object,omitempty"`
	Value  string    `yaml:"value,omitempty"`
}

func export(ctx context.Context, path string, _ io.Reader, out io.Writer) error {
	return open(path, func(e *file.Engine) error {
		encoder := yaml.NewEncoder(out)
		encoder.SetIndent(2)
		empty := true
		for kv, err := range all(ctx, e) {
			if err != nil {
				return err
			}
			if err := encoder.Encode(exported(kv)); err != nil {
				return err
			}
			empty = false
		}
		if empty { // an encoder without a document cannot be closed
			return nil
		}
		return encoder.Close()
	})
}

// exported returns the document of an object.
func exported(kv store.KeyValue) document {
	if json.Valid(kv.Value) && len(kv.Value) > 0 && kv.Value[0] == '{' {
		var node yaml.Node
		// What comes back must be what was there, to the byte, or it is not text for people.
		if err := yaml.Unmarshal(kv.Value, &node); err == nil && len(node.Content) == 1 {
			object := node.Content[0]
			block(object)
			if back, err := appendJSON(nil, object); err == nil && bytes.Equal(back, kv.Value) {
				return document{Key: kv.Key, Object: *object}
			}
		}
	}
	return document{Key: kv.Key, Value: base64.StdEncoding.EncodeToString(kv.Value)}
}

// block makes the form of nodes that of YAML rather than JSON.
func block(n *yaml.Node) {
	n.Style = 0
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		n.Style = yaml.DoubleQuotedStyle
	}
	for i, child := range n.Content {
		block(child)
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			child.Style = 0
		}
	}
}

// appendJSON appends a node as compact JSON.
func appendJSON(dst []byte, n *yaml.Node) ([]byte, error) {
	var err error
	switch n.Kind {
	case yaml.MappingNode:
		dst = append(dst, '{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				dst = append(dst, ',')
			}
			if key := n.Content[i]; key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge" {
				return dst, fmt.Errorf("line %d: a name of a member is a text, and not a collection, an alias or a merge; "+
					"quote it if it is text", key.Line)
			}
			dst = appendString(dst, n.Content[i].Value)
			dst = append(dst, ':')
			if dst, err = appendJSON(dst, n.Content[i+1]); err != nil {
				return dst, err
			}
		}
		return append(dst, '}'), nil
	case yaml.SequenceNode:
		dst = append(dst, '[')
		for i, child := range n.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendJSON(dst, child); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case yaml.ScalarNode:
		if n.ShortTag() == "!!str" {
			return appendString(dst, n.Value), nil
		}
		if !json.Valid([]byte(n.Value)) {
			return dst, fmt.Errorf("line %d: %q is not a value of JSON; quote it if it is text", n.Line, n.Value)
		}
		return append(dst, n.Value...), nil
	}
	return dst, fmt.Errorf("line %d: aliases are not read here", n.Line)
}

// appendString appends a string in JSON, as package jsonwire writes it.
func appendString(dst []byte, s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil { // a string can be encoded
		return dst
	}
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte{'\n'})...)
}

func restore(ctx context.Context, path string, in io.Reader, out io.Writer) error {
	e, err := file.Open(path)
	if err != nil {
		return err
	}
	created, taken, err := importAll(ctx, e, in, out)
	fmt.Fprintf(out, "%d created, %d left as they are\n", created, taken)
	return errors.Join(err, e.Close())
}

// importAtOnce is how many objects are created at once, because they share the syncs of the file.
const importAtOnce = 64

// creation is an object that is to be created.
type creation struct {
	n     int // of the document
	key   string
	value []byte
	err   error
}

// importAll creates the objects of all documents.
func importAll(ctx context.Context, e *file.Engine, in io.Reader, out io.Writer) (created, taken int, err error) {
	var group []*creation
	write := func() error {
		var writes sync.WaitGroup
		for _, c := range group {
			writes.Go(func() { _, c.err = e.Put(ctx, c.key, c.value, 0) })
		}
		writes.Wait()
		var failed error
		for _, c := range group {
			switch {
			case c.err == nil:
				created++
			case errors.Is(c.err, store.ErrConflict):
				taken++
				fmt.Fprintf(out, "%q exists already\n", c.key)
			case failed == nil:
				failed = fmt.Errorf("document %d, %q: %w", c.n, c.key, c.err)
			}
		}
		group = group[:0]
		return failed
	}
	decoder := yaml.NewDecoder(in)
	decoder.KnownFields(true)
	for n := 1; err == nil; n++ {
		var d document
		if err = decoder.Decode(&d); errors.Is(err, io.EOF) {
			err = write() // which counts
			return created, taken, err
		} else if err != nil {
			err = fmt.Errorf("document %d: %w", n, err)
			break
		}
		if d.Key == "" && d.Object.IsZero() && d.Value == "" {
			continue
		}
		c := &creation{n: n, key: d.Key}
		if c.value, err = d.bytes(); err != nil {
			err = fmt.Errorf("document %d, %q: %w", n, d.Key, err)
			break
		}
		// Of two documents with one key the first counts.
		twice := slices.ContainsFunc(group, func(other *creation) bool { return other.key == c.key })
		if twice || len(group) == importAtOnce {
			if err := write(); err != nil {
				return created, taken, err
			}
		}
		group = append(group, c)
	}
	err = errors.Join(write(), err)
	return created, taken, err
}

// bytes returns the value of a document.
func (d *document) bytes() ([]byte, error) {
	switch {
	case !d.Object.IsZero() && d.Value != "":
		return nil, errors.New("there are both an object and a value")
	case !d.Object.IsZero() && d.Object.Kind != yaml.MappingNode:
		return nil, fmt.Errorf("line %d: the object is not a mapping", d.Object.Line)
	case !d.Object.IsZero():
		return appendJSON(nil, &d.Object)
	}
	return base64.StdEncoding.DecodeString(d.Value)
}
