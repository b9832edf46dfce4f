// The end of TLS and the proxy for tests of the room below, for the tests of this room.
#include "net/support/front.c" // NOLINT(bugprone-suspicious-include)
