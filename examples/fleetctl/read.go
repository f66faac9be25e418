package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/askind/askind/client"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/serializer"
)

// forms has the Accept headers of the outputs. Names are taken from a table.
var forms = map[string]string{
	"": "text/plain;as=Table", "wide": "text/plain;as=Table", "json": "application/json;pretty=1",
	"yaml": "application/yaml", "name": "",
}

// get prints objects.
func (c *command) get(ctx context.Context, words []string) error {
	if _, ok := forms[c.output]; !ok {
		return fmt.Errorf("unknown output %q; use wide, name, json or yaml", c.output)
	}
	if c.outputVersion != "" && c.output != "json" && c.output != "yaml" {
		return errors.New("-output-version is for -o json and -o yaml; -api-version is for all output")
	}
	return c.print(ctx, words, forms[c.output])
}

// describe prints descriptions of objects.
func (c *command) describe(ctx context.Context, words []string) error {
	return c.print(ctx, words, "text/plain;as=Description")
}

// print prints objects in the representation that an Accept header selects.
func (c *command) print(ctx context.Context, words []string, accept string) error {
	args, err := c.arguments(ctx, words)
	for i := 0; i < len(args) && err == nil; i++ {
		q := c.request("list", args[i])
		if q.Name != "" {
			q.Verb, q.Options = "get", nil
		}
		q.Accept = accept
		if c.output == "name" {
			q.Accept, q.As = "", metav1.GroupVersion.WithKind("Table")
		} else if c.shown != nil {
			q.Accept += ";g=" + c.shown[i].Resource.Group + ";v=" + c.shown[i].Resource.Version
		}
		q.AsOptions = &metav1.TableOptions{Wide: new(c.output == "wide")}
		err = c.do(ctx, q)
	}
	return err
}

// watch prints the rows of existing objects and of changed ones.
func (c *command) watch(ctx context.Context, words []string) error {
	args, err := c.arguments(ctx, words)
	if err != nil {
		return err
	}
	if len(args) != 1 || args[0].Name != "" {
		return errors.New("watch is for one resource; use -l to select objects")
	}
	q := c.request("watch", args[0])
	q.As = metav1.GroupVersion.WithKind("Table")
	var columns []metav1.TableColumnDefinition
	for event, err := range c.client.Backend().Watch(ctx, q) {
		t, ok := event.Object.(*metav1.Table)
		if err != nil || !ok {
			return err
		}
		first := columns == nil
		if first { // later events need not have them
			columns = t.ColumnDefinitions
		}
		t.ColumnDefinitions = columns
		out, err := c.factory.Append(nil, t, serializer.EncodeOptions{MediaType: "text/plain"})
		if err != nil {
			return err
		}
		if !first {
			_, out, _ = bytes.Cut(out, []byte("\n"))
		}
		if _, err := c.out.Write(out); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// resources lists the resources of the server.
func (c *command) resources(ctx context.Context, _ []string) error {
	found, problems, err := c.client.Discover(ctx, strings.Fields(c.prefix)...)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(c.out, 0, 8, 3, ' ', 0)
	fmt.Fprintln(w, "NAME\tSHORTNAMES\tPATH\tSCOPE\tKIND\tVERBS")
	for _, r := range found.Resources {
		if c.prefix == "" || c.prefix == r.Prefix {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.Resource, strings.Join(r.ShortNames, ","),
				(&client.Request{Prefix: r.Prefix, Resource: r.GroupVersionResource}).Path(), r.Scope,
				r.Kind.Kind, strings.Join(r.Verbs, ","))
		}
	}
	for _, p := range problems {
		fmt.Fprintln(c.warn, "Warning:", p.Error())
	}
	return w.Flush()
}
