package server

import (
	"fmt"
	"net/http"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/store"
)

// create answers a POST.
func (c *call) create() error {
	o, obj, err := readWrite[metav1.CreateOptions](c)
	if err != nil {
		return err
	}
	e, err := c.createObject(obj, o)
	return c.respondEntry(http.StatusCreated, e, err)
}

// maxNames is how many names the server makes up before it gives up.
const maxNames = 8

// createObject stores a new object, which is in the version in which it is stored and belongs to
// the call.
func (c *call) createObject(obj runtime.Object, o *metav1.CreateOptions) (*store.Entry, error) {
	if err := c.takeOptions(o.DryRun, o.FieldManager); err != nil {
		return nil, err
	}
	m, err := c.identified(obj)
	if err != nil {
		return nil, err
	}
	if c.res.namespaced() && m.Namespace == "" {
		return nil, metav1.BadRequest(fmt.Sprintf("%s are in namespaces: the path or the object must name one",
			c.res.groupResource()))
	}
	if m.ResourceVersion != "" {
		return nil, metav1.BadRequest("metadata.resourceVersion: a new object has none")
	}
	c.initialize(m, obj)
	e, err := c.storeNew(obj, m)
	if err := c.committed(nil, e, false, err); err != nil {
		return nil, err
	}
	return e, nil
}

// storeNew stores a new object, under a made-up name if it has only the beginning of one.
func (c *call) storeNew(obj runtime.Object, m *metav1.ObjectMeta) (*store.Entry, error) {
	if m.Name != "" || m.GenerateName == "" {
		return c.createNamed(obj, m)
	}
	for range maxNames {
		attempt, err := c.st.scheme.DeepCopy(obj)
		if err != nil {
			return nil, err
		}
		m = c.metadataOf(attempt)
		m.Name = generatedName(m.GenerateName)
		e, err := c.createNamed(attempt, m)
		if err == nil || metav1.ReasonOf(err) != metav1.StatusReasonAlreadyExists {
			return e, err
		}
	}
	return nil, metav1.AlreadyExists(c.res.groupResource(), m.GenerateName)
}

// initialize gives a new object what the server sets, and takes from it what clients cannot set.
func (c *call) initialize(m *metav1.ObjectMeta, obj runtime.Object) {
	m.UID = newUID()
	m.SelfLink = "" //lint:ignore SA1019 clients may send it
	m.DeletionTimestamp, m.DeletionGracePeriodSeconds, m.ManagedFields = nil, nil, nil
	if c.seeding && !m.CreationTimestamp.IsZero() {
		return
	}
	m.CreationTimestamp = metav1.NewTime(c.s.config.now())
	if !c.seeding {
		c.res.parts.clearStatus(obj)
	}
}

// mayCreate returns an error if the request is conditional on an object that exists, and while
// [Server.DeleteKinds] deletes the objects of the kind.
func (c *call) mayCreate() error {
	if err := c.match(""); err != nil || c.res.terminating.Load() == 0 {
		return err
	}
	e := metav1.MethodNotAllowed(c.res.groupResource(), verbCreate)
	e.Status.Message = c.res.groupResource().String() + ": create not allowed while the kind is being deleted"
	return e
}

// createNamed stores a new object that has its name.
func (c *call) createNamed(obj runtime.Object, m *metav1.ObjectMeta) (*store.Entry, error) {
	c.Name, c.Namespace = m.Name, m.Namespace
	name := m.Name
	c.res.creating.Add(1)
	defer c.res.creating.Add(-1)
	err := c.mayCreate()
	if err == nil {
		obj, err = c.check(c.ctx, nil, obj)
	}
	if err != nil {
		return nil, c.refuse(name, err)
	}
	return c.res.stored.Create(c.ctx, obj, store.WriteOptions{DryRun: c.DryRun})
}
