package server

import (
	"context"
	"net/http"

	"github.com/askind/askind/httpapi"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/store"
)

// status answers requests for the subresource status. Answers are whole objects; writes change
// only the status.
func (c *call) status() error {
	switch c.Verb {
	case verbUpdate:
		return c.updateStatus()
	case verbPatch:
		if c.applies() {
			return c.applyPatch(partStatus)
		}
		o, p, err := c.beginPatch()
		if err != nil {
			return err
		}
		e, err := c.patchObject(p, o, partStatus)
		if err != nil {
			return err
		}
		return c.respond(http.StatusOK, e.Cached())
	}
	return c.get()
}

// updateStatus answers a PUT of the status.
func (c *call) updateStatus() error {
	if err := c.begin(c.Kind); err != nil {
		return err
	}
	o, err := httpapi.ReadOptions[metav1.UpdateOptions](c.x)
	if err != nil {
		return err
	}
	obj, err := c.readBody()
	if err != nil {
		return err
	}
	e, err := c.replaceStatus(obj, o)
	if err != nil {
		return err
	}
	return c.respond(http.StatusOK, e.Cached())
}

// replaceStatus puts the status of an object in the place of the one that is stored.
func (c *call) replaceStatus(obj runtime.Object, o *metav1.UpdateOptions) (*store.Entry, error) {
	c.DryRun, c.FieldManager = dryRun(o.DryRun), o.FieldManager
	if err := checkManager(o.FieldManager); err != nil {
		return nil, err
	}
	m, err := c.metadataOf(obj)
	if err != nil {
		return nil, err
	}
	if err := c.identify(m); err != nil {
		return nil, err
	}
	return c.change(change{
		uid: m.UID, version: m.ResourceVersion, part: partStatus,
		next: func(context.Context, runtime.Object) (runtime.Object, error) { return obj, nil },
	})
}
