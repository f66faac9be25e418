package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/askind/askind/client"
	"github.com/askind/askind/meta/unstructured"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
)

// apply applies the objects of a file by server-side apply.
func (c *command) apply(ctx context.Context, _ []string) error {
	data, err := os.ReadFile(c.file)
	if c.file == "-" {
		data, err = io.ReadAll(c.in)
	}
	if err != nil {
		return err
	}
	opts := serializer.DecodeOptions{File: c.file, Unknown: unstructured.Kind}
	for obj, err := range c.factory.DecodeAll(data, opts) {
		if err != nil {
			return err
		}
		u, ok := obj.(*unstructured.Object)
		if !ok {
			return fmt.Errorf("%s has a %T, which is not an object to apply", c.file, obj)
		}
		if err := c.applyOne(ctx, u); err != nil {
			return err
		}
	}
	return nil
}

func (c *command) applyOne(ctx context.Context, obj *unstructured.Object) error {
	gvk, err := obj.GroupVersionKind()
	if err != nil {
		return err
	}
	mapping, err := c.mapper.ForKind(ctx, gvk.GroupKind(), gvk.Version)
	if err != nil {
		return err
	}
	access := c.client.Untyped(mapping)
	if mapping.Scope == runtime.Namespaced {
		access = access.In(cmp.Or(obj.Namespace(), c.namespace))
	}
	if _, err = access.Apply(ctx, obj, client.FieldManager("fleetctl"), client.FieldValidation("Strict")); err == nil {
		_, err = fmt.Fprintf(c.out, "%s/%s applied\n", mapping.Resource.GroupResource(), obj.Name())
	}
	return err
}

// remove deletes objects by name or by selector.
func (c *command) remove(ctx context.Context, words []string) error {
	args, err := c.arguments(ctx, words)
	if err != nil {
		return err
	}
	for _, a := range args {
		q := c.request("delete", a)
		if a.Name == "" {
			if c.selector == "" {
				return fmt.Errorf("name the %s to delete, or select them with -l", a.Resource.Resource)
			}
			q = c.request("deletecollection", a)
		}
		if err := c.do(ctx, q); err != nil {
			return err
		}
		fmt.Fprintln(c.out, strings.TrimSuffix(a.Resource.GroupResource().String()+"/"+a.Name, "/"), "deleted")
	}
	return nil
}

// explain prints the server's description of a kind or one of its fields: "machines.spec.hardware".
func (c *command) explain(ctx context.Context, words []string) error {
	if len(words) != 1 {
		return errors.New("name one resource or field, such as machines.spec")
	}
	path := strings.Split(words[0], ".")
	args, err := c.arguments(ctx, path[:1])
	if err != nil {
		return err
	}
	e, err := c.client.Explain(ctx, args[0].Mapping, path[1:]...)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "%s of %s <%s>\n\n%s\n\n", words[0], args[0].Kind.APIVersion(), e.Type, e.Description)
	for _, f := range e.Fields {
		fmt.Fprintf(c.out, "  %s\t<%s>\n", f.Name, f.Type)
	}
	return nil
}
