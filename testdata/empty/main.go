// Command empty is what the size of command hello is compared with.
package main

func main() {}
