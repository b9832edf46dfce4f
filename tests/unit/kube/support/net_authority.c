// The certificate authority for tests of the room below, for the tests of this room.
#include "net/support/authority.c" // NOLINT(bugprone-suspicious-include)
