// This file has no code. With it the compiler accepts functions without a body, see newArray.
