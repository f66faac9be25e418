package pbwire_test

import (
	"cmp"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/askind/askind/wire/internal/sample"
)

// The plain twins of the Writer and the Reader: an encoder that works front to back with a slice
// for each message, and a decoder that takes a message apart into its fields first.

type slow []byte

func (s slow) tag(field int, wire uint64) slow { return binary.AppendUvarint(s, uint64(field)<<3|wire) }

func (s slow) uint(field int, v uint64) slow { return binary.AppendUvarint(s.tag(field, 0), v) }

func (s slow) bool(field int, v bool) slow {
	if v {
		return s.uint(field, 1)
	}
	return s.uint(field, 0)
}

func (s slow) bytes(field int, b []byte) slow {
	return append(binary.AppendUvarint(s.tag(field, 2), uint64(len(b))), b...)
}

func (s slow) string(field int, v string) slow { return s.bytes(field, []byte(v)) }

func (s slow) double(field int, v float64) slow {
	return binary.LittleEndian.AppendUint64(s.tag(field, 1), math.Float64bits(v))
}

func (s slow) float(field int, v float32) slow {
	return binary.LittleEndian.AppendUint32(s.tag(field, 5), math.Float32bits(v))
}

func (s slow) strings(field int, list []string) slow {
	for _, v := range list {
		s = s.string(field, v)
	}
	return s
}

func inOrder[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

func (s slow) stringMap(field int, m map[string]string) slow {
	for _, k := range inOrder(m) {
		s = s.bytes(field, slow(nil).string(1, k).string(2, m[k]))
	}
	return s
}

func slowServer(in *sample.Server) slow {
	return slow(nil).bytes(1, slowMeta(&in.Metadata)).bytes(2, slowSpec(&in.Spec)).bytes(3, slowStatus(&in.Status))
}

func slowMeta(in *sample.ServerMeta) slow {
	s := slow(nil).string(1, in.Name).string(3, in.Namespace).string(5, in.UID).string(6, in.ResourceVersion).uint(7,
		uint64(in.Generation))
	s = s.stringMap(11, in.Labels).stringMap(12, in.Annotations).strings(14, in.Finalizers)
	if in.Parent != nil {
		s = s.bytes(17, slowMeta(in.Parent))
	}
	return s
}

func slowEnv(in sample.Variable) slow { return slow(nil).string(1, in.Name).string(2, in.Value) }

func slowSpec(in *sample.ServerSpec) slow {
	var s slow
	for _, d := range in.Disks {
		disk := slow(nil).string(1, d.Name).string(2, d.Image).strings(3, d.Command)
		for _, e := range d.Env {
			disk = disk.bytes(4, slowEnv(e))
		}
		s = s.bytes(1, disk.uint(5, uint64(d.SizeGiB)))
	}
	if in.Replicas != nil {
		s = s.uint(2, uint64(*in.Replicas))
	}
	s = s.bool(3, in.Paused).double(4, in.Weight).float(5, in.Factor)
	for _, k := range inOrder(in.Limits) {
		s = s.bytes(6, slow(nil).string(1, k).uint(2, uint64(in.Limits[k])))
	}
	for _, k := range inOrder(in.Slots) {
		s = s.bytes(7, slow(nil).uint(1, uint64(k)).bytes(2, slowEnv(in.Slots[k])))
	}
	if in.Secret != nil {
		s = s.bytes(8, in.Secret)
	}
	for _, v := range in.Ports {
		s = s.uint(9, uint64(v))
	}
	for _, v := range in.Sizes {
		s = s.uint(10, v)
	}
	for _, v := range in.Flags {
		s = s.bool(11, v)
	}
	for _, v := range in.Weights {
		s = s.double(12, v)
	}
	for _, v := range in.Factors {
		s = s.float(13, v)
	}
	for _, v := range in.Deltas {
		s = s.uint(14, uint64(v))
	}
	for _, v := range in.Masks {
		s = s.uint(15, uint64(v))
	}
	return s.uint(100_000, uint64(in.Count))
}

func slowStatus(in *sample.ServerStatus) slow {
	s := slow(nil).string(1, in.Phase)
	for _, c := range in.Conditions {
		s = s.bytes(2, slow(nil).string(1, c.Type).string(2, c.Status).string(3, c.Reason).string(4, c.Message))
	}
	return s
}

// slowField is one field of a message: number is the value of a varint and of the fixed types.
type slowField struct {
	field  int
	wire   uint64
	number uint64
	bytes  []byte
}

var errSlow = errors.New("broken")

// slowFields takes a message apart.
func slowFields(data []byte) ([]slowField, error) {
	var out []slowField
	for len(data) > 0 {
		f, rest, err := slowNext(data)
		if err != nil {
			return nil, err
		}
		out, data = append(out, f), rest
	}
	return out, nil
}

func slowNext(data []byte) (f slowField, rest []byte, err error) {
	tag, n := binary.Uvarint(data)
	if n <= 0 || tag>>3 == 0 || tag>>3 > 1<<29-1 {
		return f, nil, errSlow
	}
	f.field, f.wire, data = int(tag>>3), tag&7, data[n:]
	switch f.wire {
	case 0:
		if f.number, n = binary.Uvarint(data); n <= 0 {
			return f, nil, errSlow
		}
	case 1:
		if n = 8; len(data) < n {
			return f, nil, errSlow
		}
		f.number = binary.LittleEndian.Uint64(data)
	case 5:
		if n = 4; len(data) < n {
			return f, nil, errSlow
		}
		f.number = uint64(binary.LittleEndian.Uint32(data))
	case 2:
		size, k := binary.Uvarint(data)
		if k <= 0 || size > uint64(len(data)-k) {
			return f, nil, errSlow
		}
		n = k + int(size)
		f.bytes = data[k:n]
	case 3:
		for rest := data; ; {
			tag, k := binary.Uvarint(rest)
			if k > 0 && tag>>3 == uint64(f.field) && tag&7 == 4 {
				n = len(data) - len(rest) + k
				break
			}
			var err error
			if _, rest, err = slowNext(rest); err != nil {
				return f, nil, err
			}
		}
	default:
		return f, nil, errSlow
	}
	return f, data[n:], nil
}

// slowEverything decodes into out what is of the right type. sound says that everything was.
func slowEverything(data []byte, out *everything) (sound bool, err error) {
	fields, err := slowFields(data)
	if err != nil {
		return false, err
	}
	sound = true
	types := [...]uint64{1: 0, 2: 0, 3: 0, 4: 2, 5: 2, 6: 1, 7: 5, 8: 2, 9: 2, 10: 0, 11: 1, 12: 2, 13: 2}
	for _, f := range fields {
		if f.field >= len(types) {
			continue
		}
		packed := f.wire == 2 && (f.field == 10 || f.field == 11)
		if f.wire != types[f.field] && !packed {
			sound = false
			continue
		}
		switch f.field {
		case 1:
			out.Int = int64(f.number)
		case 2:
			out.Uint = uint32(f.number)
		case 3:
			out.Bool = f.number != 0
		case 4:
			out.Str = string(f.bytes)
		case 5:
			out.Bytes = append([]byte{}, f.bytes...)
		case 6:
			out.Double = math.Float64frombits(f.number)
		case 7:
			out.Float = math.Float32frombits(uint32(f.number))
		case 8:
			if out.Sub == nil {
				out.Sub = new(everything)
			}
			ok, err := slowEverything(f.bytes, out.Sub)
			if err != nil {
				return false, err
			}
			sound = sound && ok
		case 9:
			entry, err := slowFields(f.bytes)
			if err != nil {
				return false, err
			}
			var pair [3]string
			for _, e := range entry {
				if e.field <= 2 && e.wire == 2 {
					pair[e.field] = string(e.bytes)
				} else if e.field <= 2 {
					sound = false
				}
			}
			if out.Map == nil {
				out.Map = map[string]string{}
			}
			out.Map[pair[1]] = pair[2]
		case 10:
			if out.Ints == nil {
				out.Ints = []int32{}
			}
			if !packed {
				out.Ints = append(out.Ints, int32(f.number))
			}
			for b := f.bytes; len(b) > 0; {
				v, n := binary.Uvarint(b)
				if n <= 0 {
					return false, errSlow
				}
				out.Ints, b = append(out.Ints, int32(v)), b[n:]
			}
		case 11:
			if out.Doubles == nil {
				out.Doubles = []float64{}
			}
			if !packed {
				out.Doubles = append(out.Doubles, math.Float64frombits(f.number))
			}
			for b := f.bytes; len(b) > 0; b = b[8:] {
				if len(b) < 8 {
					return false, errSlow
				}
				out.Doubles = append(out.Doubles, math.Float64frombits(binary.LittleEndian.Uint64(b)))
			}
		case 12:
			out.Strs = append(out.Strs, string(f.bytes))
		case 13:
			if out.Text = string(f.bytes); out.Text == "bad" {
				sound = false
			}
		}
	}
	return sound, nil
}
