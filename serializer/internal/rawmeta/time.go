package rawmeta

import "time"

// Decoding refuses times whose year does not have four digits: those before the first second of the
// year 0, and after the last one of the year 9999.
const (
	firstSecond = -62167219200
	lastSecond  = 253402300799
)

const secondsPerDay = 24 * 60 * 60

// days caches the text of the last day written: the times of an object, and of the objects of one
// list, fall on few days.
type days struct {
	day  int64
	text [len("2006-01-02T")]byte
}

// append appends a time as meta/v1 writes it, in UTC and with quotes.
func (d *days) append(dst []byte, second int64) []byte {
	if second < 0 {
		dst = append(dst, '"')
		dst = time.Unix(second, 0).UTC().AppendFormat(dst, time.RFC3339)
		return append(dst, '"')
	}
	day := second / secondsPerDay
	if day != d.day || d.text[0] == 0 {
		time.Unix(second, 0).UTC().AppendFormat(d.text[:0], "2006-01-02T")
		d.day = day
	}
	s := uint(second % secondsPerDay)
	h, m, s := s/3600, s/60%60, s%60
	dst = append(dst, '"')
	dst = append(dst, d.text[:]...)
	return append(dst, byte('0'+h/10), byte('0'+h%10), ':', byte('0'+m/10), byte('0'+m%10), ':', byte('0'+s/10),
		byte('0'+s%10), 'Z', '"')
}
