// Package html is the format of pages for people: with it, a browser is a client of a server, like
// kubectl.
//
// [Format] returns it for a serializer factory or a server:
//
//	srv, err := server.NewWithFormats(scheme, db, append(server.Formats(), html.Format()))
//
// A request with Accept: text/html, which is what browsers send, is then answered with a page.
// Lists are tables, whose columns order the rows, with selectors, pages, and links to the objects.
// An object is a description with its YAML beside it. The documents of discovery are an index of
// all groups, versions and resources, and the Status of an error is a page too. Each page links to
// the namespaces, versions and subresources beside it, and to the other forms that can be asked
// for. Clients that accept everything, such as curl, get what they got without this format.
//
// Pages need no JavaScript. With it, a table follows a watch and shows changes as they come;
// without it, it is loaded again every 30 seconds. They are light or dark as the browser is, and
// fit a phone.
//
// # Safety
//
// Everything that comes from objects and requests is escaped by html/template. A page carries a
// Content-Security-Policy that admits one style and one script, by their hashes, connections to the
// server itself, and nothing else: no frames, no plugins, no other sites. Pages are not kept by
// caches, because what they show may be secret.
//
// The format cannot be read. It writes links if the factory is told the
// [github.com/askind/askind/serializer/format.Place] of what it writes, as package httpapi does;
// without it, pages have no links.
//
// This package links html/template, which keeps the linker from leaving out methods that nothing
// calls. A program that does not import it does not grow.
package html
