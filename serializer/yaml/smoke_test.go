package yaml_test
import ("testing";"fmt";"strings";"github.com/askind/askind/serializer/yaml")
func TestSmoke(t *testing.T){
 for _,in:=range []string{
 "kind: Machine\napiVersion: fleet.example.com/v1\nname: no\nreplicas: 0777\npaused: yes\nratio: 1.10\nlabels:\n  a: 1.10\n  yes: on\n  x: 0777\nargs: [1, true, ~]\nextra: {a: 0777, b: yes, c: 1.10, d: ~, e: '1'}\nraw:\n  k: 0x10\n",
 "name: a\nname: b\nparts:\n- name: x\n  size: foo\n  sise: 3\n- *q\n",
 "name: a\nname: b\nparts:\n- name: x\n  size: foo\n  sise: 3\n---\n# x\n---\nname: [\n---\nfoo: 1\nreplicas: 99999999999\nname: {}\nlabels:\n  a: 1\n  a: 2\n  a: 3\n",
 "base: &b {name: x, replicas: 3}\n<<: *b\nname: y\nextra: &e [*e]\n",
 "a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]",
 "name: !foo x\nreplicas: !!int '5'\nkey: !!binary |\n  aGVs\n  bG8=\nextra: !!float 3\n",
 "name:\n\tx: 1\n", "name: \"a\xffb\"\n", "\ufeffname: a\r\nréplicas: 1\r\nreplicas: x\r\n", "%YAML 1.2\n---\nname: x\n...\n", "- a\n", "name: @x\n", "name: 'x\n", "a: b: c\n", "name: x\n extra: 1\n", strings.Repeat("[",10001), "name: a\x01b",
 "\xff\xfen\x00a\x00m\x00e\x00:\x00 \x00[\x00", "name: x\n--- {name: y}\n--- >\n foo\n",
 }{
  fmt.Printf("=== %.60q\n",in)
  for _,r:=range decodeAll(t,in,true){ fmt.Printf("%+v\n",r.machine); for _,p:=range r.problems {fmt.Println("   ",p)} }
  j,err:=yaml.ToJSON([]byte(in)); fmt.Printf("%.300s %v\n",j,err)
 }
}
