package serializer_test

import (
	"errors"
	"fmt"
	"mime"
	"slices"
	"strings"
	"testing"

	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/internal/race"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/serializer/text"
)

var (
	oneMachine  = serializer.Offer{Kind: fleetV1.WithKind("Machine")}
	allMachines = serializer.Offer{Kind: fleetV1.WithKind("MachineList")}
	betaMachine = serializer.Offer{Kind: fleetBeta.WithKind("Machine")}
	oneNote     = serializer.Offer{Kind: coreV1.WithKind("Note")}
	onlyYAML    = serializer.Offer{Kind: fleetV1.WithKind("Machine"), MediaTypes: []string{"application/yaml"}}
	yamlFirst   = serializer.Offer{Kind: fleetV1.WithKind("Machine"), MediaTypes: []string{
		"Application/YAML",
		"application/json",
	}}
	prettyFirst = serializer.Offer{Kind: fleetV1.WithKind("Machine"), Pretty: true}
	formatOnly  = serializer.Offer{}
	watchAll    = serializer.Offer{Kind: fleetV1.WithKind("MachineList"), Stream: "watch", Pretty: true}
	exported    = serializer.Offer{Kind: fleetV1.WithKind("Machine"), Export: true}
	profiled    = serializer.Offer{Kind: fleetV1.WithKind("Machine"), Profiles: []string{"nopeer", "urn:x y"}}
)

const (
	jsonTable = "application/json;g=meta.k8s.io;v=v1;as=Table => meta.k8s.io/v1 Table"
	plainJSON = "application/json => fleet.example.com/v1 Machine"
	plainYAML = "application/yaml => fleet.example.com/v1 Machine"
	yamlTable = "application/yaml;g=meta.k8s.io;v=v1;as=Table => meta.k8s.io/v1 Table"
	refused   = "406"
)

var negotiations = []struct {
	name   string
	accept []string
	offer  serializer.Offer
	want   string
}{
	// No preference.
	{"no header", nil, oneMachine, plainJSON},
	{"empty header", []string{""}, oneMachine, plainJSON},
	{"empty elements", []string{" , ,"}, oneMachine, plainJSON},
	{"no header, order of the offer", nil, yamlFirst, plainYAML},
	{"no header, pretty endpoint", nil, prettyFirst, plainJSON + " pretty"},
	{"no header, format only", nil, formatOnly, "application/json => "},
	{"any", []string{"*/*"}, oneMachine, plainJSON},
	{"any, order of the offer", []string{"*/*"}, yamlFirst, plainYAML},
	{"any application", []string{"application/*"}, oneMachine, plainJSON},

	// Formats.
	{"json", []string{"application/json"}, oneMachine, plainJSON},
	{"yaml", []string{"application/yaml"}, oneMachine, plainYAML},
	{"case", []string{"APPLICATION/Yaml"}, oneMachine, plainYAML},
	{"order of the client", []string{"application/yaml, application/json"}, oneMachine, plainYAML},
	{"two lines", []string{"application/yaml", "application/json"}, oneMachine, plainYAML},
	{"second line only", []string{"application/xml", "application/yaml"}, oneMachine, plainYAML},
	{"unknown first", []string{"application/xml, application/yaml"}, oneMachine, plainYAML},
	{"unknown only", []string{"application/xml"}, oneMachine, refused},
	{"unknown type of wildcard", []string{"image/*"}, oneMachine, refused},
	{"browser", []string{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}, oneMachine, plainJSON},
	{"curl", []string{"*/*"}, oneMachine, plainJSON},
	{"old Java", []string{"text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"}, oneMachine, plainJSON},
	{"not on offer", []string{"application/json"}, onlyYAML, refused},
	{"wildcard and the offer", []string{"application/*"}, onlyYAML, plainYAML},

	// Weights.
	{"weights", []string{"application/json;q=0.5, application/yaml"}, oneMachine, plainYAML},
	{"weights in thousandths", []string{"application/json;q=0.501, application/yaml;q=0.502"}, oneMachine, plainYAML},
	{"equal weights", []string{"application/json;q=0.5, application/yaml;q=0.500"}, oneMachine, plainJSON},
	{"zero", []string{"application/json;q=0"}, oneMachine, refused},
	{"zero for all", []string{"*/*;q=0"}, oneMachine, refused},
	{"all but one", []string{"*/*, application/json;q=0"}, oneMachine, plainYAML},
	{"one only", []string{"*/*;q=0, application/yaml;q=0.1"}, oneMachine, plainYAML},
	{"zero for a type", []string{"*/*, application/*;q=0"}, oneMachine, "text/yaml => fleet.example.com/v1 Machine"},
	{"zero for all types", []string{"*/*, application/*;q=0, text/*;q=0"}, oneMachine, refused},
	{"type wildcard", []string{"text/*"}, oneMachine, "text/yaml => fleet.example.com/v1 Machine"},
	{"other spelling of a format", []string{"Text/X-Yaml"}, oneMachine, "text/x-yaml => fleet.example.com/v1 Machine"},
	{"specific weight below that of the wildcard", []string{"*/*, application/json;q=0.1"}, oneMachine, plainYAML},
	{
		"specific weight above that of the wildcard",
		[]string{"*/*;q=0.1, application/yaml;q=0.2"},
		oneMachine,
		plainYAML,
	},
	{"three levels", []string{"*/*;q=0.6, application/*;q=0.5, application/yaml;q=0.7"}, oneMachine, plainYAML},
	{"name before wildcard at equal weight", []string{"*/*, application/yaml"}, oneMachine, plainYAML},
	{"subtype wildcard before wildcard", []string{"*/*, application/*"}, yamlFirst, plainYAML},
	{"bad weight", []string{"application/json;q=high, application/yaml;q=0.1"}, oneMachine, plainYAML},
	{
		"same clause twice",
		[]string{"application/json;q=0.1, application/yaml;q=0.5, application/json"},
		oneMachine,
		plainYAML,
	},

	// Parameters.
	{"charset", []string{"application/json;charset=utf-8"}, oneMachine, plainJSON},
	{"charset in capitals", []string{`application/json; charset="UTF-8"`}, oneMachine, plainJSON},
	{"other charset", []string{"application/json;charset=latin1, application/yaml"}, oneMachine, plainYAML},
	{"unknown parameter", []string{"application/json;profile=x, application/yaml"}, oneMachine, plainYAML},
	{"unknown parameter only", []string{"application/json;profile=x"}, oneMachine, refused},
	{"pretty", []string{"application/json;pretty=1"}, oneMachine, plainJSON + " pretty"},
	{"not pretty", []string{"application/json;pretty=0"}, prettyFirst, plainJSON},
	{"bad pretty", []string{"application/json;pretty=2, application/yaml"}, oneMachine, plainYAML},
	{"pretty or plain", []string{"application/json;pretty=1;q=0.5, application/json"}, oneMachine, plainJSON},
	{"anything but pretty", []string{"application/json;pretty=1;q=0, application/json"}, oneMachine, plainJSON},
	{
		"anything but pretty, pretty endpoint",
		[]string{"application/json;pretty=1;q=0, application/json"},
		prettyFirst, refused,
	},
	{"pretty table", []string{"application/json;as=Table;pretty=1"}, oneMachine, jsonTable + " pretty"},

	// Other kinds.
	{"table", []string{"application/json;g=meta.k8s.io;v=v1;as=Table"}, oneMachine, jsonTable},
	{"table, any order", []string{"application/json;as=Table;v=v1;g=meta.k8s.io"}, oneMachine, jsonTable},
	{
		"table, tabs and quotes",
		[]string{"application/json\t;\tas=\"Table\" ; G=meta.k8s.io;\tV=\"v1\""},
		oneMachine,
		jsonTable,
	},
	{
		"table with commas",
		[]string{"application/json;g=meta.k8s.io,v=v1,as=Table, application/json"},
		oneMachine,
		jsonTable,
	},
	{"table without group and version", []string{"application/json;as=Table"}, oneMachine, jsonTable},
	{"table without version", []string{"application/json;g=meta.k8s.io;as=Table"}, oneMachine, jsonTable},
	{"table without group", []string{"application/json;v=v1;as=Table"}, oneMachine, jsonTable},
	{
		"older table without group",
		[]string{"application/json;v=v1beta1;as=Table"},
		oneMachine,
		"application/json;g=meta.k8s.io;v=v1beta1;as=Table => meta.k8s.io/v1beta1 Table",
	},
	{"table of the list", []string{"application/json;as=Table"}, allMachines, jsonTable},
	{"table of the other version", []string{"application/json;as=Table"}, betaMachine, jsonTable},
	{
		"table as yaml",
		[]string{"application/yaml;as=Table"},
		oneMachine,
		"application/yaml;g=meta.k8s.io;v=v1;as=Table => meta.k8s.io/v1 Table",
	},
	{"table in any format", []string{"*/*;as=Table"}, oneMachine, jsonTable},
	{"kubectl", []string{
		"application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
	}, allMachines, jsonTable},
	{
		"version two, then one",
		[]string{"application/json;as=Table;v=v2;g=meta.k8s.io, application/json;as=Table;v=v1;g=meta.k8s.io"},
		oneMachine, jsonTable,
	},
	{"table or object", []string{"application/json;as=Table;g=x.example.com, application/json"}, oneMachine, plainJSON},
	{"object or table", []string{"application/json, application/json;as=Table"}, oneMachine, plainJSON},
	{"rather the table", []string{"application/json;q=0.9, application/json;as=Table"}, oneMachine, jsonTable},
	{"no table of notes", []string{"application/json;as=Table"}, oneNote, refused},
	{
		"no table of notes, but notes",
		[]string{"application/json;as=Table, application/yaml"},
		oneNote,
		"application/yaml => v1 Note",
	},
	{"case of the kind", []string{"application/json;as=table"}, oneMachine, refused},
	{
		"partial",
		[]string{"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"},
		oneMachine,
		"application/json;g=meta.k8s.io;v=v1;as=PartialObjectMetadata => meta.k8s.io/v1 PartialObjectMetadata",
	},
	{
		"partial of the list",
		[]string{"application/json;as=PartialObjectMetadata"},
		allMachines,
		"application/json;g=meta.k8s.io;v=v1;as=PartialObjectMetadata => meta.k8s.io/v1 PartialObjectMetadataList",
	},
	{
		"partial list of the list",
		[]string{"application/json;as=PartialObjectMetadataList"},
		allMachines,
		"application/json;g=meta.k8s.io;v=v1;as=PartialObjectMetadataList => meta.k8s.io/v1 PartialObjectMetadataList",
	},
	{"partial list of one", []string{
		"application/json;as=PartialObjectMetadataList, application/json;as=PartialObjectMetadata",
	}, oneMachine, "application/json;g=meta.k8s.io;v=v1;as=PartialObjectMetadata => meta.k8s.io/v1 PartialObjectMetadata"},
	{
		"scale",
		[]string{"application/json;g=meta.k8s.io;v=v1;as=Scale"},
		oneMachine,
		"application/json;g=meta.k8s.io;v=v1;as=Scale => meta.k8s.io/v1 Scale",
	},
	{"scale of the list", []string{"application/json;as=Scale"}, allMachines, refused},
	{
		"itself",
		[]string{"application/json;as=Machine"},
		oneMachine,
		"application/json;g=fleet.example.com;v=v1;as=Machine => fleet.example.com/v1 Machine",
	},
	{"format only", []string{"application/json;as=Table, application/yaml"}, formatOnly, "application/yaml => "},

	// Other versions.
	{
		"version",
		[]string{"application/json;v=v1beta1"},
		oneMachine,
		"application/json;g=fleet.example.com;v=v1beta1 => fleet.example.com/v1beta1 Machine",
	},
	{
		"version of the list",
		[]string{"application/json;v=v1beta1"},
		allMachines,
		"application/json;g=fleet.example.com;v=v1beta1 => fleet.example.com/v1beta1 MachineList",
	},
	{
		"version of the endpoint",
		[]string{"application/json;v=v1"},
		oneMachine,
		"application/json;g=fleet.example.com;v=v1 => fleet.example.com/v1 Machine",
	},
	{
		"group of the endpoint",
		[]string{"application/json;g=fleet.example.com"},
		betaMachine,
		"application/json;g=fleet.example.com;v=v1beta1 => fleet.example.com/v1beta1 Machine",
	},
	{"no such version", []string{"application/json;v=v3"}, oneMachine, refused},
	{
		"no such version, then one",
		[]string{"application/json;v=v3, application/json;v=v1beta1"},
		oneMachine,
		"application/json;g=fleet.example.com;v=v1beta1 => fleet.example.com/v1beta1 Machine",
	},
	{"no such group", []string{"application/json;g=x.example.com;v=v1"}, oneMachine, refused},
	{
		"equivalent kind",
		[]string{"application/json;g=assets.example.com;v=v1"},
		oneMachine,
		"application/json;g=assets.example.com;v=v1 => assets.example.com/v1 Asset",
	},
	{
		"equivalent kind without version",
		[]string{"application/json;g=assets.example.com"},
		betaMachine,
		"application/json;g=assets.example.com;v=v1 => assets.example.com/v1 Asset",
	},
	{
		"equivalent kind by name",
		[]string{"application/json;g=assets.example.com;as=Asset"},
		oneMachine,
		"application/json;g=assets.example.com;v=v1;as=Asset => assets.example.com/v1 Asset",
	},
	{
		"equivalent list",
		[]string{"application/json;g=assets.example.com"},
		allMachines,
		"application/json;g=assets.example.com;v=v1 => assets.example.com/v1 AssetList",
	},
	{"group with kinds of another sort", []string{"application/json;g=meta.k8s.io;v=v1"}, oneMachine, refused},
	{"core group", []string{`application/json;g="";v=v1`}, oneNote, "application/json;v=v1 => v1 Note"},
	{"core group from outside", []string{`application/json;g="";v=v1`}, oneMachine, refused},
	{"group without version and kind", []string{`application/json;g=meta.k8s.io`}, oneMachine, refused},

	// Weights and parameters together.
	{
		"zero for the table",
		[]string{"application/json;as=Table;q=0, */*;as=Table"},
		oneMachine,
		"application/yaml;g=meta.k8s.io;v=v1;as=Table => meta.k8s.io/v1 Table",
	},
	{
		"zero for json holds for its table",
		[]string{"application/json;q=0, */*;as=Table"},
		oneMachine,
		"application/yaml;g=meta.k8s.io;v=v1;as=Table => meta.k8s.io/v1 Table",
	},
	{
		"zero for json but not for its table",
		[]string{"application/json;q=0, application/json;as=Table"},
		oneMachine,
		jsonTable,
	},
	{
		"more parameters are more specific",
		[]string{"application/json;as=Table;q=0, application/json;as=Table;g=meta.k8s.io;v=v1"},
		oneMachine, jsonTable,
	},
	{
		"excluded by another spelling",
		[]string{"application/json;as=Table, application/json;as=Table;g=meta.k8s.io;v=v1;q=0, application/yaml;q=0.1"},
		oneMachine, plainYAML,
	},
	{"fault does not exclude", []string{"application/json;x=y;q=0, */*"}, oneMachine, plainJSON},

	// The examples of the proposal.
	{"seed, table with semicolons", []string{"application/json;as=Table;g=meta.k8s.io;v=v1"}, allMachines, jsonTable},
	{
		"seed, pretty table",
		[]string{"application/json;as=Table;g=meta.k8s.io;v=v1;pretty=1"},
		allMachines,
		jsonTable + " pretty",
	},
	{
		"seed, version of Status",
		[]string{"application/json;sv=v2"},
		allMachines,
		"application/json;sv=v2 => fleet.example.com/v1 MachineList",
	},
	{
		"seed, partial metadata with commas",
		[]string{"application/json;g=meta.k8s.io,v=v1,as=PartialObjectMetadata, application/json"},
		allMachines,
		"application/json;g=meta.k8s.io;v=v1;as=PartialObjectMetadata => meta.k8s.io/v1 PartialObjectMetadataList",
	},
	{
		"seed, scale with commas",
		[]string{"application/json;g=meta.k8s.io,v=v1,as=Scale, application/json"},
		oneMachine,
		"application/json;g=meta.k8s.io;v=v1;as=Scale => meta.k8s.io/v1 Scale",
	},
	{
		"seed, tabular output that is not there",
		[]string{"application/json;g=meta.k8s.io,v=v1,as=TabularOutput, application/json"},
		allMachines,
		"application/json => fleet.example.com/v1 MachineList",
	},
	{
		"seed, scale v2, then v1",
		[]string{"application/json;g=meta.k8s.io;v=v2;as=Scale, application/json;g=meta.k8s.io;v=v1;as=Scale"},
		oneMachine, "application/json;g=meta.k8s.io;v=v1;as=Scale => meta.k8s.io/v1 Scale",
	},
	{
		"seed, scale in a version that is gone",
		[]string{"application/json;g=meta.k8s.io;v=v9;as=Scale"},
		oneMachine, refused,
	},

	// The version of the generic kinds.
	{"sv", []string{"application/json;sv=v2"}, oneMachine, "application/json;sv=v2 => fleet.example.com/v1 Machine"},
	{
		"sv in capitals",
		[]string{"application/json;SV=v2"},
		oneMachine,
		"application/json;sv=v2 => fleet.example.com/v1 Machine",
	},
	{"sv unknown", []string{"application/json;sv=v3"}, oneMachine, refused},
	{
		"sv unknown, then known",
		[]string{"application/json;sv=v3, application/json;sv=v2"},
		oneMachine,
		"application/json;sv=v2 => fleet.example.com/v1 Machine",
	},
	{"sv without a Status", []string{"application/json;sv=v1beta1, application/yaml"}, oneMachine, plainYAML},
	{"sv empty", []string{`application/json;sv="", application/yaml`}, oneMachine, plainYAML},
	{"sv twice", []string{"application/json;sv=v2;sv=v2, application/yaml"}, oneMachine, plainYAML},
	{
		"sv and a kind of that version",
		[]string{"application/json;sv=v2;as=Table, application/yaml"},
		oneMachine,
		"application/json;g=meta.k8s.io;v=v1;as=Table;sv=v2 => meta.k8s.io/v1 Table",
	},
	{
		"sv and a kind of a stated version",
		[]string{"application/json;sv=v2;as=Table;v=v1;g=meta.k8s.io"},
		oneMachine,
		"application/json;g=meta.k8s.io;v=v1;as=Table;sv=v2 => meta.k8s.io/v1 Table",
	},
	{
		"sv and a stated group",
		[]string{"application/json;sv=v2;as=Table;g=meta.k8s.io"},
		oneMachine,
		"application/json;g=meta.k8s.io;v=v1;as=Table;sv=v2 => meta.k8s.io/v1 Table",
	},
	{
		"sv and a kind of the endpoint's group",
		[]string{"application/json;sv=v2;as=Machine"},
		oneMachine,
		"application/json;g=fleet.example.com;v=v1;as=Machine;sv=v2 => fleet.example.com/v1 Machine",
	},
	{"sv, format only", []string{"application/json;sv=v2"}, formatOnly, "application/json;sv=v2 => "},
	{"zero for a version of Status", []string{"application/json;sv=v2;q=0, application/json"}, oneMachine, plainJSON},

	// Export.
	{
		"export",
		[]string{"application/json;export=1"},
		oneMachine,
		"application/json;export=1 => fleet.example.com/v1 Machine export",
	},
	{
		"drop",
		[]string{"application/json;drop=metadata.labels+metadata.managedFields"},
		oneMachine,
		"application/json;drop=metadata.managedFields => fleet.example.com/v1 Machine",
	},
	{
		"drop that is refused",
		[]string{"application/json;drop=metadata.managedFields;q=0, application/json"},
		oneMachine, plainJSON,
	},
	{"drop of what nobody knows", []string{"application/json;Drop=spec"}, oneMachine, plainJSON},
	{"drop without a value", []string{"application/json;drop=, application/yaml"}, oneMachine, plainYAML},
	{"export off", []string{"application/json;export=0"}, oneMachine, plainJSON},
	{"export of the query", []string{"application/json"}, exported, plainJSON + " export"},
	{"export of the query, no header", nil, exported, plainJSON + " export"},
	{"export of the query, not of the header", []string{"application/json;export=0"}, exported, plainJSON},
	{"export word", []string{"application/json;export=true, application/yaml"}, oneMachine, plainYAML},
	{
		"export of a version",
		[]string{"application/json;export=1;v=v1beta1"},
		oneMachine,
		"application/json;g=fleet.example.com;v=v1beta1;export=1 => fleet.example.com/v1beta1 Machine export",
	},
	{
		"export in any format",
		[]string{"*/*;export=1"},
		yamlFirst,
		"application/yaml;export=1 => fleet.example.com/v1 Machine export",
	},
	{"zero for exports", []string{"application/json;export=1;q=0, */*"}, exported, plainYAML + " export"},
	{
		"rather exported",
		[]string{"application/json;q=0.5, application/json;export=1"},
		oneMachine,
		"application/json;export=1 => fleet.example.com/v1 Machine export",
	},

	// Streams.
	{
		"stream",
		[]string{"application/json;stream=watch"},
		watchAll,
		"application/json;stream=watch => fleet.example.com/v1 MachineList",
	},
	{
		"stream not stated",
		[]string{"application/json"},
		watchAll,
		"application/json => fleet.example.com/v1 MachineList",
	},
	{
		"stream in a format without lines",
		[]string{"application/yaml"},
		watchAll,
		"application/yaml;stream=watch => fleet.example.com/v1 MachineList",
	},
	{"stream where none is", []string{"application/json;stream=watch"}, oneMachine, refused},
	{"stream or document", []string{"application/json;stream=watch, application/yaml"}, oneMachine, plainYAML},
	{
		"another stream",
		[]string{"application/json;stream=log, application/json"},
		watchAll,
		"application/json => fleet.example.com/v1 MachineList",
	},
	{
		"stream is never pretty",
		[]string{"application/json;pretty=1"},
		watchAll,
		"application/json => fleet.example.com/v1 MachineList",
	},
	{"stream without header", nil, watchAll, "application/json => fleet.example.com/v1 MachineList"},
	{
		"stream of tables",
		[]string{"application/json;as=Table;v=v1;g=meta.k8s.io;stream=watch"},
		watchAll,
		"application/json;g=meta.k8s.io;v=v1;as=Table;stream=watch => meta.k8s.io/v1 Table",
	},
	{
		"stream of metadata",
		[]string{"application/json;as=PartialObjectMetadata"},
		watchAll,
		"application/json;g=meta.k8s.io;v=v1;as=PartialObjectMetadata => meta.k8s.io/v1 PartialObjectMetadataList",
	},
	{
		"zero for pretty means nothing in streams",
		[]string{"application/json, application/json;pretty=1;q=0"},
		watchAll, refused,
	},

	// Profiles.
	{
		"profile",
		[]string{"application/json;profile=nopeer"},
		profiled,
		"application/json;profile=nopeer => fleet.example.com/v1 Machine",
	},
	{
		"profile in quotes",
		[]string{`application/json;profile="nopeer"`},
		profiled,
		"application/json;profile=nopeer => fleet.example.com/v1 Machine",
	},
	{"profile that is not known", []string{"application/json;profile=other, application/yaml"}, profiled, plainYAML},
	{
		"profile where none is known",
		[]string{"application/json;profile=nopeer, application/yaml"},
		oneMachine,
		plainYAML,
	},
	{"profile empty", []string{`application/json;profile="", application/yaml`}, profiled, plainYAML},

	// Rows of tables.
	{
		"include",
		[]string{"application/json;as=Table;includeObject=Object"},
		oneMachine,
		"application/json;g=meta.k8s.io;v=v1;as=Table;includeObject=Object => meta.k8s.io/v1 Table",
	},
	{
		"include none",
		[]string{"application/json;as=Table;includeObject=None"},
		allMachines,
		"application/json;g=meta.k8s.io;v=v1;as=Table;includeObject=None => meta.k8s.io/v1 Table",
	},
	{
		"include, name in another case",
		[]string{"application/json;as=Table;INCLUDEOBJECT=Metadata"},
		oneMachine,
		"application/json;g=meta.k8s.io;v=v1;as=Table;includeObject=Metadata => meta.k8s.io/v1 Table",
	},
	{
		"include, value in another case",
		[]string{"application/json;as=Table;includeObject=none, application/yaml"},
		oneMachine, plainYAML,
	},
	{
		"include unknown",
		[]string{"application/json;as=Table;includeObject=All, application/yaml"},
		oneMachine,
		plainYAML,
	},
	{
		"include without a table",
		[]string{"application/json;includeObject=None, application/yaml"},
		oneMachine,
		plainYAML,
	},
	{
		"include with another kind",
		[]string{"application/json;as=Scale;includeObject=None, application/yaml"},
		oneMachine, plainYAML,
	},
	{
		"zero for objects in rows",
		[]string{"application/json;as=Table;includeObject=Object;q=0, application/json;as=Table"},
		oneMachine,
		jsonTable,
	},

	// Harmless parameters.
	{"harmless", []string{"application/json;version=2"}, oneMachine, plainJSON},
	{"harmless in capitals", []string{"application/json;VERSION=2;as=Table"}, oneMachine, jsonTable},
	{"harmless twice", []string{"application/json;version=2;version=3"}, oneMachine, plainJSON},
	{"harmless without value", []string{"application/json;version, application/yaml"}, oneMachine, plainYAML},
	{
		"harmless is not specific",
		[]string{"application/json;version=2;q=0.1, application/json;q=0.9, application/yaml;q=0.5"},
		oneMachine,
		plainYAML,
	},
	{"not harmless", []string{"application/json;level=2, application/yaml"}, oneMachine, plainYAML},

	// Aliases.
	{
		"alias of exports",
		[]string{"application/json+vnd.kubernetes.export"},
		oneMachine,
		"application/json;export=1 => fleet.example.com/v1 Machine export",
	},
	{
		"alias in capitals",
		[]string{"Application/JSON+VND.Kubernetes.Export"},
		oneMachine,
		"application/json;export=1 => fleet.example.com/v1 Machine export",
	},
	{
		"alias with parameters",
		[]string{"application/json+vnd.kubernetes.export;v=v1beta1;pretty=1"},
		oneMachine,
		"application/json;g=fleet.example.com;v=v1beta1;export=1 => fleet.example.com/v1beta1 Machine pretty export",
	},
	{"alias against its parameter", []string{"application/json+vnd.kubernetes.export;export=0"}, oneMachine, plainJSON},
	{
		"alias with a weight",
		[]string{"application/json+vnd.kubernetes.export;q=0.1, application/yaml;q=0.2"},
		oneMachine, plainYAML,
	},
	{"alias excluded", []string{
		"application/json+vnd.kubernetes.export;q=0, application/json;export=1, application/yaml",
	}, oneMachine, plainYAML},
	{
		"alias of a kind that is not there",
		[]string{"application/json+vnd.kubernetes.as+meta.k8s.io+v1+TabularOutput, application/yaml"},
		oneMachine,
		plainYAML,
	},
	{"alias of a format that is not there", []string{"text/csv, application/yaml"}, oneMachine, plainYAML},
	{"alias where its format is not on offer", []string{"application/json+vnd.kubernetes.export"}, onlyYAML, refused},
	{
		"alias of one's own",
		[]string{"application/vnd.example.rows"},
		oneMachine,
		"application/yaml;g=meta.k8s.io;v=v1;as=Table;includeObject=None => meta.k8s.io/v1 Table pretty",
	},
	{
		"alias of one's own, another kind",
		[]string{"application/vnd.example.rows;as=Scale, application/json"},
		oneMachine, plainJSON,
	},
	{
		"alias of one's own, other rows",
		[]string{"application/vnd.example.rows;includeObject=Object;pretty=0"},
		allMachines, "application/yaml;g=meta.k8s.io;v=v1;as=Table;includeObject=Object => meta.k8s.io/v1 Table",
	},
	{
		"alias, format only",
		[]string{"application/json+vnd.kubernetes.export"},
		formatOnly,
		"application/json;export=1 =>  export",
	},
	// The grammar of the header.
	{
		"white space around everything",
		[]string{" application/json \t;\t as=Table ;  v=v1\t, application/yaml "},
		oneMachine, jsonTable,
	},
	{
		"white space around the equals sign",
		[]string{"application/json;as = Table, application/yaml"},
		oneMachine,
		plainYAML,
	},
	{"empty parameters", []string{"application/json;;as=Table;"}, oneMachine, jsonTable},
	{"a parameter without a value", []string{"application/json;as, application/yaml"}, oneMachine, plainYAML},
	{"a parameter with a blank value", []string{"application/json;as=, application/yaml"}, oneMachine, plainYAML},
	{
		"a parameter stated twice",
		[]string{"application/json;as=Table;as=Table, application/yaml"},
		oneMachine,
		plainYAML,
	},
	{
		"a parameter stated twice, in both spellings",
		[]string{"application/json;as=Table,AS=Table, application/yaml"},
		oneMachine, plainYAML,
	},
	{"quoted pairs", []string{`application/json;as="T\a\b\l\e"`}, oneMachine, jsonTable},
	{
		"a comma in quotes",
		[]string{`application/json;as="Table, application/yaml", application/yaml;q=0.1`},
		oneMachine,
		plainYAML,
	},
	{"a semicolon in quotes", []string{`application/json;as="Table;v=v1", application/yaml`}, oneMachine, plainYAML},
	{"quotes without an end", []string{`application/json;as="Table, application/yaml`}, oneMachine, refused},
	{
		"quotes without an end, in one line",
		[]string{`application/json;as="Table, application/yaml`, "text/yaml"},
		oneMachine, "text/yaml => fleet.example.com/v1 Machine",
	},
	{"a weight in quotes", []string{`application/json;q="0.1", application/yaml;q=0.2`}, oneMachine, plainYAML},
	{
		"a value with a space is quoted again",
		[]string{`application/json;profile="urn:x y"`},
		profiled,
		`application/json;profile="urn:x y" => fleet.example.com/v1 Machine`,
	},
	{"no slash", []string{"json, application/yaml"}, oneMachine, plainYAML},
	{"no subtype", []string{"application/, application/yaml"}, oneMachine, plainYAML},
	{"a wildcard for the type only", []string{"*/json, application/yaml"}, oneMachine, plainYAML},

	// Parameters behind commas.
	{
		"commas, no white space",
		[]string{"application/json;g=meta.k8s.io,v=v1,as=Table,application/yaml"},
		oneMachine,
		jsonTable,
	},
	{"commas with white space", []string{"application/json;g=meta.k8s.io , v=v1 ,as=Table"}, oneMachine, jsonTable},
	{"commas and semicolons", []string{"application/json;g=meta.k8s.io,v=v1;as=Table"}, oneMachine, jsonTable},
	{"commas only", []string{"application/json,g=meta.k8s.io,v=v1,as=Table"}, oneMachine, jsonTable},
	{
		"commas, in several lines",
		[]string{"application/json;g=meta.k8s.io", "v=v1", "as=Table, application/yaml"},
		oneMachine, jsonTable,
	},
	{
		"a weight behind a comma",
		[]string{"application/json;as=Table,q=0.1, application/yaml;q=0.2"},
		oneMachine,
		plainYAML,
	},
	{
		"commas, second clause",
		[]string{"application/xml;a=b,c=d, application/json;v=v1,as=Table"},
		oneMachine,
		jsonTable,
	},
	{
		"commas after a wildcard",
		[]string{"*/*;as=Table,v=v1beta1"},
		oneMachine,
		"application/json;g=meta.k8s.io;v=v1beta1;as=Table => meta.k8s.io/v1beta1 Table",
	},
	{"a quoted value behind a comma", []string{`application/json,as="Table"`}, oneMachine, jsonTable},
	{"a parameter behind nothing", []string{"as=Table, application/yaml"}, oneMachine, plainYAML},
	{
		"commas for a group that is not there",
		[]string{"application/json;g=x.example.com,v=v1,as=Table, application/json"},
		oneMachine, plainJSON,
	},

	{"alias and a wildcard", []string{"text/*;as=Table, application/yaml;as=Table"}, yamlFirst, yamlTable},
}

func outcome(rep *serializer.Representation, err error) string {
	if err != nil {
		if _, ok := errors.AsType[*serializer.NotAcceptableError](err); ok {
			return refused
		}
		return err.Error()
	}
	s := rep.ContentType() + " => "
	if gvk := rep.Target(); !gvk.Empty() {
		s += gvk.APIVersion() + " " + gvk.Kind
	}
	if rep.Pretty() {
		s += " pretty"
	}
	if !rep.Whole() && !strings.Contains(rep.ContentType(), ";drop=") {
		s += " export"
	}
	return s
}

func TestNegotiate(t *testing.T) {
	t.Parallel()
	for _, c := range negotiations {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFactory(t)
			e, err := f.Endpoint(c.offer)
			if err != nil {
				t.Fatal(err)
			}
			rep, err := e.Negotiate(c.accept)
			if got := outcome(rep, err); got != c.want {
				t.Fatalf("%q\n got %s\nwant %s\n%v", c.accept, got, c.want, err)
			}
			if want := reference(f, c.accept, c.offer); want != c.want {
				t.Errorf("%q: the reference implementation says %s", c.accept, want)
			}
			if err != nil {
				return
			}
			for range 2 { // the last time a header of one line is remembered
				if again, err := e.Negotiate(c.accept); err != nil || again != rep {
					t.Errorf("a later answer is another one: %v", err)
				}
			}
			mediaType, params, err := mime.ParseMediaType(rep.ContentType())
			if err != nil {
				t.Fatal(err)
			}
			if params["v"] != "" && (params["v"] != rep.Target().Version || params["g"] != rep.Target().Group) {
				t.Errorf("%s does not name the target %s", rep.ContentType(), rep.Target())
			}
			if !slices.Contains(rep.Format().MediaTypes, mediaType) {
				t.Errorf("%s does not name the format %s", rep.ContentType(), rep.Format().Name)
			}
		})
	}
}

func TestNegotiateSelectiveFormat(t *testing.T) {
	t.Parallel()
	f := newFactory(t, csvFormat("text/csv"))
	for _, c := range []struct{ accept, want string }{
		{"text/csv;as=Table", "text/csv;g=meta.k8s.io;v=v1;as=Table => meta.k8s.io/v1 Table"},
		{
			"text/*;as=Table, text/yaml;q=0, text/x-yaml;q=0",
			"text/csv;g=meta.k8s.io;v=v1;as=Table => meta.k8s.io/v1 Table",
		},
		{"text/csv", "text/csv;g=meta.k8s.io;v=v1;as=Table => meta.k8s.io/v1 Table"},
		{"text/csv;v=v1beta1, application/yaml", plainYAML},
		{"text/csv;as=Scale, application/yaml", plainYAML},
	} {
		rep, err := f.Negotiate([]string{c.accept}, oneMachine)
		if got := outcome(rep, err); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.accept, got, c.want)
		}
	}
	// The name of a format that is an alias as well means the alias, also after the format itself
	// was chosen for the kind.
	tables := serializer.Offer{Kind: fleetV1.WithKind("Table")}
	tables.Kind.Group = "meta.k8s.io"
	before := outcome(f.Negotiate([]string{"text/csv"}, tables))
	if got := outcome(f.Negotiate([]string{"text/csv;q=0.9, text/*"}, tables)); got == before {
		t.Errorf("any text is as the alias: %s", got)
	}
	f.Negotiate([]string{"text/*, text/yaml;q=0, text/x-yaml;q=0"}, tables)
	if after := outcome(f.Negotiate([]string{"text/csv"}, tables)); after != before {
		t.Errorf("text/csv was %s and is %s", before, after)
	}
	// A format without frames is not on offer where events are sent.
	if got := outcome(f.Negotiate([]string{"text/csv, application/yaml;q=0.5"},
		watchAll)); got != "application/yaml;stream=watch => fleet.example.com/v1 MachineList" {
		t.Errorf("a watch: got %s", got)
	}
	only := serializer.Offer{Kind: oneMachine.Kind, MediaTypes: []string{"text/csv"}}
	if _, err := f.Negotiate(nil, only); outcome(nil, err) != refused {
		t.Errorf("no header, and nothing can be written: %v", err)
	}
}

func TestNegotiateWrongOffer(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	if _, err := f.Negotiate(nil, serializer.Offer{MediaTypes: []string{"text/csv"}}); err == nil ||
		outcome(nil, err) == refused {
		t.Errorf("media type of no format: %v", err)
	}
	if _, err := f.Negotiate(nil, serializer.Offer{Kind: fleetV1.WithKind("Maschine")}); !errors.Is(err,
		runtime.ErrUnknownKind) {
		t.Errorf("unknown kind: %v", err)
	}
}

func TestNotAcceptableError(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	accept := []string{
		"application/xml, application/json;as=Tabel",
		"application/json;as=Table;v=v7;g=meta.k8s.io, application/json;v=v9",
		"application/json;level=1,*/json,application/yaml;q=0, as=x",
	}
	_, err := f.Negotiate(accept, oneMachine)
	var e *serializer.NotAcceptableError
	if !errors.As(fmt.Errorf("wrapped: %w", err), &e) {
		t.Fatalf("got %v", err)
	}
	code, reason, message := e.Status()
	if code != 406 || reason != "NotAcceptable" {
		t.Errorf("status %d %s", code, reason)
	}
	const want = `none of the accepted representations is available for fleet.example.com/v1, Kind=Machine
- application/xml: the media type is not available
- application/json;as=Tabel: Machine cannot be shown as "Tabel", did you mean "Table"?
- application/json;as=Table;v=v7;g=meta.k8s.io: Machine cannot be shown as "Table" of that group and version; ask for g=meta.k8s.io;v=v1;as=Table
- application/json;v=v9: not available in that group and version
- application/json;level=1: unknown parameter level
- */json: malformed
- application/yaml;q=0, as=x: Machine cannot be shown as "x"
on offer:
- application/json, application/yaml, application/x-yaml, text/yaml, text/x-yaml
  also with g=assets.example.com;v=v1
  also with g=fleet.example.com;v=v1beta1
  also with g=meta.k8s.io;v=v1;as=Table
  also with g=meta.k8s.io;v=v1beta1;as=Table
  also with g=assets.example.com;v=v1;as=Asset
  also with g=meta.k8s.io;v=v1;as=PartialObjectMetadata
  also with g=meta.k8s.io;v=v1;as=Scale`
	if message != want {
		t.Errorf("message\n got %s\nwant %s", message, want)
	}
	if err.Error() != "serializer: "+want {
		t.Errorf("error %v", err)
	}
	// Everything that the error offers can be had.
	for _, offered := range e.Offered() {
		if rep, err := f.Negotiate([]string{offered}, oneMachine); err != nil {
			t.Errorf("%s: %v", offered, err)
		} else if rep.ContentType() != offered {
			t.Errorf("%s is answered with %s", offered, rep.ContentType())
		}
	}
	if n := len(e.Offered()); n != 5+5*7 {
		t.Errorf("%d representations are on offer: %q", n, e.Offered())
	}
}

// TestHintsAreAcceptable checks that no reason suggests a form that the format of the clause cannot
// write, which would be refused as well.
func TestHintsAreAcceptable(t *testing.T) {
	t.Parallel()
	f := newFactory(t, csvFormat("text/csv"))
	for clause, want := range map[string]string{
		"text/csv;as=Scal":         `Machine cannot be shown as "Scal"`,
		"TEXT/CSV;as=Scale;v=v9":   `Machine cannot be shown as "Scale"`,
		"text/csv;as=Tabel":        `Machine cannot be shown as "Tabel", did you mean "Table"?`,
		"application/json;as=Scal": `Machine cannot be shown as "Scal", did you mean "Scale"?`,
		"application/json;as=Scale;v=x": `Machine cannot be shown as "Scale" of that group and version; ask for ` +
			"g=meta.k8s.io;v=v1;as=Scale",
	} {
		_, err := f.Negotiate([]string{clause}, oneMachine)
		var e *serializer.NotAcceptableError
		if !errors.As(err, &e) || len(e.Refused) != 1 || e.Refused[0].Reason != want {
			t.Errorf("%s: %v, want %s", clause, err, want)
		}
	}
}

func TestNotAcceptableErrorIsShort(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	long := strings.Repeat("x/"+strings.Repeat("y", 500)+",", 5000)
	_, err := f.Negotiate([]string{long}, formatOnly)
	if outcome(nil, err) != refused || len(err.Error()) > 2000 {
		t.Errorf("error of %d bytes", len(err.Error()))
	}
}

func TestNegotiateDoesNotAllocate(t *testing.T) {
	f := newFactory(t)
	accept := []string{
		"application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
	}
	for _, offer := range []serializer.Offer{allMachines, yamlFirst} {
		e, err := f.Endpoint(offer)
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() { _, _ = e.Negotiate(accept) }); n != 0 {
			t.Errorf("%v allocations for a header seen before", n)
		}
		i, headers := 0, make([][]string, 200)
		for i := range headers {
			headers[i] = []string{fmt.Sprintf("%s;q=0.%03d", accept[0], i+1)}
		}
		next := func() {
			_, _ = e.Negotiate(headers[i%len(headers)])
			i++
		}
		if n := testing.AllocsPerRun(len(headers)-1, next); n != 0 && !race.Enabled { // which empties pools
			t.Errorf("%v allocations for a header that is new", n)
		}
	}
}

// TestNegotiateManyHeaders fills the cache far beyond its size: answers must stay right, also from
// several goroutines.
func TestNegotiateManyHeaders(t *testing.T) {
	t.Parallel()
	e, err := newFactory(t).Endpoint(oneMachine)
	if err != nil {
		t.Fatal(err)
	}
	for worker := range 4 {
		t.Run(fmt.Sprint(worker), func(t *testing.T) {
			t.Parallel()
			for i := range 3000 {
				n := (i*7 + worker) % 1500
				accept := []string{fmt.Sprintf("x/y%d, application/yaml;q=0.%03d, application/json;q=0.5", n, n%1000)}
				want := "application/json"
				if n%1000 > 500 {
					want = "application/yaml"
				}
				if rep, err := e.Negotiate(accept); err != nil && n%1000 != 500 || err == nil &&
					rep.ContentType() != want && n%1000 != 500 {
					t.Fatalf("%s: %v, %v", accept, rep, err)
				}
			}
		})
	}
}

// TestNegotiateKeepsNoHeader: what is remembered must not be confused when the caller changes its
// slice.
func TestNegotiateKeepsNoHeader(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	accept, types := []string{"application/yaml"}, []string{"application/yaml"}
	e, err := f.Endpoint(serializer.Offer{MediaTypes: types})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 { // the second time it is remembered
		if rep, err := e.Negotiate(accept); err != nil || rep.ContentType() != "application/yaml" {
			t.Fatal(rep, err)
		}
	}
	types[0] = "application/json"
	if rep, err := e.Negotiate(accept); err != nil || rep.ContentType() != "application/yaml" {
		t.Fatal(rep, err)
	}
	accept[0] = "application/json"
	if rep, err := e.Negotiate(accept); err == nil {
		t.Fatal(rep, err)
	}
}

var offers = []serializer.Offer{
	oneMachine, allMachines, betaMachine, oneNote, onlyYAML, yamlFirst, prettyFirst,
	formatOnly, watchAll, exported, profiled,
}

// FuzzNegotiate compares with the reference implementation, and splits headers at commas into
// lines, which must change nothing.
func FuzzNegotiate(f *testing.F) {
	for i, c := range negotiations {
		f.Add(strings.Join(c.accept, "\n"), uint8(i))
	}
	factory := newFactory(f)
	f.Fuzz(func(t *testing.T, header string, n uint8) {
		offer := offers[int(n)%len(offers)]
		accept := strings.Split(header, "\n")
		if strings.Count(header, ",")+len(accept) > 40 {
			t.Skip("the reference implementation has no limit")
		}
		rep, err := factory.Negotiate(accept, offer)
		got := outcome(rep, err)
		if want := reference(factory, accept, offer); got != want {
			t.Errorf("%q\n got %s\nwant %s", accept, got, want)
		}
		if !strings.Contains(header, `"`) {
			split := strings.Split(strings.Join(accept, ","), ",")
			if lines := outcome(factory.Negotiate(split, offer)); lines != got {
				t.Errorf("%q\nin one line %s\nin several  %s", accept, got, lines)
			}
		}
		if err == nil {
			if _, _, err := mime.ParseMediaType(rep.ContentType()); err != nil {
				t.Errorf("%q: %s: %v", accept, rep.ContentType(), err)
			}
		}
	})
}

// TestNegotiateGenerated compares with the reference implementation on headers put together from
// parts.
func TestNegotiateGenerated(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	ranges := []string{
		"application/json", "application/yaml", "application/*", "*/*", "a/b", "*",
		"application/json+vnd.kubernetes.export", "application/vnd.example.rows",
	}
	params := []string{
		"", ";as=Table", ";g=meta.k8s.io;v=v1;as=Table", ";v=v1beta1", ",as=PartialObjectMetadata", ";pretty=1", ";x=1",
		";g=assets.example.com",
		";sv=v2", ";sv=v2;as=Table", ";export=1", ";export=0", ";stream=watch", ";profile=nopeer",
		";as=Table;includeObject=None", ";version=1", ";pretty=0",
	}
	weights := []string{"", ";q=0", ";q=0.5", ";q=0.9", ", q=0.5", ";q=x"}
	state := uint64(1)
	pick := func(from []string) string {
		state = state*6364136223846793005 + 1442695040888963407
		return from[int(state>>33)%len(from)]
	}
	for range 6000 {
		var parts []string
		for range 1 + len(pick([]string{"", "x", "xx", "xxx"})) {
			parts = append(parts, pick(ranges)+pick(params)+pick(weights))
		}
		accept := []string{strings.Join(parts, ", ")}
		state++
		offer := offers[int(state>>40)%len(offers)]
		if got, want := outcome(f.Negotiate(accept, offer)), reference(f, accept, offer); got != want {
			t.Fatalf("%q for %s\n got %s\nwant %s", accept, offer.Kind, got, want)
		}
	}
}

func BenchmarkNegotiate(b *testing.B) {
	for name, accept := range map[string][]string{
		"plain": {"application/json"},
		"kubectl": {
			"application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
		},
		"ten": {strings.Repeat("text/html;q=0.9,", 8) + "application/yaml;q=0.5,application/json;q=0.1"},
	} {
		b.Run(name+"/seen", func(b *testing.B) {
			f := newFactory(b)
			b.ReportAllocs()
			for b.Loop() {
				_, _ = f.Negotiate(accept, allMachines)
			}
		})
		b.Run(name+"/new", func(b *testing.B) {
			f := newFactory(b)
			// Each offer makes the header a new one, without making it longer.
			offers := make([]serializer.Offer, 2048)
			for i := range offers {
				offers[i] = serializer.Offer{Kind: allMachines.Kind, Profiles: []string{fmt.Sprint(i)}}
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				_, _ = f.Negotiate(accept, offers[i%len(offers)])
				i++
			}
		})
	}
}

// TestNotAcceptableNamesTheNext checks that the reason for a format that cannot write an object
// says what it can write.
func TestNotAcceptableNamesTheNext(t *testing.T) {
	t.Parallel()
	scheme := newFleet(t).Scheme()
	f, err := serializer.NewFactory(scheme, json.Format(), text.Format(), protobuf.Format())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ accept, want string }{
		{"text/plain", "- text/plain: the format cannot write it; ask for text/plain;as=Table\n"},
		{
			"application/vnd.kubernetes.protobuf", "- application/vnd.kubernetes.protobuf: the format cannot write it; " +
				"ask for application/vnd.kubernetes.protobuf;g=meta.k8s.io;v=v1;as=PartialObjectMetadata\n",
		},
	} {
		_, err := f.Negotiate([]string{tt.accept}, serializer.Offer{Kind: v1.GroupVersion.WithKind("MachineList")})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v\nwant %s", tt.accept, err, tt.want)
		}
	}
}
