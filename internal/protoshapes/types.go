// Package protoshapes has a type for every shape that protobuf can express. Its tests hold the code
// that is generated for them, and for the shared kinds, equal to an independent implementation that
// reads the generated .proto files.
//
// +askind:protobuf
package protoshapes

import (
	"encoding/json"
	"time"

	"github.com/askind/askind/meta/intstr"
	"github.com/askind/askind/meta/resource"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

// Named scalars are written as what they are made of.
type (
	Phase   string
	Switch  bool
	Level   int8
	Port    int32
	Size    int64
	Mask    uint16
	Ratio   float64
	Payload []byte
)

// Scalars are written always, zero or not.
type Scalars struct {
	Text    string          `json:"text"`
	Yes     bool            `json:"yes"`
	I       int             `json:"i"`
	I8      int8            `json:"i8"`
	I16     int16           `json:"i16"`
	I32     int32           `json:"i32"`
	I64     int64           `json:"i64"`
	U       uint            `json:"u"`
	U8      uint8           `json:"u8"`
	U16     uint16          `json:"u16"`
	U32     uint32          `json:"u32"`
	U64     uint64          `json:"u64"`
	F32     float32         `json:"f32"`
	F64     float64         `json:"f64"`
	Data    []byte          `json:"data"`
	Raw     Payload         `json:"raw"`
	JSON    json.RawMessage `json:"json,omitempty"`
	Phase   Phase           `json:"phase"`
	Switch  Switch          `json:"switch"`
	Level   Level           `json:"level"`
	Port    Port            `json:"port"`
	Size    Size            `json:"size"`
	Mask    Mask            `json:"mask"`
	Ratio   Ratio           `json:"ratio"`
	Timeout time.Duration   `json:"timeout"`
}

// Pointers are written unless they are nil.
type Pointers struct {
	Text  *string  `json:"text"`
	Yes   *bool    `json:"yes"`
	I     *int     `json:"i"`
	I32   *int32   `json:"i32"`
	U64   *uint64  `json:"u64"`
	F32   *float32 `json:"f32"`
	Phase *Phase   `json:"phase"`
	Level *Level   `json:"level"`
	Item  *Item    `json:"item"`
	Words *Words   `json:"words"`
}

// Lists are written one element after the other.
type Lists struct {
	Texts   []string  `json:"texts"`
	Yes     []bool    `json:"yes"`
	I       []int     `json:"i"`
	I32     []int32   `json:"i32"`
	I64     []int64   `json:"i64"`
	U16     []uint16  `json:"u16"`
	U32     []uint32  `json:"u32"`
	U64     []uint64  `json:"u64"`
	F32     []float32 `json:"f32"`
	F64     []float64 `json:"f64"`
	Phases  []Phase   `json:"phases"`
	Ports   Ports     `json:"ports"`
	Levels  []Level   `json:"levels"`
	Blobs   [][]byte  `json:"blobs"`
	Items   []Item    `json:"items"`
	Inlined Items     `json:"inlined"`
	Words   []Words   `json:"words"`
}

// Ports and Items are written in place, as if their fields had the type []Port or []Item.
type (
	Ports []Port
	Items []Item
)

// Words is a message of its own, so it can be an element of a list, and nil differs from empty.
//
// +askind:protobuf:message
type Words []string

// Limits is a map that is a message of its own.
//
// +protobuf.nullable=true
type Limits map[Phase]resource.Quantity

// Item is an element.
type Item struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// Maps are written in order of their keys.
type Maps struct {
	Labels  map[string]string  `json:"labels"`
	Tags    Tags               `json:"tags"`
	Phases  map[Phase]Phase    `json:"phases"`
	Sizes   map[string]Size    `json:"sizes"`
	Blobs   map[string][]byte  `json:"blobs"`
	Items   map[Phase]Item     `json:"items"`
	Words   map[string]Words   `json:"words"`
	ByPort  map[Port]string    `json:"byPort"`
	ByInt   map[int]Item       `json:"byInt"`
	ByU8    map[uint8]bool     `json:"byU8"`
	ByU64   map[uint64]float64 `json:"byU64"`
	Caches  map[string]Limits  `json:"caches"`
	Limits  Limits             `json:"limits"`
	Numbers map[string]int32   `json:"numbers"`
	Trees   map[string]Tree    `json:"trees"`
}

// Tags is written in place.
type Tags map[string]string

// Tree holds trees.
type Tree struct {
	Name     string          `json:"name"`
	Left     *Tree           `json:"left"`
	Children []Tree          `json:"children"`
	ByName   map[string]Tree `json:"byName"`
}

// Embedded structs are messages, whether or not JSON shows their fields in place.
type Embedded struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Item
	*Extra `json:",inline"`
	common `json:",inline"`
	Own    string `json:"own"`
}

// Extra is embedded by pointer.
type Extra struct {
	More string `json:"more"`
}

type common struct {
	Shared string `json:"shared"`
}

// Leaves have functions written by hand.
type Leaves struct {
	Time      metav1.Time                  `json:"time"`
	TimePtr   *metav1.Time                 `json:"timePtr"`
	Times     []metav1.Time                `json:"times"`
	Micro     metav1.MicroTime             `json:"micro"`
	Duration  metav1.Duration              `json:"duration"`
	Quantity  resource.Quantity            `json:"quantity"`
	Resources map[string]resource.Quantity `json:"resources"`
	Either    intstr.IntOrString           `json:"either"`
	EitherPtr *intstr.IntOrString          `json:"eitherPtr"`
	Any       runtime.RawExtension         `json:"any"`
	Anys      []runtime.RawExtension       `json:"anys"`
	Fields    *metav1.FieldsV1             `json:"fields"`
	Verbs     metav1.Verbs                 `json:"verbs"`
	VerbLists map[string]metav1.Verbs      `json:"verbLists"`
	Selector  *metav1.LabelSelector        `json:"selector"`
	Ports     map[int32]intstr.IntOrString `json:"ports"`
}

// Names has names that protobuf cannot have, or would show otherwise in JSON.
type Names struct {
	Dash    string `json:"foo-bar"`
	Ref     string `json:"$ref"`
	Snake   string `json:"snake_case"`
	Upper   string `json:"URL"`
	Digit   string `json:"9lives"`
	Tagged  string `json:"tagged" protobuf:"bytes,30,opt,name=other_name"`
	NoTag   string
	Message string `json:"message"`
	Option  string `json:"option"`
	Left    string `json:"-"`
	Out     string `json:"out" protobuf:"-"`
	Marked  string `json:"marked"` // +optional
	// Skipped stays out of protobuf.
	// +askind:protobuf=false
	Skipped string `json:"skipped"`
	hidden  string
}

// Numbers has tags with numbers of one, two and more bytes, in no order.
type Numbers struct {
	C    string            `json:"c" protobuf:"bytes,16,opt,name=c"`
	A    string            `json:"a" protobuf:"bytes,1,opt,name=a"`
	E    int64             `json:"e" protobuf:"varint,18999,opt,name=e"`
	F    string            `json:"f"`
	B    []Item            `json:"b" protobuf:"bytes,15,rep,name=b"`
	D    map[string]string `json:"d" protobuf:"bytes,2048,rep,name=d"`
	G    *Item             `json:"g" protobuf:"bytes,20000,opt,name=g"`
	H    bool              `json:"h" protobuf:"varint,300,opt,name=h"`
	Rest []Phase           `json:"rest" protobuf:"bytes,3,rep,name=rest"`
}

// Empty has no fields.
type Empty struct {
	metav1.TypeMeta `json:",inline"`
}
