// Package html is the format of pages for people: with it, a browser is a client of a server, like
// kubectl.
//
// [Format] returns it for a serializer factory or a server:
//
//	srv, err := server.NewWithFormats(scheme, db, append(server.Formats(), html.Format()))
//
// A request with Accept: text/html, which is what browsers send, is then answered with a page.
// Lists are tables, whose columns order the rows, with selectors, pages, and links to the objects.
// An object is shown as a description and its YAML. The documents of discovery are an index of all
// groups, versions and resources, and the Status of an error is a page too. Each page links to
// related namespaces, versions and subresources, and to other representations. Clients that accept
// everything, such as curl, are not affected by this format.
//
// Pages need no JavaScript. With it, a table follows a watch and shows changes immediately; without
// it, it is reloaded every 30 seconds. Pages follow the light or dark mode of the browser, and fit
// a phone.
//
// # Safety
//
// Everything that comes from objects and requests is escaped by html/template. A page carries a
// Content-Security-Policy that admits one style and one script, by their hashes, connections to the
// server itself, and nothing else: no frames, no plugins, no other sites. Pages are not cached.
// In place of the values of sensitive fields they show <redacted>, as descriptions do; the other
// representations of an object, to which its page links, have them. Values that are secret without
// being marked as such are shown.
//
// The format cannot be read. It writes links if the representation has the
// [github.com/askind/askind/serializer/format.Place] of the object, as package httpapi sets it;
// otherwise, pages have no links.
//
// This package links html/template, which prevents the linker from removing unused methods.
// Programs that do not import it are not affected.
package html
