package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/askind/askind/conversion"
)

// MigrateOptions control a migration.
type MigrateOptions struct {
	_ struct{} // literals name their fields

	// Rewrite writes every object, even if its bytes stay the same, for example to encrypt it with
	// another key.
	Rewrite bool
	// Dropped is called for each value of a stored object that the version of the resource cannot
	// express, before the object is rewritten. See the field of [conversion.ScopeOptions].
	Dropped func(Key, conversion.DroppedValue)
	// DryRun counts and reports what a migration would do, and writes nothing.
	DryRun bool
	// After is where to continue: the [MigrateReport].Reached of an interrupted migration.
	After Key
	// Progress is called after every 100 objects and at the end, with the report so far.
	Progress func(MigrateReport)
}

// MigrateReport counts the objects of a migration.
type MigrateReport struct {
	// Seen is the number of objects that were read, Written of those rewritten, Undecodable of
	// those left unchanged because they cannot be decoded, and Gone of those deleted during the
	// migration.
	Seen, Written, Undecodable, Gone int
	// Total is the number of objects when the migration began, including those before After.
	Total int64
	// Reached is the last object that was processed.
	Reached Key
}

// migrateStep is after how many objects there is a report.
const migrateStep = 100

// Migrate rewrites all objects that are stored in another version or format than that of the
// resource, or under other types or defaults. Clients see only that the resourceVersion of these
// objects changes. A migration can be interrupted at any time and continued with
// [MigrateOptions].After. Objects that are written during the migration already have the new form.
func (r *Resource) Migrate(ctx context.Context, o MigrateOptions) (MigrateReport, error) {
	if err := r.usable(); err != nil {
		return MigrateReport{}, err
	}
	st, err := r.store.current(ctx)
	if err != nil {
		return MigrateReport{}, err
	}
	report := MigrateReport{Total: r.Count(""), Reached: o.After}
	from := r.prefix
	if o.After != (Key{}) {
		from += o.After.Namespace + "/" + o.After.Name + "\x00"
	}
	for e := range st.entries.From(from, PrefixEnd(r.prefix)) {
		if err := r.migrate(ctx, e, &o, &report); err != nil {
			return report, err
		}
		report.Seen++
		report.Reached = e.Key()
		if o.Progress != nil && report.Seen%migrateStep == 0 {
			o.Progress(report)
		}
	}
	if o.Progress != nil {
		o.Progress(report)
	}
	return report, nil
}

// reportDropped reports the values that the conversion of an entry drops.
func (r *Resource) reportDropped(e *Entry, dropped func(Key, conversion.DroppedValue)) error {
	if dropped == nil || r.untyped {
		return nil
	}
	data, _, err := unwrap(e.value)
	if err == nil {
		_, err = r.decodeStored(data, func(d conversion.DroppedValue) { dropped(e.Key(), d) })
	}
	return err
}

// detach gives a new entry a value of its own, which contains its document.
func (e *Entry) detach() {
	k := *e.known.Load()
	e.value = bytes.Clone(e.value)
	k.document.data = e.value[len(e.value)-len(k.document.data):]
	e.known.Store(&k)
}

// migrate rewrites an object if its stored form has changed.
func (r *Resource) migrate(ctx context.Context, e *Entry, o *MigrateOptions, report *MigrateReport) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		k := r.own(e).known.Load()
		if k.err != nil {
			report.Undecodable++
			return nil
		}
		_, expires, err := unwrap(e.value)
		if err != nil {
			return fmt.Errorf("store: migrate %s %q: %w", r.resource, e.Key(), err)
		}
		made := &Entry{key: e.key, value: k.document.data}
		made.known.Store(k)
		made.expireAt(expires)
		if !o.Rewrite && bytes.Equal(made.value, e.value) {
			return nil
		}
		if err := r.reportDropped(e, o.Dropped); err != nil {
			return err
		}
		if o.DryRun {
			report.Written++
			return nil
		}
		made.detach() // an engine has the other value already, which must not be taken for this one
		_, conflict, err := r.put(ctx, made, e.revision)
		if err != nil {
			return err
		}
		if conflict == nil {
			report.Written++
			return nil
		}
		st, err := r.store.current(ctx)
		if err != nil {
			return errors.Join(err, conflict)
		}
		next, ok := st.entries.Get(e.key)
		if !ok {
			report.Gone++
			return nil
		}
		e = next
	}
}
