// Generate writes the messages of package kubeproto with the generators of
// google.golang.org/protobuf and vtprotobuf into a directory, the current one by default. It needs
// no protoc: the .proto files are compiled in this process.
//
//	go run ./internal/kubeproto/generate [-out directory]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bufbuild/protocompile"
	_ "github.com/planetscale/vtprotobuf/features/clone"
	_ "github.com/planetscale/vtprotobuf/features/marshal"
	_ "github.com/planetscale/vtprotobuf/features/size"
	_ "github.com/planetscale/vtprotobuf/features/unmarshal"
	"github.com/planetscale/vtprotobuf/generator"
	"google.golang.org/protobuf/cmd/protoc-gen-go/internal_gengo"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/askind/askind/bench/peers/internal/kubedata"
)

// packageName is the protobuf package of all messages. Their own packages do not matter on the
// wire.
const packageName = "kubeproto"

func main() {
	out := flag.String("out", ".", "write the files into the `directory`")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(out string) error {
	modules := map[string]string{}
	for _, m := range []string{"k8s.io/api", "k8s.io/apimachinery"} {
		dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", m).Output()
		if err != nil {
			return fmt.Errorf("finding the sources of %s: %w", m, err)
		}
		modules[m] = strings.TrimSpace(string(dir))
	}
	compiler := protocompile.Compiler{Resolver: &protocompile.SourceResolver{Accessor: func(path string) (io.ReadCloser,
		error,
	) {
		for module, dir := range modules {
			if rest, ok := strings.CutPrefix(path, module+"/"); ok {
				return os.Open(filepath.Join(dir, rest))
			}
		}
		return nil, os.ErrNotExist
	}}}
	files, err := compiler.Compile(context.Background(), "k8s.io/api/core/v1/generated.proto")
	if err != nil {
		return err
	}
	pod := dynamicpb.NewMessage(files[0].Messages().ByName("Pod"))
	data, err := kubedata.Pod(1).Marshal()
	if err != nil {
		return err
	}
	if err := proto.Unmarshal(data, pod); err != nil {
		return err
	}
	file, err := used(pod)
	if err != nil {
		return err
	}
	return write(file, out)
}

// used makes one file of the messages that occur in a message. Fields of other messages are left
// out, scalar fields stay.
func used(root protoreflect.Message) (*descriptorpb.FileDescriptorProto, error) {
	found := map[protoreflect.Name]protoreflect.MessageDescriptor{}
	var clash error
	record := func(v protoreflect.Value) error {
		m, ok := v.Interface().(protoreflect.Message)
		if !ok {
			return nil
		}
		d := m.Descriptor()
		if other := found[d.Name()]; other != nil && other != d {
			clash = fmt.Errorf("%s and %s cannot be in one package", other.FullName(), d.FullName())
			return protorange.Terminate
		}
		found[d.Name()] = d
		return nil
	}
	err := protorange.Range(root, func(p protopath.Values) error { return record(p.Index(-1).Value) })
	if err := errors.Join(err, clash); err != nil {
		return nil, err
	}
	out := &descriptorpb.FileDescriptorProto{
		Name: new("kubeproto/pod.proto"), Package: new(packageName), Syntax: new("proto2"),
		Options: &descriptorpb.FileOptions{GoPackage: new("github.com/askind/askind/bench/peers/internal/kubeproto")},
	}
	for _, m := range found {
		d := protodesc.ToDescriptorProto(m)
		d.Field = slices.DeleteFunc(d.Field, func(f *descriptorpb.FieldDescriptorProto) bool {
			inner := m.Fields().ByNumber(protoreflect.FieldNumber(f.GetNumber())).Message()
			return inner != nil && !inner.IsMapEntry() && found[inner.Name()] == nil
		})
		d.NestedType = slices.DeleteFunc(d.NestedType, func(entry *descriptorpb.DescriptorProto) bool {
			value := m.Messages().ByName(protoreflect.Name(entry.GetName())).Fields().ByNumber(2).Message()
			return value != nil && found[value.Name()] == nil
		})
		d.Field = slices.DeleteFunc(d.Field, func(f *descriptorpb.FieldDescriptorProto) bool {
			inner := m.Fields().ByNumber(protoreflect.FieldNumber(f.GetNumber())).Message()
			return inner != nil && inner.IsMapEntry() &&
				!slices.ContainsFunc(d.NestedType, func(entry *descriptorpb.DescriptorProto) bool {
					return entry.GetName() == string(inner.Name())
				})
		})
		renameTypes(d)
		for _, entry := range d.NestedType {
			renameTypes(entry)
		}
		out.MessageType = append(out.MessageType, d)
	}
	slices.SortFunc(out.MessageType, func(a, b *descriptorpb.DescriptorProto) int {
		return strings.Compare(a.GetName(),
			b.GetName())
	})
	return out, nil
}

// renameTypes moves the types of all fields to the one package. Types of map entries are nested and
// keep the name of their message.
func renameTypes(m *descriptorpb.DescriptorProto) {
	for _, f := range m.Field {
		if f.TypeName == nil {
			continue
		}
		parts := strings.Split(f.GetTypeName(), ".")
		keep := 1
		if n := len(parts); n > 1 && strings.HasSuffix(parts[n-1], "Entry") && parts[n-2] == m.GetName() {
			keep = 2
		}
		f.TypeName = new("." + packageName + "." + strings.Join(parts[len(parts)-keep:], "."))
	}
}

// write runs both generators and writes their files into a directory.
func write(file *descriptorpb.FileDescriptorProto, out string) error {
	request := &pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{file.GetName()},
		ProtoFile:      []*descriptorpb.FileDescriptorProto{file}, Parameter: new("paths=source_relative"),
	}
	plugin, err := protogen.Options{}.New(request)
	if err != nil {
		return err
	}
	for _, f := range plugin.Files {
		internal_gengo.GenerateFile(plugin, f)
	}
	vt, err := generator.NewGenerator(plugin, []string{"marshal", "unmarshal", "size", "clone"},
		&generator.Config{Poolable: generator.NewObjectSet(), PoolableExclude: generator.NewObjectSet()})
	if err != nil {
		return err
	}
	vt.Generate()
	response := plugin.Response()
	if response.Error != nil {
		return fmt.Errorf("%s", response.GetError())
	}
	for _, f := range response.File {
		name, text := filepath.Base(f.GetName()), f.GetContent()
		if strings.HasSuffix(name, "_vtproto.pb.go") {
			text = "//go:build vtprotobuf\n\n" + text
		}
		if err := os.WriteFile(filepath.Join(out, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
