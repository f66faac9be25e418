package aggregator

import (
	"errors"
	"fmt"
)

// The functions of this file check the shape of the parts of an OpenAPI 2.0 document: that a value
// is an object, a list or a string where clients expect one. A client that cannot read one part
// rejects the whole document, with the parts of all other servers. Members that they do not know,
// such as extensions, may have any value.

// checkPathItem checks what is under a path.
func checkPathItem(v any) error {
	return checkObject(v, func(name string, v any) error {
		switch name {
		case "get", "put", "post", "delete", "options", "head", "patch":
			return checkObject(v, checkOperationMember)
		case "parameters":
			return checkList(v, checkParameter)
		case "$ref":
			return checkString(v)
		}
		return nil
	})
}

func checkOperationMember(name string, v any) error {
	switch name {
	case "tags", "consumes", "produces", "schemes":
		return checkList(v, checkString)
	case "summary", "description", "operationId":
		return checkString(v)
	case "parameters":
		return checkList(v, checkParameter)
	case "responses":
		return checkMap(v, checkResponse)
	}
	return nil
}

func checkParameter(v any) error {
	return checkObject(v, func(name string, v any) error {
		switch name {
		case "name", "in":
			return checkString(v)
		case "schema":
			return checkSchema(v)
		}
		return checkSchemaMember(name, v)
	})
}

func checkResponse(v any) error {
	return checkObject(v, func(name string, v any) error {
		switch name {
		case "description", "$ref":
			return checkString(v)
		case "schema":
			return checkSchema(v)
		case "headers":
			return checkMap(v, checkSchema)
		}
		return nil
	})
}

func checkSchema(v any) error { return checkObject(v, checkSchemaMember) }

func checkSchemaMember(name string, v any) error {
	switch name {
	case "$ref", "format", "title", "description", "pattern", "discriminator":
		return checkString(v)
	case "type":
		if _, ok := v.([]any); ok {
			return checkList(v, checkString)
		}
		return checkString(v)
	case "required":
		if _, ok := v.(bool); ok { // of a parameter
			return nil
		}
		return checkList(v, checkString)
	case "properties":
		return checkMap(v, checkSchema)
	case "items":
		if _, ok := v.([]any); ok {
			return checkList(v, checkSchema)
		}
		return checkSchema(v)
	case "additionalProperties":
		if _, ok := v.(bool); ok {
			return nil
		}
		return checkSchema(v)
	case "allOf":
		return checkList(v, checkSchema)
	}
	return nil
}

// checkObject checks the members of an object.
func checkObject(v any, check func(name string, v any) error) error {
	members, ok := v.(map[string]any)
	if !ok {
		return errors.New("not an object")
	}
	for name, member := range members {
		if err := check(name, member); err != nil {
			return fmt.Errorf("%.100q: %w", name, err)
		}
	}
	return nil
}

// checkMap checks the values of an object with any names.
func checkMap(v any, check func(any) error) error {
	return checkObject(v, func(_ string, v any) error { return check(v) })
}

func checkList(v any, check func(any) error) error {
	list, ok := v.([]any)
	if !ok {
		return errors.New("not a list")
	}
	for i, item := range list {
		if err := check(item); err != nil {
			return fmt.Errorf("%d: %w", i, err)
		}
	}
	return nil
}

func checkString(v any) error {
	if _, ok := v.(string); !ok {
		return errors.New("not a string")
	}
	return nil
}
