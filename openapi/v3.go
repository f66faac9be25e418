package openapi

import "bytes"

// v3 writes the document of some paths as OpenAPI 3.0.
func (s *source) v3(c *Config, paths []*path) []byte {
	w := &writer{out: append(make([]byte, 0, 1<<16), '{')}
	w.text("openapi", "3.0.0")
	c.info(w)
	w.open("paths", '{')
	for _, p := range paths {
		w.open(p.path, '{')
		w.parameters(p.parameters, (*parameter).v3)
		for _, o := range p.operations {
			o.v3(w)
		}
		w.close('}')
	}
	w.close('}')
	w.open("components", '{')
	w.open("schemas", '{')
	for _, name := range s.closure(paths) {
		w.raw(name, s.withKinds(name))
	}
	w.close('}', '}', '}')
	return w.out
}

// withKinds returns a schema with the list of its kinds.
func (s *source) withKinds(name string) []byte {
	def, kinds := s.all[name], s.kinds[name]
	if len(kinds) == 0 {
		return def
	}
	w := &writer{out: bytes.Clone(def[:len(def)-1])}
	w.open("x-kubernetes-group-version-kind", '[')
	for _, gvk := range kinds {
		w.element()
		w.kind(gvk)
		w.close('}')
	}
	w.close(']', '}')
	return w.out
}

func (p *parameter) v3(w *writer) {
	w.element()
	w.text("name", p.name)
	w.text("in", p.in)
	w.text("description", p.description)
	if p.in == "path" {
		w.flag("required")
	}
	w.open("schema", '{')
	w.text("type", p.typ)
	w.close('}', '}')
}

func (o *operation) v3(w *writer) {
	w.open(o.method, '{')
	w.texts("tags", []string{o.tag})
	w.text("description", o.description)
	w.text("operationId", o.id)
	if o.deprecated {
		w.flag("deprecated")
	}
	w.parameters(o.parameters, (*parameter).v3)
	if o.body != nil {
		w.open("requestBody", '{')
		w.open("content", '{')
		for _, m := range o.body.mediaType {
			mediaV3(w, m, o.body.ref)
		}
		w.close('}')
		if !o.body.optional {
			w.flag("required")
		}
		w.close('}')
	}
	w.open("responses", '{')
	for _, r := range o.responses {
		w.open(r.code, '{')
		w.text("description", r.description)
		if len(r.content) > 0 {
			w.open("content", '{')
			for _, c := range r.content {
				mediaV3(w, c.mediaType, c.ref)
			}
			w.close('}')
		}
		w.close('}')
	}
	w.close('}')
	o.extensions(w)
	w.close('}')
}

func mediaV3(w *writer, mediaType, ref string) {
	w.open(mediaType, '{')
	w.open("schema", '{')
	if ref == schemaAnyDocument {
		w.text("type", "string")
	} else {
		w.text("$ref", "#/components/schemas/"+ref)
	}
	w.close('}', '}')
}

// extensions writes the extensions of an operation that clients of the Kubernetes API read.
func (o *operation) extensions(w *writer) {
	if o.action == "" {
		return
	}
	w.text("x-kubernetes-action", o.action)
	w.open("x-kubernetes-group-version-kind", '{')
	w.kind(o.kind)
	w.close('}')
}
