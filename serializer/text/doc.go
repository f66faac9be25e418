// Package text writes tables and descriptions for terminals, in columns, as kubectl does.
//
// [AppendTable] is the function behind it, for command lines that have got a table:
//
//	NAME     PHASE     AGE
//	robot1   Running   3d
//	robot2             5h
//
// Columns whose priority is not zero are shown only if [TableOptions] ask for the wide form, or the
// options with which a client asks for the table ([github.com/askind/askind/meta/v1.TableOptions]).
// Names of columns are in upper case. Columns are parted by at least three spaces and as wide as
// their widest cell; characters count as the columns that a terminal shows them in. A text ends
// where its first line ends, and what a terminal would take for a command is made visible. A table
// without rows is not text at all.
//
// A list is shown row by row in constant memory; it is gone through twice, for the widths and for
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
// the kinds Table, TabularOutput, Description and DescriptionList it writes Status, as one line,
// and every kind whose objects are an [encoding.TextAppender]; others it refuses, so that
// negotiation goes on to another format. An alias makes it the answer to clients that only say
// text/plain:
//
//	o := serializer.FactoryOptions{Aliases: []serializer.Alias{{Name: "text/plain", For: "text/plain;as=Table"}}}
//
// Package csv below serializer writes the same tables for programs.
package text
