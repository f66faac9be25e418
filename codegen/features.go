package codegen

import (
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/feature/as"
	"github.com/askind/askind/codegen/internal/feature/conversion"
	"github.com/askind/askind/codegen/internal/feature/deepcopy"
	"github.com/askind/askind/codegen/internal/feature/defaults"
	"github.com/askind/askind/codegen/internal/feature/describe"
	"github.com/askind/askind/codegen/internal/feature/json"
	"github.com/askind/askind/codegen/internal/feature/protobuf"
	"github.com/askind/askind/codegen/internal/feature/register"
	"github.com/askind/askind/codegen/internal/feature/schema"
	"github.com/askind/askind/codegen/internal/feature/validation"
	"github.com/askind/askind/codegen/internal/feature/view"
)

// features has all parts of the generator in the order in which they plan. The last one generates
// the registration of the others' functions.
var features = []feature.Feature{
	{Name: "deepcopy", Plan: deepcopy.Plan},
	{Name: "defaults", Plan: defaults.Plan},
	{Name: "export", Plan: defaults.PlanExport},
	{Name: "json", Plan: json.Plan},
	{Name: "protobuf", Plan: protobuf.Plan},
	{Name: "view", Plan: view.Plan},
	{Name: conversion.Name, Plan: conversion.Plan},
	{Name: "as", Plan: as.Plan},
	{Name: "describe", Plan: describe.Plan},
	{Name: "schema", Plan: schema.Plan},
	{Name: "validation", Plan: validation.Plan},
	{Name: "register", Plan: register.Plan},
}
