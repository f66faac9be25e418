// Generate writes the messages of package gadgets with the generator of google.golang.org/protobuf.
// It needs no protoc: the .proto file is compiled in this process.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/cmd/protoc-gen-go/internal_gengo"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

const source = "gadget.proto"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run() error {
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{}),
		SourceInfoMode: protocompile.SourceInfoStandard, // for the comments
	}
	files, err := compiler.Compile(context.Background(), source)
	if err != nil {
		return err
	}
	plugin, err := protogen.Options{}.New(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{source}, ProtoFile: withImports(files[0], map[string]bool{}),
		Parameter: new("paths=source_relative"),
	})
	if err != nil {
		return err
	}
	internal_gengo.GenerateFile(plugin, plugin.FilesByPath[source])
	response := plugin.Response()
	if response.Error != nil {
		return fmt.Errorf("%s", response.GetError())
	}
	return os.WriteFile("gadget.pb.go", []byte(response.File[0].GetContent()), 0o644)
}

// withImports returns a file preceded by the files that it imports, without duplicates.
func withImports(file protoreflect.FileDescriptor, seen map[string]bool) []*descriptorpb.FileDescriptorProto {
	if seen[file.Path()] {
		return nil
	}
	seen[file.Path()] = true
	var out []*descriptorpb.FileDescriptorProto
	for i := range file.Imports().Len() {
		out = append(out, withImports(file.Imports().Get(i), seen)...)
	}
	return append(out, protodesc.ToFileDescriptorProto(file))
}
