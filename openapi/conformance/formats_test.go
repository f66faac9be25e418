package conformance

import (
	"testing"

	"k8s.io/kube-openapi/pkg/validation/strfmt"

	"github.com/askind/askind/validation"
)

// texts has texts of each format, and others that are close to one.
var texts = []string{
	"", " ", "a", "A", "-", "a b", "a/b", "/a/b", "//a", "#a", "?a=b", "%", "/%zz", "https://a.example/b?c#d",
	"urn:a:b", "mailto:a@b", "http://", "http:", ":", "a:b", "é",
	"a.b", "a.", ".a", "a..b", "a_b", "A.b-c.d", "localhost", "-a", "a-",
	"1.2.3.4", "1.2.3", "1.2.3.256", "::1", "::", "fe80::1", "fe80::1%eth0", "::ffff:1.2.3.4", "[::1]", "1::2::3",
	"10.0.0.0/8", "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0", "::/0", "fe80::/10", "::/129",
	"00:00:5e:00:53:01", "00-00-5e-00-53-01", "0000.5e00.5301", "00:00:5E:00:53:0G", "00:00:5e:00:53", "00005e005301",
	"02:00:5e:10:00:00:00:01", "123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000",
	"123e4567e89b12d3a456426614174000", "123e4567-e89b12d3-a456426614174000", "123e-4567-e89b-12d3-a456426614174000",
	"123e4567-e89b-32d3-a456-426614174000", "123e4567-e89b-42d3-a456-426614174000",
	"123e4567-e89b-42d3-c456-426614174000",
	"123e4567-e89b-52d3-b456-426614174000", "{123e4567-e89b-12d3-a456-426614174000}",
	"123e4567--e89b-12d3-a456-426614174000",
	"a@b.c", "a.b+c@example.com", "a@localhost", "@b", "a@", "a b@c", "a..b@c", "a@b@c",
	"1h30m", "0s", "-5ms", "1", "1.5h", "5", "s", "1h30", "+1h",
	"2006-01-02T15:04:05Z", "2006-01-02t15:04:05z", "2006-01-02T15:04:05.5+01:00", "2006-01-02T24:04:05Z",
	"2006-01-02T15:04:05", "2006-01-02 15:04:05Z", "2006-02-30T15:04:05Z", "2006-01-02", "2023-02-29", "24-02-01",
	"YQ==", "YQ", "YWJj", "YWJ=", "Y Q==", "_-8=",
}

// TestFormats compares the texts that have a format with those of Kubernetes. Its durations and
// host names are not compared: any text that contains a number and a word with the first letter of
// a unit is a duration there, and a.b is not a host name.
func TestFormats(t *testing.T) {
	t.Parallel()
	for _, format := range []string{
		"date-time", "date", "email", "ipv4", "ipv6", "cidr", "mac", "uri", "uuid", "uuid3", "uuid4", "uuid5", "byte",
	} {
		for _, text := range texts {
			ours, theirs := validation.Format(format, text), strfmt.Default.Validates(format, text)
			switch {
			case format == "byte" && text == "": // valid base64
			case format == "ipv4" && text == "::ffff:1.2.3.4": // an IPv6 address
			case ours != theirs:
				t.Errorf("%s %q: %t, with Kubernetes %t", format, text, ours, theirs)
			}
		}
	}
}
