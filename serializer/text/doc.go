// Package text writes tables and descriptions for terminals, in columns, as kubectl does.
//
// A table has a line for each row:
//
//	NAME     PHASE     AGE
//	robot1   Running   3d
//	robot2             5h
//
// Columns whose priority is not zero are shown only if [Options] ask for the wide form, or the
// options of a client's request for the table ([github.com/askind/askind/meta/v1.TableOptions]).
// Names of columns are in upper case. Columns are separated by at least three spaces and as wide as
// their widest cell, measured in terminal columns. A text is cut at the end of its first line, and
// terminal control characters are made visible. A table without rows has no output.
//
// A list is written row by row in constant memory, in two passes: one for the widths and one for
// the lines.
//
// A description shows one object:
//
//	Name:    robot1
//	Labels:  app=web
//	Spec:
//	  Drain Timeout:  5m
//
// [Format] makes both a format of the serializer package with the media type text/plain. Besides
// the kinds Table, TabularOutput, Description and DescriptionList it writes Status, whose message
// keeps its lines, and every kind whose objects are an [encoding.TextAppender]; it rejects others,
// so that negotiation selects another format. An alias makes it the answer for clients that request
// only text/plain:
//
//	o := serializer.FactoryOptions{Aliases: []serializer.Alias{{Name: "text/plain", For: "text/plain;as=Table"}}}
//
// Package csv writes the same tables for programs.
package text
