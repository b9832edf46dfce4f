// The HTTP server for tests of the room below, for the tests of this room.
#include "net/support/canned.c" // NOLINT(bugprone-suspicious-include)
