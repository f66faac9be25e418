package v1

import "time"

// Dates are computed with years that begin in March, so that a leap day is the last day of its year
// and the lengths of months repeat every five months: 31, 30, 31, 30, 31, which is 153 days. Days
// are counted from March 1 of the year 0. This takes a quarter of the time of package time, which
// handles every year and zone, and dominates the cost of objects with many times.
const (
	secondsPerDay   = 86_400
	epochDay        = 719_468         // January 1, 1970
	yearZero        = -62_167_219_200 // January 1, 0, of Unix time
	firstSecond     = -62_135_596_800 // January 1, 1
	lastSecond      = 253_402_300_799 // December 31, 9999
	daysPerFourYear = 4*365 + 1
	daysPerCentury  = 25*daysPerFourYear - 1
	daysPer400Years = 4*daysPerCentury + 1
)

// civil returns the date of a day.
func civil(day uint32) (year, month, dayOfMonth uint32) {
	era, day := day/daysPer400Years, day%daysPer400Years
	// Every 4th year has an extra day, every 100th does not, and the 400th, which ends the era,
	// does.
	year = (day - day/(daysPerFourYear-1) + day/daysPerCentury - day/(daysPer400Years-1)) / 365
	day -= 365*year + year/4 - year/100
	month = (5*day + 2) / 153 // 0 for March
	dayOfMonth = day - (153*month+2)/5 + 1
	year += 400 * era
	if month < 10 {
		return year, month + 3, dayOfMonth
	}
	return year + 1, month - 9, dayOfMonth
}

// dayOf returns the day of a date. The month is from 1 to 12, and the year is not negative.
func dayOf(year, month, dayOfMonth int) int64 {
	if month -= 3; month < 0 {
		month += 12
		year--
	}
	year += 400 // years are divided by truncation
	return int64(365*year+year/4-year/100+year/400+(153*month+2)/5+dayOfMonth-1) - daysPer400Years
}

// appendSeconds appends a time in UTC in the form of secondsForm. Times of years that do not have
// four digits are left to package time.
func appendSeconds(dst []byte, t time.Time) []byte {
	seconds := t.Unix()
	if seconds < firstSecond || seconds > lastSecond {
		return t.UTC().AppendFormat(dst, time.RFC3339)
	}
	sinceStart := uint64(seconds + epochDay*secondsPerDay)
	second := uint32(sinceStart % secondsPerDay)
	year, month, day := civil(uint32(sinceStart / secondsPerDay))
	dst = append(dst, secondsForm...)
	out := dst[len(dst)-len(secondsForm):]
	putDigits(out[0:], year/100)
	putDigits(out[2:], year%100)
	putDigits(out[5:], month)
	putDigits(out[8:], day)
	putDigits(out[11:], second/3600)
	putDigits(out[14:], second/60%60)
	putDigits(out[17:], second%60)
	return dst
}

// putDigits writes a number below 100 with two digits.
func putDigits(out []byte, n uint32) {
	out[0], out[1] = byte('0'+n/10), byte('0'+n%10)
}
