package aggregator

import (
	"errors"
	"fmt"
	"maps"
)

// The checks of this file are of the shape of the parts of an OpenAPI 2.0 document: that a value is
// an object, a list or a string where clients expect one. A client that cannot read one part
// rejects the whole document, with the parts of all other servers. Members that they do not know,
// such as extensions, may have any value.

// check returns an error unless a value has a shape.
type check func(v any) error

// The checks of what is under a path, and of what references lead to.
var checkPathItem, checkParameter, checkResponse, checkSchema = newChecks()

func newChecks() (pathItem, parameter, response, schema check) {
	texts := listOf(text)
	ofSchema := map[string]check{
		"$ref": text, "format": text, "title": text, "description": text, "pattern": text, "discriminator": text,
		"type": orList(text), "required": orBool(texts), // true or false of a parameter
	}
	schema = objectOf(ofSchema)
	ofSchema["properties"], ofSchema["items"] = mapOf(schema), orList(schema)
	ofSchema["additionalProperties"], ofSchema["allOf"] = orBool(schema), listOf(schema)
	ofParameter := maps.Clone(ofSchema)
	ofParameter["name"], ofParameter["in"], ofParameter["schema"] = text, text, schema
	parameter = objectOf(ofParameter)
	response = objectOf(map[string]check{
		"description": text, "$ref": text, "schema": schema, "headers": mapOf(schema),
	})
	operation := objectOf(map[string]check{
		"tags": texts, "consumes": texts, "produces": texts, "schemes": texts,
		"summary": text, "description": text, "operationId": text,
		"parameters": listOf(parameter), "responses": mapOf(response),
	})
	pathItem = objectOf(map[string]check{
		"get": operation, "put": operation, "post": operation, "delete": operation, "options": operation,
		"head": operation, "patch": operation, "parameters": listOf(parameter), "$ref": text,
	})
	return pathItem, parameter, response, schema
}

func text(v any) error {
	if _, ok := v.(string); !ok {
		return errors.New("not a string")
	}
	return nil
}

// objectOf is the check of an object with some known members.
func objectOf(members map[string]check) check {
	return checkMembers(func(name string) check { return members[name] })
}

// mapOf is the check of an object with any names and values of one shape.
func mapOf(values check) check { return checkMembers(func(string) check { return values }) }

// checkMembers is the check of an object whose members have the checks that of returns, if any.
func checkMembers(of func(name string) check) check {
	return func(v any) error {
		object, ok := v.(map[string]any)
		if !ok {
			return errors.New("not an object")
		}
		for name, member := range object {
			if check := of(name); check != nil {
				if err := check(member); err != nil {
					return fmt.Errorf("%.100q: %w", name, err)
				}
			}
		}
		return nil
	}
}

func listOf(items check) check {
	return func(v any) error {
		list, ok := v.([]any)
		if !ok {
			return errors.New("not a list")
		}
		for i, item := range list {
			if err := items(item); err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
		}
		return nil
	}
}

// orList is the check of one item, or of a list of items.
func orList(item check) check {
	items := listOf(item)
	return func(v any) error {
		if _, ok := v.([]any); ok {
			return items(v)
		}
		return item(v)
	}
}

// orBool is the check of a value that may also be true or false.
func orBool(other check) check {
	return func(v any) error {
		if _, ok := v.(bool); ok {
			return nil
		}
		return other(v)
	}
}
