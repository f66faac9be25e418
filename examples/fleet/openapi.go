package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// openAPI answers with an OpenAPI document of a version of a group. What matters here are the media types of its answers: what clients can write into the
// Accept header, and which kind comes back. What is in the kinds is left to the tools that know.
func (s *server) openAPI(w http.ResponseWriter, r *http.Request) error {
	gv := schema.GroupVersion{Group: r.PathValue("group"), Version: r.PathValue("version")}
	if err := s.checkVersion(gv.WithResource("")); err != nil {
		return err
	}
	doc := apiDocument{OpenAPI: "3.0.3", Info: apiInfo{Title: gv.Group, Version: gv.Version}, Paths: map[string]apiPath{}}
	for k := range s.scheme.KindsIn(gv) {
		if served(k) {
			s.addPaths(doc.Paths, k)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(doc)
}

// The parts of an OpenAPI document that are written.
type (
	apiDocument struct {
		OpenAPI string             `json:"openapi"`
		Info    apiInfo            `json:"info"`
		Paths   map[string]apiPath `json:"paths"`
	}
	apiInfo struct {
		Title   string `json:"title"`
		Version string `json:"version"`
	}
	apiPath struct {
		Parameters []apiParameter `json:"parameters,omitempty"`
		Get        *apiOperation  `json:"get,omitempty"`
		Put        *apiOperation  `json:"put,omitempty"`
		Post       *apiOperation  `json:"post,omitempty"`
		Patch      *apiOperation  `json:"patch,omitempty"`
	}
	apiParameter struct {
		Name     string    `json:"name"`
		In       string    `json:"in"`
		Required bool      `json:"required"`
		Schema   apiSchema `json:"schema"`
	}
	apiOperation struct {
		Description string                 `json:"description"`
		Responses   map[string]apiResponse `json:"responses"`
	}
	apiResponse struct {
		Description string              `json:"description"`
		Content     map[string]apiMedia `json:"content"`
	}
	apiMedia struct {
		Schema apiSchema `json:"schema"`
	}
	apiSchema struct {
		Type        string    `json:"type"`
		Description string    `json:"description,omitempty"`
		Kinds       []apiKind `json:"x-kubernetes-group-version-kind,omitempty"`
	}
	apiKind struct {
		Group   string `json:"group"`
		Version string `json:"version"`
		Kind    string `json:"kind"`
	}
)

// addPaths adds the paths of a kind.
func (s *server) addPaths(paths map[string]apiPath, k *runtime.Kind) {
	gvk := k.GroupVersionKind()
	root := fmt.Sprintf("/apis/%s/%s/", gvk.Group, gvk.Version)
	list := s.operation("the list of what there is, or with ?watch=1 the changes to it", gvk, "200", "list", "watch")
	var in []apiParameter
	collection := root + k.Resource()
	if k.Scope() == runtime.Namespaced {
		paths[collection] = apiPath{Get: list}
		in = append(in, inPath("namespace"))
		collection = root + "namespaces/{namespace}/" + k.Resource()
	}
	paths[collection] = apiPath{Parameters: in, Get: list, Post: s.operation("a new object", gvk, "201", "create")}
	in = append(in, inPath("name"))
	paths[collection+"/{name}"] = apiPath{
		Parameters: in,
		Get:        s.operation("one object", gvk, "200", "get"),
		Put:        s.operation("the object in place of the one that there was", gvk, "200", "update"),
		Patch:      s.operation("the object with changes", gvk, "200", "patch"),
	}
	if _, ok := s.scheme.CanAs(gvk, scaleKind); ok && k.Scope() == runtime.Namespaced {
		paths[collection+"/{name}/scale"] = apiPath{
			Parameters: in,
			Get:        s.operation("the size of the object", scaleKind, "200", "get"),
			Put:        s.operation("the size of the object, once it is set", scaleKind, "200", "update"),
		}
	}
}

func inPath(name string) apiParameter {
	return apiParameter{Name: name, In: "path", Required: true, Schema: apiSchema{Type: "string"}}
}

// operation describes the answers to verbs.
func (s *server) operation(what string, gvk schema.GroupVersionKind, code string, verbs ...string) *apiOperation {
	content := map[string]apiMedia{}
	for _, verb := range verbs {
		for _, h := range s.api.Factory().Produces(gvk, verb) {
			if _, ok := content[h.MediaType]; ok {
				continue // a stream of JSON has the media type of a list
			}
			description := h.Target.Kind
			for _, p := range h.Optional {
				description += fmt.Sprintf(";%s=%s", p.Name, strings.Join(p.Values, "|"))
			}
			content[h.MediaType] = apiMedia{apiSchema{Type: s.typeOf(h.MediaType), Description: description, Kinds: []apiKind{apiKind(h.Target)}}}
		}
	}
	return &apiOperation{
		Description: "Answers with " + what + ", in any of these forms. The Accept header chooses. Behind the kind of a form are parameters that may be added.",
		Responses:   map[string]apiResponse{code: {Description: "it worked", Content: content}},
	}
}

// typeOf is what OpenAPI calls the documents of a media type: objects, if its tools can look into them.
func (s *server) typeOf(mediaType string) string {
	if format, _ := s.api.Factory().ForContentType(mediaType); format != nil && (format.Name() == "json" || format.Name() == "yaml") {
		return "object"
	}
	return "string"
}
