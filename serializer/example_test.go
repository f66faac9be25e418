package serializer_test

import (
	"errors"
	"fmt"
	"os"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/json/reflectjson"
	"github.com/askind/askind/serializer/yaml"
)

// Book is a kind of the examples, in its first version.
type Book struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
	Title      string `json:"title"`
	Author     string `json:"author,omitempty"`
}

// BookV2 is its second version, with several authors.
type BookV2 struct {
	Kind       string   `json:"kind,omitempty"`
	APIVersion string   `json:"apiVersion,omitempty"`
	Title      string   `json:"title"`
	Authors    []string `json:"authors,omitempty"`
}

var (
	library1 = schema.GroupVersion{Group: "library.example.com", Version: "v1"}
	library2 = schema.GroupVersion{Group: "library.example.com", Version: "v2"}
)

func library(b *runtime.Builder) {
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[Book]{GroupVersionKind: library1.WithKind("Book")}))
	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[BookV2]{GroupVersionKind: library2.WithKind("Book")}))
	runtime.AddConversion(b, func(in *Book, out *BookV2, _ *conversion.Scope) error {
		out.Title = in.Title
		if in.Author != "" {
			out.Authors = []string{in.Author}
		}
		return nil
	})
	runtime.AddConversion(b, func(in *BookV2, out *Book, _ *conversion.Scope) error {
		out.Title = in.Title
		if len(in.Authors) > 0 {
			out.Author = in.Authors[0]
		}
		return nil
	}, conversion.Loss{Path: "authors", Reason: "v1 has one author"})
}

func newLibrary() *serializer.Factory {
	scheme, err := runtime.NewScheme(library)
	if err != nil {
		panic(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format())
	if err != nil {
		panic(err)
	}
	return f
}

func ExampleDecode() {
	data := []byte("apiVersion: library.example.com/v1\nkind: Book\ntitle: Walden\nauthor: Thoreau\n")
	book, err := serializer.Decode[BookV2](newLibrary(), data)
	fmt.Println(book.APIVersion, book.Authors, err)
	// Output: library.example.com/v2 [Thoreau] <nil>
}

func ExampleFactory_DecodeAll() {
	data := []byte(`apiVersion: library.example.com/v1
kind: Book
title: Walden
autor: Thoreau
---
apiVersion: library.example.com/v2
kind: Bock
---
apiVersion: library.example.com/v2
kind: Book
title: Emma
authors: [Austen]
`)
	f := newLibrary()
	for obj, err := range f.DecodeAll(data, serializer.DecodeOptions{
		File: "books.yaml", Strictness: serializer.FailOnProblems,
	}) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		if err := f.Encode(os.Stdout, obj, serializer.EncodeOptions{}); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// books.yaml:4:1: autor: unknown field "autor" (did you mean "author"?)
	// books.yaml:7:7: kind: no kind "Bock" is registered in library.example.com/v2 (did you mean "Book"?); library.example.com has the versions v2, v1
	// {"kind":"Book","apiVersion":"library.example.com/v2","title":"Emma","authors":["Austen"]}
}

// A file is rewritten in the newest version, and keeps its comments. Without strict decoding,
// unknown fields would be removed. If the defaults of the versions differ, DecodeOptions.Default
// writes those of the old version into the file, which otherwise changes its meaning.
func ExampleFactory_DecodeAll_migrate() {
	data := []byte(`# For the summer.
apiVersion: library.example.com/v1
kind: Book
title: Walden # twice
author: Thoreau # see also Emerson
---
apiVersion: library.example.com/v2
kind: Book
title: "Emma"
`)
	f := newLibrary()
	var changes []yaml.Change
	for obj, err := range f.DecodeAll(data, serializer.DecodeOptions{
		File: "books.yaml", Strictness: serializer.FailOnProblems, Version: library2,
	}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		value, err := f.Append(nil, obj, serializer.EncodeOptions{MediaType: "application/json"})
		if err != nil {
			fmt.Println(err)
			return
		}
		changes = append(changes, yaml.Change{Document: len(changes), Value: value})
	}
	data, err := yaml.Edit(data, changes...)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(data))
	// Output:
	// # For the summer.
	// apiVersion: library.example.com/v2
	// kind: Book
	// title: Walden # twice
	// authors:
	// - Thoreau # see also Emerson
	// ---
	// apiVersion: library.example.com/v2
	// kind: Book
	// title: "Emma"
}

func ExampleFactory_Negotiate() {
	f := newLibrary()
	endpoint := serializer.Offer{Kind: library2.WithKind("Book")}
	accept := []string{"application/xml, application/yaml;v=v1;q=0.5, application/json;v=v1"}
	rep, err := f.Negotiate(accept, endpoint)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rep.ContentType())
	if err := rep.Encode(os.Stdout, &BookV2{Title: "Emma", Authors: []string{"Austen"}}); err != nil {
		fmt.Println(err)
	}

	_, err = f.Negotiate([]string{"application/json;as=Table"}, endpoint)
	if e, ok := errors.AsType[*serializer.NotAcceptableError](err); ok {
		code, reason, _ := e.Status()
		fmt.Println(code, reason, e.Offered()[0])
	}
	// Output:
	// application/json;g=library.example.com;v=v1
	// {"kind":"Book","apiVersion":"library.example.com/v1","title":"Emma","author":"Austen"}
	// 406 NotAcceptable application/json
}

// Strict decoding looks into objects that are kept as their bytes, here an item of a list of any
// kinds.
func ExampleStrictness_embedded() {
	scheme, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		panic(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format())
	if err != nil {
		panic(err)
	}
	_, err = f.Decode([]byte(`apiVersion: meta.k8s.io/v1
kind: List
items:
- apiVersion: meta.k8s.io/v1
  kind: PartialObjectMetadata
  metadata:
    nam: a
`), serializer.DecodeOptions{File: "list.yaml", Strictness: serializer.FailOnProblems})
	fmt.Println(err)
	// Output:
	// list.yaml:7:5: items[0].metadata.nam: unknown field "nam" (did you mean "name"?)
}
