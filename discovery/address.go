package discovery

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/internal/sorted"
	metav1 "github.com/askind/askind/meta/v1"
)

// addresses are the networks of a [Config], those with the longest prefix first.
type addresses struct {
	list     []metav1.ServerAddressByClientCIDR
	networks []netip.Prefix
}

// addressSet is the set of server addresses that a client can see.
type addressSet struct {
	list []metav1.ServerAddressByClientCIDR // never nil, so that it is written as a list
	key  string                             // identifies the set
}

// parseAddresses reads the networks.
func parseAddresses(in []metav1.ServerAddressByClientCIDR) (*addresses, error) {
	a := &addresses{list: slices.Clone(in)}
	for _, s := range in {
		if _, err := netip.ParsePrefix(s.ClientCIDR); err != nil {
			return nil, fmt.Errorf("discovery: the client network %q of the address %s is not a CIDR such as 10.0.0.0/8: %w",
				s.ClientCIDR, s.ServerAddress, err)
		}
	}
	sorted.Func(a.list, func(x, y metav1.ServerAddressByClientCIDR) int {
		return cmp.Compare(netip.MustParsePrefix(y.ClientCIDR).Bits(), netip.MustParsePrefix(x.ClientCIDR).Bits())
	})
	for _, s := range a.list {
		a.networks = append(a.networks, netip.MustParsePrefix(s.ClientCIDR).Masked())
	}
	return a, nil
}

// all returns the set of all addresses.
func (a *addresses) all() addressSet {
	return a.choose(func(netip.Prefix) bool { return true })
}

// of returns the addresses for the networks that contain the client.
func (a *addresses) of(client netip.Addr) addressSet {
	client = client.Unmap().WithZone("")
	return a.choose(func(p netip.Prefix) bool { return p.Contains(client) })
}

// choose returns the addresses of the networks for which in reports true.
func (a *addresses) choose(in func(netip.Prefix) bool) addressSet {
	out := addressSet{list: []metav1.ServerAddressByClientCIDR{}}
	var key strings.Builder
	for i, network := range a.networks {
		if in(network) {
			out.list = append(out.list, a.list[i])
			key.WriteString(strconv.Quote(a.list[i].ClientCIDR + " " + a.list[i].ServerAddress))
		}
	}
	out.key = key.String()
	return out
}

// For returns the documents as shown to one client, with the addresses for the networks that
// contain the client, the longest prefix first. If d has no addresses, For returns d itself. The
// documents for each set of networks are built once.
func (d *Documents) For(client netip.Addr) *Documents {
	if len(d.addresses.networks) == 0 {
		return d
	}
	set := d.addresses.of(client)
	if set.key == d.shown.key {
		return d
	}
	if view, ok := d.views.Load(set.key); ok {
		return view.(*Documents)
	}
	view := &Documents{
		groups: d.groups, byPath: d.byPath, addresses: d.addresses, shown: set, views: d.views,
		roots: map[string]*Document{},
	}
	view.addRoots()
	kept, _ := d.views.LoadOrStore(set.key, view)
	return kept.(*Documents)
}

// ClientIP returns the address of the client of a request: the first address in the X-Forwarded-For
// header, or else the X-Real-Ip header, or else the remote address of the connection, skipping
// those that cannot be parsed. A client can send any address in these headers, so the result is
// suitable for choosing what to show but not for access control. It is the zero Addr if nothing can
// be parsed.
func ClientIP(forwardedFor, realIP, remoteAddr string) netip.Addr {
	first, _, _ := strings.Cut(forwardedFor, ",")
	for _, text := range []string{first, realIP, remoteAddr} {
		text = strings.TrimSpace(text)
		if ip, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
			return ip
		}
		if hostPort, err := netip.ParseAddrPort(text); err == nil {
			return hostPort.Addr()
		}
	}
	return netip.Addr{}
}

// ServerAddress returns the address at which a client reaches a server: the one for the longest
// matching network. It is blank if no network contains the client.
func ServerAddress(list []metav1.ServerAddressByClientCIDR, client netip.Addr) string {
	best, bits := "", -1
	client = client.Unmap().WithZone("")
	for _, s := range list {
		if p, err := netip.ParsePrefix(s.ClientCIDR); err == nil && p.Contains(client) && p.Bits() > bits {
			best, bits = s.ServerAddress, p.Bits()
		}
	}
	return best
}
