package format

import (
	"errors"
	"fmt"
)

// Check returns the joined errors for all fields that are missing or contradict another one, or nil
// if the format is consistent. A factory calls it for each of its formats.
func (f *Format) Check() error {
	var errs []error
	require := func(ok bool, message string) {
		if !ok {
			errs = append(errs, fmt.Errorf("the format %s %s", f.Name, message))
		}
	}
	if f.Name == "" {
		errs = append(errs, errors.New("a format has no name"))
	}
	require(len(f.MediaTypes) > 0, "has no media type")
	require(f.Append != nil, "has no function Append")
	if f.Documents == nil {
		require(f.First == nil, "has First but no Documents")
		require(f.Recognize == nil, "has Recognize but no Documents")
		require(f.ReadList == nil, "has ReadList but no Documents")
		require(f.Splice == nil, "has Splice but no Documents")
		require(f.Transcode == nil, "has Transcode but no Documents")
	}
	require(f.Transcode == nil || f.Recognize != nil, "has Transcode but no Recognize")
	if l := f.List; l != nil {
		require(l.Head != nil, "has a List without Head")
		require(l.Items != nil, "has a List without Items")
		require(l.Tail != nil, "has a List without Tail")
	}
	if e := f.Events; e != nil {
		require(e.Append != nil, "has Events without Append")
		require(e.NewFramer != nil, "has Events without NewFramer")
		require(e.Open != nil, "has Events without Open")
	}
	if s := f.Splice; s != nil {
		require((s.Member == nil) != (s.Message == nil), "must have one of the functions Member and Message in Splice")
	}
	if p := f.Project; p != nil {
		require(p.Excerpt != nil || p.Finish != nil || p.Envelope != nil, "has a Project without functions")
		require(p.Envelope == nil || p.Excerpt == nil && p.Finish == nil,
			"has both Envelope and functions for JSON texts in Project")
	}
	return errors.Join(errs...)
}
